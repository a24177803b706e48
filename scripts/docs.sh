#!/usr/bin/env bash
# Builds the documentation of the products into .build/docs; a broken link is an error.
set -euo pipefail
cd "$(dirname "$0")/.."

modules=(LarderMemory LarderStore Larder)
graphs=.build/docs-symbols
output=.build/docs

# What an earlier state of the sources left there would be documented too.
rm -rf .build/*/symbolgraph "$graphs" "$output"
swift package dump-symbol-graph --minimum-access-level public --skip-synthesized-members

mkdir -p "$graphs"
for module in "${modules[@]}"; do
    # Extensions of other modules' types lie in files of their own, called Module@Other.
    found=$(find .build/*/symbolgraph -name "$module.symbols.json" -o -name "$module@*.symbols.json")
    if [ -z "$found" ]; then
        printf 'docs: no symbol graph of module %s; is it still a product?\n' "$module" >&2
        exit 1
    fi
    xargs cp -t "$graphs" <<<"$found"
done

docc=$(command -v docc || printf '%s/docc' "$(dirname "$(command -v swift)")")
"$docc" convert \
    --additional-symbol-graph-dir "$graphs" \
    --fallback-display-name Larder \
    --fallback-bundle-identifier larder \
    --output-path "$output" \
    --warnings-as-errors
printf 'docs: written to %s\n' "$output"
