# traces.sh - loads of large traces with everything that is made of them; bench/run has what it uses.
# shellcheck shell=bash disable=SC2154

# measure_load ARCHIVE FILE OPTIONS...: a load in place of $run, which it sets; the loader's and the server's CPU s and the loader's memory go into FILE. What was
# loaded before is gone by then, and so is the vacuum of it: neither is what a load costs.
measure_load()
{
    local before
    [ -z "$run" ] || sql_value "SELECT perfhouse.drop_run($run)" > /dev/null
    "$perfhouse" psql -- -q -X -c VACUUM || return 1
    before=$(settled_cpu)
    run_measured "$perfhouse" load --json "${@:3}" "$1" || return 1
    sleep 1 # for the last backend to be gone
    echo "$cpu $(calculate "$(server_cpu) - $before") $peak" >> "$2"
    run=$(run_id_of)
}

# load_whole ARCHIVE: three bare reads and loads without and with blame by turns; sets run, events, the least bare, loader's and server's CPU s
# without it, and blamed, the least CPU s of both with it
load_whole()
{
    rm -f "$work"/whole.*
    run=''
    for _ in 1 2 3; do
        "$programs/yardstick_otf2" "$1/traces.otf2" 3 >> "$work/whole.bare" || return 1
        sleep 1
        measure_load "$1" "$work/whole.load" --no-blame || return 1
        measure_load "$1" "$work/whole.blamed" || return 1
    done
    events=$(least "$work/whole.bare" 1)
    bare=$(least "$work/whole.bare" 2)
    loader=$(least "$work/whole.load" 1)
    server=$(least "$work/whole.load" 2)
    peak=$(least "$work/whole.load" 3)
    blamed=$(calculate "$(least "$work/whole.blamed" 1) + $(least "$work/whole.blamed" 2)")
}

# bytes_of TABLE...: what the run takes there
bytes_of()
{
    local table sum=0
    for table in "$@"; do
        sum="$sum + coalesce((SELECT sum(pg_column_size(t.*)) FROM perfhouse.$table t WHERE run_id = $run), 0)"
    done
    sql_value "SELECT $sum"
}

# pyramid_rows NAME: of $run, as if it were large: its tiles, and the first picture of all of it
pyramid_rows()
{
    sql_value "SELECT perfhouse.store_tiles($run)" > /dev/null || return 1
    row "$1: its pyramid" "$(calculate "$(bytes_of trace_tile) / $(bytes_of trace_chunk)")" 'x its chunks' 0.15 \
        "$(sql_value "SELECT count(*) || ' tiles' FROM perfhouse.trace_tile WHERE run_id = $run")"
    sql_row "$1: all of it on a screen" 50 'merged, with the pyramid' \
        "SELECT sum(length(bytes)) FROM perfhouse.trace_tiles($run, tier => 1)"
    sql_row "$1: the same of its events" '' 'without' \
        "SELECT sum(length(bytes)) FROM perfhouse.trace_tiles($run, tier => 1, source => 'chunks')"
}

# blame_rows NAME: what finding and storing waits and their causes adds to the load of $run, and what it costs later
blame_rows()
{
    row "$1: waits and their causes, found and stored" "$(calculate "($blamed - $loader - $server) / $bare")" 'x bare' 1 \
        "$blamed s of both, bare $bare s"
    sql_row "$1: the same of what is stored" '' 'assign_blame' "SELECT perfhouse.assign_blame($run)"
}

