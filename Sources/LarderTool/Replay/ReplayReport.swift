/// What a replay reports: what was served, through what, and how it went.
struct ReplayReport {
    let workload: ReplayWorkload
    let cache: CacheDescription
    let tally: ReplayTally
    let counts: TierCounts
}
