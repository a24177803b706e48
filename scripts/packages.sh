#!/usr/bin/env bash
# Makes sure that what the build needs from the system is there; touches nothing when it is.
# With the argument bench, what the benchmarks compare with is included.
set -euo pipefail

packages=(liblmdb-dev libxxhash-dev libzstd-dev pkg-config)
libraries=(lmdb libxxhash libzstd)
if [ "${1:-}" = bench ]; then
    packages+=(libsqlite3-dev)
    libraries+=(sqlite3)
fi

fail() {
    printf 'packages: %s\n' "$1" >&2
    exit 1
}

is_complete() {
    command -v pkg-config >/dev/null && pkg-config --exists "${libraries[@]}"
}

if ! command -v swift >/dev/null; then
    fail "the Swift toolchain is missing; install Swift 6.2 or later from https://www.swift.org/install and put it on PATH"
fi

if is_complete; then
    exit 0
fi

if ! command -v apt-get >/dev/null; then
    fail "this system has no apt-get; install the headers of LMDB 0.9.24, xxHash 0.8 and Zstandard 1.4 or later, and \
pkg-config, by other means (Debian calls them ${packages[*]}), then run this again"
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        fail "packages are missing and neither root nor sudo is at hand; as root, run: apt-get install ${packages[*]}"
    fi
    as_root=(sudo)
fi

printf 'packages: installing %s\n' "${packages[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}"
is_complete || fail "apt-get ended well, but pkg-config does not find ${libraries[*]}; check PKG_CONFIG_PATH"