# whole_trace NAME LIMIT BYTES PATTERN ARGUMENTS...: rows of one trace; sets events, and whole, the CPU s of both
whole_trace()
{
    local name=$1 limit=$2 bytes=$3 archive
    archive=$work/whole-$RANDOM
    "$programs/gen_trace" "$4" "$archive" "${@:5}" && load_whole "$archive" || { rm -rf "$archive"; return 1; }
    whole=$(calculate "$loader + $server")
    row "$name: loader + server CPU" "$(calculate "$whole / $bare")" 'x bare' "$limit" \
        "$events events; $loader + $server s, bare $bare; $((peak / 1024)) MB"
    row "$name: all that is stored, an event" \
        "$(calculate "$(bytes_of trace_chunk message_chunk logical_chunk phase_block) / $events")" bytes "$bytes" \
        "archive $(calculate "$(cat "$archive"/traces/*.evt | wc -c) / $events")"
    pyramid_rows "$name"
    blame_rows "$name"
    row "$name: its logical time, an event" "$(calculate "$(bytes_of logical_chunk phase_block) / $events")" bytes \
        "${bytes:+1}" ''
    rm -rf "$archive"
}

# 10^7 events, 10^8 with `huge`: a ring that waits all the time, a rank that is alone with all events, a halo exchange.
trace_loads()
{
    section "large traces with all that is made of them (least of three loads)"
    local scale=10
    [ "$mode" = quick ] && scale=1
    [ "$mode" = huge ] && scale=100
    whole_trace "ring of 16 ranks, a tenth" '' '' ring --ranks 16 --iterations $((625 * scale)) || return 1
    local fewer=$events smaller=$whole
    whole_trace "ring of 16 ranks" 4 2 ring --ranks 16 --iterations $((6250 * scale)) || return 1
    growth_row "that" "$fewer" "$events" "$smaller" "$whole" 1.15 events s
    whole_trace "one rank" 6 2 ring --ranks 1 --iterations $((100000 * scale)) || return 1
    sql_row "its phases" '' '' "SELECT count(*) FROM perfhouse.phases($run)"
    sql_row "its critical path" '' '' "SELECT count(*) FROM perfhouse.critical_path($run)"
    whole_trace "halo exchange of 64 ranks" '' '' halo --ranks 64 --iterations $((430 * scale)) || return 1
}

# What is asked of devices of a run of 10^7 activities, on four devices of three streams; with it how launches are matched and
# what activities take beside their calls: links, as they are stored, and records, by the bytes that a stream grows by.
device_queries()
{
    local steps=84000 limits=(150 300 300) activities record
    [ "$mode" = quick ] && steps=8400 limits=('' '' '')
    section "devices of a run, $((4 * 30 * steps)) activities (CPU of the backend, mean of five)"
    reader_bench bench_launches && "$programs/bench_launches" 1000000 5 > "$work/chrome" || return 1
    row "launches matched, an activity" "$(chrome_value match)" ns 30 "10^6 calls and activities"
    record=$(chrome_value record)
    load_devices "$steps" || return 1
    activities=$(sql_value "SELECT sum(n_links) FROM perfhouse.launch_chunk WHERE run_id = $run")
    row "links and records, an activity beside its call" "$(calculate "$(bytes_of launch_chunk launch_configuration) / $activities + $record")" \
        bytes 4 "records $record"
    sql_row "kernels" "${limits[0]}" '' "SELECT count(*) FROM perfhouse.kernels($run)"
    sql_row "gpu_activity" "${limits[1]}" '' "SELECT count(*) FROM perfhouse.gpu_activity($run)"
    sql_row "gpu_idle" "${limits[2]}" '' "SELECT count(*) FROM perfhouse.gpu_idle($run)"
    sql_row "explain_devices" '' '' "SELECT count(*) FROM perfhouse_internal.explain_devices($run)"
    sql_value "SELECT perfhouse.drop_run($run)" > /dev/null
    load_devices "$steps" --waits || return 1
    sql_row "gpu_idle where streams wait for each other" "${limits[2]}" \
        "$(sql_value "SELECT count(*) FROM perfhouse.gpu_idle($run) WHERE stream_wait > 0") streams wait" "SELECT count(*) FROM perfhouse.gpu_idle($run)"
    sql_value "SELECT perfhouse.drop_run($run)" > /dev/null
}
# load_devices STEPS [OPTION]: four ranks' exports, as run $run
load_devices()
{
    "$programs/gen_devices" nsight "$work/nsight" --ranks=4 --steps="$1" ${2:+"$2"} &&
        "$perfhouse" load --json --no-regressions "$work/nsight" > "$work/out" 2> "$work/err" || { tail -3 "$work/err" >&2; return 1; }
    rm -rf "$work/nsight"
    run=$(run_id_of)
}
