#!/usr/bin/env bash
# Replays the public traces through the cache, in the release build, and compares with the published numbers.
# The traces are not part of the project: without them there is nothing to do.
set -euo pipefail
cd "$(dirname "$0")/.."

traces=${TRACES:-../shared/traces}
if [ ! -d "$traces" ]; then
    printf 'traces: %s is not there; nothing to compare\n' "$traces"
    exit 0
fi
larder=$(swift build -c release --show-bin-path)/larder
checked=0

replay() {
    "$larder" replay "$traces/$1" --capacity "$2" --policy "$3" --cost "$4" --json
}

field() {
    sed -E "s/.*\"$1\":([0-9.e-]+).*/\1/"
}

expect() { # trace capacity policy cost field number
    local number
    number=$(replay "$1" "$2" "$3" "$4" | field "$5")
    if [ "$number" != "$6" ]; then
        printf 'traces: %s @%s %s: %s is %s, not %s\n' "$1" "$2" "$3" "$5" "$number" "$6" >&2
        exit 1
    fi
    checked=$((checked + 1))
}

expect_ratio() { # trace capacity policy percent tolerance
    local ratio
    ratio=$(replay "$1" "$2" "$3" unit | field hitRatio)
    if ! awk -v r="$ratio" -v p="$4" -v t="$5" 'BEGIN { d = r * 100 - p; exit !(d <= t && d >= -t) }'; then
        printf 'traces: %s @%s %s: hit ratio is %s, not %s %% within %s\n' "$1" "$2" "$3" "$ratio" "$4" "$5" >&2
        exit 1
    fi
    checked=$((checked + 1))
}

policies=(fifo lru clock s3fifo:0.1,0.9,2)

# Misses by cost, and the bytes missed.
while read -r capacity fifo lru clock s3fifo lru_bytes s3fifo_bytes; do
    counts=("$fifo" "$lru" "$clock" "$s3fifo")
    for index in 0 1 2 3; do
        expect cloudphysics.oracle "$capacity" "${policies[index]}" size misses "${counts[index]}"
    done
    expect cloudphysics.oracle "$capacity" lru size missBytes "$lru_bytes"
    expect cloudphysics.oracle "$capacity" "${policies[3]}" size missBytes "$s3fifo_bytes"
done <<'END'
128MiB 93403 93374 93313 89307 4214303232 4040718336
384MiB 84387 83572 83411 77041 3778040320 3353047552
640MiB 72498 72494 74815 71300 3100927488 3038256128
1024MiB 72140 71704 64456 70355 3061662720 2979649536
END

# Misses by number of entries.
while read -r trace capacity fifo lru clock s3fifo; do
    counts=("$fifo" "$lru" "$clock" "$s3fifo")
    for index in 0 1 2 3; do
        expect "$trace" "$capacity" "${policies[index]}" unit misses "${counts[index]}"
    done
done <<'END'
corda.i64be 512 90468 90468 90468 90468
loop.lirs 512 505500 505500 505500 505500
2_pools.lirs 100 80621 78054 76134 55428
ps.lirs 1000 6009 5376 4954 4953
sprite.lirs 500 35364 29074 29016 28217
web07.i32be 1000 39818 37750 37307 34933
END

# Hit ratios in percent, to the two digits given; W-TinyLFU depends on the hash.
while read -r trace capacity fifo lru clock s3fifo tinylfu; do
    ratios=("$fifo" "$lru" "$clock" "$s3fifo")
    for index in 0 1 2 3; do
        expect_ratio "$trace" "$capacity" "${policies[index]}" "${ratios[index]}" 0.005001
    done
    expect_ratio "$trace" "$capacity" tinylfu:0.2 "$tinylfu" 0.5
done <<'END'
orm-busy.i32be 625 69.92 70.84 72.54 72.90 70.02
orm-busy.i32be 1250 78.79 79.60 79.53 79.13 77.08
orm-busy.i32be 2500 81.41 82.19 82.22 83.06 82.66
orm-busy.i32be 5000 84.29 85.46 85.35 86.64 86.70
web07.i32be 500 42.75 45.58 46.15 50.03 49.22
web07.i32be 2000 52.93 55.50 56.07 57.97 56.62
sprite.lirs 1000 87.24 90.64 90.30 89.36 87.11
2_pools.lirs 200 30.08 36.79 40.54 50.32 50.35
loop.lirs 512 0.00 0.00 0.00 0.00 40.18
corda.i64be 256 33.33 33.33 33.33 33.33 33.30
END

printf 'traces: %d numbers agree\n' "$checked"
