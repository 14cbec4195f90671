# frames.sh - the Python package: data frames, Arrow, GraphFrames, Thickets, Parquet; bench/run has what it uses.
# shellcheck shell=bash disable=SC2154

# frames_row WHAT STEP LIMIT [PEER]: CPU seconds of client and server, beside a peer's where it was asked
frames_row()
{
    local note limit=$3
    [ "$mode" = quick ] && limit=''
    note="wall $(awk -F'\t' -v n="$2" '$1 == n { print $3 }' "$work/asked") s"
    [ $# -lt 4 ] || [ -z "$(asked "$4")" ] || note="$note; reading the files itself ${4%s}: $(asked "$4") CPU s"
    row "$1" "$(asked "$2")" 'CPU s' "$limit" "$note"
}

frames()
{
    local python=$build/python/bin/python nodes=10000 iterations=4300 count=200 profile trace before i
    section "Python package: CPU of client and server"
    "$python" -c 'import perfhouse' 2> /dev/null || { missing "the package" "not installed" "make bench-python installs it"; return 0; }
    [ "$mode" = quick ] && nodes=1000 iterations=430 count=20
    mkdir -p "$work/thicket"
    generate "$nodes" 64 1 0 json-split > "$work/frame.json"
    for ((i = 0; i < count; i++)); do generate 60 8 3 "$i" json-split > "$work/thicket/run-$i.json"; done
    "$programs/gen_trace" halo "$work/halo-frames" --ranks 64 --iterations "$iterations" &&
        load_cost "$work/frame.json" && profile=$(run_id_of_last) &&
        load_cost --set application=frames "$work"/thicket/*.json &&
        load_cost --no-logical-steps --no-blame "$work/halo-frames" && trace=$(run_id_of_last) || return 1
    PERFHOUSE=$perfhouse "$python" "$here/frames.py" "$profile" "$trace" frames "$work/frame.json" "$work"/thicket/*.json \
        > "$work/asked" 2> "$work/err" || { tail -3 "$work/err" >&2; return 1; }
    frames_row "GraphFrame of $nodes x 64" GraphFrame 0.5 hatchets
    frames_row "Thicket of $count runs of 60 x 8" Thicket 2 thickets
    frames_row "events of a trace, pandas" pandas 3
    frames_row "events of a trace, Arrow" arrow 1.5
    before=$(settled_cpu)
    export PERFHOUSE_PYTHON=$python
    run_measured "$perfhouse" export "$trace" --format parquet --table events -o "$work/events.parquet" || return 1
    sleep 1
    row "the same to Parquet" "$(calculate "$cpu + $(server_cpu) - $before")" 'CPU s' "$([ "$mode" = quick ] || echo 4)" \
        "$(($(stat -c %s "$work/events.parquet") / 1024)) kB"
    rm -rf "$work/halo-frames" "$work/frame.json" "$work/thicket" "$work/events.parquet"
}
