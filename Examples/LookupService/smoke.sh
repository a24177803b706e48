#!/usr/bin/env bash
# Talks to the built service: fetches, hits, survives SIGUSR1, and finds its records again after a restart.
set -euo pipefail
cd "$(dirname "$0")"

service=$(swift build -c release --show-bin-path)/LookupService
directory=$(mktemp -d)
export LARDER_DISK_DIRECTORY=$directory/store
trap 'kill "$pid" 2>/dev/null || true; rm -rf "$directory"' EXIT

start() {
    "$service" --port 0 2>"$directory/log" &
    pid=$!
    port=
    for _ in $(seq 100); do
        port=$(sed -n 's/.*127\.0\.0\.1:\([0-9]*\)$/\1/p' "$directory/log")
        if [ -n "$port" ]; then return; fi
        sleep 0.1
    done
    cat "$directory/log" >&2
    exit 1
}

# Says one thing and checks the beginning of the answer.
expect() {
    local answer
    exec 3<>"/dev/tcp/127.0.0.1/$port"
    printf '%s\n' "$1" >&3
    read -r -t 30 answer <&3
    exec 3>&-
    if [[ "$answer" != "$2"* ]]; then
        printf 'smoke: %s was answered by %s, not by %s\n' "$1" "$answer" "$2" >&2
        exit 1
    fi
}

start
expect 'GET 7' 'FETCHED record 7'
expect 'GET 7' 'CACHED record 7'
expect 'GET nobody' 'NONE'
expect 'PUT 8 eight' 'STORED'
kill -USR1 "$pid"
expect 'GET 8' 'CACHED eight'
expect 'DELETE 7' 'DELETED'
expect 'STATS' '# '
expect 'WHAT' 'ERROR'
kill -TERM "$pid"
wait "$pid"
start
expect 'GET 8' 'CACHED eight'
expect 'GET 7' 'FETCHED'
kill -TERM "$pid"
wait "$pid"
printf 'smoke: the service answered as it should\n'
