# core.sh - sections of the bench that need no database: readers, the core; bench/run has what they use.
# shellcheck shell=bash disable=SC2154

# Compiles a bench of a reader, with the loader's library.
reader_bench()
{
    local libs
    make -s -C "$root" BUILD="$build" "$build/libphloader.a" "$build/libphclient.a" > "$work/out" 2>&1 || { tail -3 "$work/out" >&2; return 1; }
    read -ra libs <<< "$(pkg-config --cflags --libs libpq json-c expat zlib libcrypto libarchive liblz4 otf2 sqlite3)"
    "${CC:-gcc}" -std=c11 -D_GNU_SOURCE -O2 -g -I"$root/extension/core" -I"$root/loader/client" \
        -I"$root/loader/src" "$here/$1.c" -Wl,--start-group "$build/libphloader.a" \
        "$build/libphclient.a" "$build/libphcore.a" -Wl,--end-group "${libs[@]}" -lpthread -lm \
        -o "$programs/$1"
}

# ------------------------------------------------------------------------------------- OTF2 traces
# Reading an OTF2 archive, beside libotf2 that reads it and does nothing.
otf2()
{
    section "OTF2: halo exchange, seconds of the loader ÷ of the bare read by libotf2"
    local iterations=3800 events bare
    [ "$mode" = quick ] && iterations=400
    reader_bench bench_otf2 || return 1
    "$programs/gen_trace" halo "$work/halo-read" --ranks 64 --iterations "$iterations" || return 1
    "$programs/bench_otf2" "$work/halo-read/traces.otf2" 5 > "$work/otf2" || return 1
    read -r events bare <<< "$("$programs/yardstick_otf2" "$work/halo-read/traces.otf2" 5)"
    row "events to chunks, CPU" "$(calculate "$(otf2_value chunks) / $bare")" x 1.3 "$events events, bare $bare s"
    local wall
    wall=$(calculate "$(otf2_value parallel) / $bare")
    if awk "BEGIN { exit !($(cut -d' ' -f1 /proc/loadavg) < 1.5) }"; then
        row "events to chunks, wall of 2 threads" "$wall" x 1.1 ''
    else
        row "events to chunks, wall of 2 threads" "$wall" x '' 'not judged: the cores are not free'
    fi
    row "chunks, call tree, matching, CPU" "$(calculate "$(otf2_value all) / $bare")" x 4 ''
    row "chunks, an event" "$(calculate "$(otf2_value bytes) / $events")" bytes 3 \
        "archive $(calculate "$(cat "$work"/halo-read/traces/*.evt | wc -c) / $events")"
    rm -rf "$work/halo-read"
}
otf2_value() { awk -F'\t' -v n="$1" '$1 == n { print $3 }' "$work/otf2"; }

# ----------------------------------------------------------------------------------- Chrome traces
# Text to calls and activities, with their launches, of a profile as PyTorch's profiler writes it.
chrome()
{
    section "Chrome traces: CPU of one core, from text to chunks"
    local steps=5000 bytes events file="$work/kineto.json"
    [ "$mode" = quick ] && steps=500
    reader_bench bench_spans || return 1
    "$programs/gen_kineto" "$steps" > "$file" || return 1
    bytes=$(wc -c < "$file")
    events=$(grep -c '"ph"' "$file")
    "$programs/bench_spans" "$file" > "$work/chrome" || return 1
    row_least "text a second" "$(calculate "$bytes / 1e6 / $(chrome_value chunks)")" MB 150 "$bytes bytes, $events events"
    row "memory, an event of the file" "$(calculate "$(chrome_value peak) / $events")" bytes 64 ''
    gzip -1 "$file" || return 1
    "$programs/bench_spans" "$file.gz" > "$work/chrome" || return 1
    row_least "text a second, of gzip" "$(calculate "$bytes / 1e6 / $(chrome_value chunks)")" MB 110 ''
    rm -f "$file.gz"
}
chrome_value() { awk -F'\t' -v n="$1" '$1 == n { print $2 }' "$work/chrome"; }

# ------------------------------------------------------------------------ databases of device profilers
# From rows to nested calls with their launches, beside SQLite giving the same columns.
devices()
{
    section "Databases of device profilers: CPU beside SELECT of the same columns"
    local steps=10000 bare end=_0000a7b2_1c3d_7e4f_8a9b_0c1d2e3f4a5b
    [ "$mode" = quick ] && steps=1000
    reader_bench bench_spans || return 1
    "${CC:-gcc}" -std=c11 -D_GNU_SOURCE -O2 -I"$root/extension/core" "$here/yardstick_sqlite.c" "$build/libphcore.a" -lm -llz4 \
        -lsqlite3 -o "$programs/yardstick_sqlite" || return 1
    "$programs/gen_devices" nsight "$work/nsight" --steps="$steps" && "$programs/gen_devices" rocpd "$work/rocpd" --steps="$steps" || return 1
    bare=$("$programs/yardstick_sqlite" "$work/nsight/rank-0.sqlite" \
        "SELECT start, \"end\", globalTid, nameId, correlationId, eventClass FROM CUPTI_ACTIVITY_KIND_RUNTIME" \
        "SELECT start, \"end\", eventType, text, textId, globalTid, domainId FROM NVTX_EVENTS" \
        "SELECT start, \"end\", deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName, gridX, gridY, gridZ,
            blockX, blockY, blockZ, registersPerThread, staticSharedMemory, dynamicSharedMemory FROM CUPTI_ACTIVITY_KIND_KERNEL" \
        "SELECT start, \"end\", deviceId, contextId, streamId, correlationId, globalPid, copyKind, bytes FROM CUPTI_ACTIVITY_KIND_MEMCPY")
    span_rows "Nsight Systems" "$work/nsight/rank-0.sqlite" "$bare"
    bare=$("$programs/yardstick_sqlite" "$work/rocpd/rank-0.db" \
        "SELECT id, category_id, stack_id, parent_stack_id FROM rocpd_event$end" \
        "SELECT pid, tid, start, \"end\", event_id, name_id FROM rocpd_region$end" \
        "SELECT pid, tid, start, \"end\", event_id, agent_id, queue_id, stream_id, kernel_id, grid_size_x, grid_size_y, grid_size_z,
            workgroup_size_x, workgroup_size_y, workgroup_size_z FROM rocpd_kernel_dispatch$end" \
        "SELECT pid, tid, start, \"end\", event_id, queue_id, stream_id, name_id, dst_agent_id, src_agent_id, size
            FROM rocpd_memory_copy$end")
    span_rows rocpd "$work/rocpd/rank-0.db" "$bare"
    rm -rf "$work/nsight" "$work/rocpd"
}
# span_rows NAME FILE SECONDS
span_rows()
{
    "$programs/bench_spans" "$2" > "$work/chrome" || return 1
    row "$1: rows to calls with launches" "$(calculate "$(chrome_value calls) / $3")" x 2 "$(chrome_value events) events, SELECT $3 s"
    row "$1: the same and chunks" "$(calculate "$(chrome_value chunks) / $3")" x '' ''
}

# ----------------------------------------------------------------------------- HPCToolkit 4 databases
# From files to the profile: a tree of a thousand contexts, of which a rank has an eighth.
hpctoolkit4()
{
    section "HPCToolkit 4: 1,000 contexts, an eighth of them in each rank"
    local ranks=100000 memory=500 values cpu peak
    [ "$mode" = quick ] && ranks=10000 memory=60
    reader_bench bench_hpctoolkit4 || return 1
    "$programs/gen_hpctoolkit4" "$work/hpctoolkit4" --ranks="$ranks" --contexts=1000 --costs=20 || return 1
    read -r values cpu peak <<< "$("$programs/bench_hpctoolkit4" "$work/hpctoolkit4" 3)"
    row "read, check and build the profile, a stored value" "$(calculate "$cpu / $values * 1e9")" ns 50 "$values values of $ranks ranks"
    row "peak of allocated memory" "$((peak >> 20))" MB "$memory" ''
    rm -rf "$work/hpctoolkit4"
}

# ------------------------------------------------------------------------------------------ the core
core_value() { awk -F'\t' -v n="$1" -v s="$2" -v c="$3" '$1 == n && $2 == s && $3 == c { print $4 }' "$work/core"; }

# growth NAME COLUMNS: time a cell at the largest size over that at the smallest one above the floor
growth()
{
    awk -F'\t' -v name="$1" -v columns="$2" '
        $1 == name && $3 == columns {
            if ($4 >= 2 && !small) { small = $5; from = $2 }
            large = $5; to = $2
        }
        END { if (small && from != to) printf "%.2f %d %d", large / small, from, to }' "$work/core"
}

core()
{
    section "core, CPU ms (no database)"
    "$programs/bench_core" "$mode" > "$work/core" || return 1
    local columns=16 largest=100000 pair=10000 ranks=300000
    [ "$mode" = quick ] && largest=10000 pair=3000 ranks=30000
    row "build a profile, $largest nodes x $columns" "$(core_value build $largest 16)" ms '' ''
    row "filter, $largest x $columns" "$(core_value filter $largest 16)" ms '' ''
    row "super graph by module, $largest x $columns" "$(core_value supergraph $largest 16)" ms 300 ''
    row "Sankey layout of it, filtered to 10 % (24 bars)" "$(core_value 'layout of dear functions' $largest 16)" ms 50 ''
    row "Sankey layout of it, unfiltered" "$(core_value layout $largest 16)" ms 50 \
        "$([ "$mode" = quick ] || echo "369 bars, 9025 edges, 322 layers: 20501 bands")"
    row "flatten + unflatten, $largest x $columns" \
        "$(calculate "$(core_value flatten $largest 16) + $(core_value unflatten $largest 16)")" ms '' ''
    row "flat rows, $largest x $columns" "$(core_value 'flat rows' $largest 16)" ms '' ''
    row "flame rows, $largest x $columns" "$(core_value flame $largest 16)" ms '' ''
    row "call-path query, $largest x $columns" "$(core_value query $largest 16)" ms '' ''
    row "diff, $pair nodes x 64" "$(core_value diff $pair 64)" ms 50 ''
    row "ensemble of 200 runs, 10000 nodes each" "$(core_value ensemble 10000 200)" ms 2000 ''
    row "match candidates, $pair nodes, some of them renamed" "$(core_value match $pair 64)" ms '' ''
    row "match candidates, $pair nodes, all apart" "$(core_value 'match of all' $pair 64)" ms 1000 ''
    row "histogram of $ranks ranks" "$(core_value 'histogram of many ranks' 30 $ranks)" ms '' ''
    row "box plot of $ranks ranks" "$(core_value 'box plot of many ranks' 30 $ranks)" ms '' ''
    row "means + layout, 30 nodes x $ranks ranks" "$(core_value 'layout of many ranks' 30 $ranks)" ms 50 ''
    section "growth: time a cell, largest size ÷ smallest above the floor (1 = linear)"
    for name in build filter supergraph layout 'call graph layout' unflatten 'flat rows' flame query; do
        read -r ratio from to <<< "$(growth "$name" 16)"
        [ -z "${ratio:-}" ] || row "$name, $from to $to nodes" "$ratio" '' 2 ''
    done
}

# ------------------------------------------------------------------------------------ event chunks
# chunk_value NAME COLUMN: 3 ns an event, 4 million events a CPU second, 5 bytes an event
chunk_value() { awk -F'\t' -v n="$1" -v c="$2" '$1 == n { print $c }' "$work/chunks"; }

chunks()
{
    section "event chunks (no database)"
    "$programs/bench_trace" "$mode" > "$work/chunks" || return 1
    row "encode, calls only" "$(chunk_value 'encode calls' 3)" ns/event 8 ''
    row "encode, with messages" "$(chunk_value 'encode all' 3)" ns/event 8 ''
    row "size" "$(chunk_value 'encode all' 5)" bytes/event 3 ''
    row_least "decode times, kinds, regions" "$(chunk_value 'decode calls' 4)" Mevents/CPUs 283 ''
    row_least "decode, with messages" "$(chunk_value 'decode calls and messages' 4)" Mevents/CPUs 206 ''
    row "every event by the cursor" "$(chunk_value cursor 3)" ns/event '' ''
    row_least "region profile" "$(chunk_value 'region profile' 4)" Mevents/CPUs 160 ''
    row "call tree" "$(chunk_value 'call tree' 3)" ns/event '' ''
    row "pyramid, beyond decoding" "$(calculate "$(chunk_value pyramid 3) - 1000 / $(chunk_value 'decode calls' 4)")" ns/event 8 \
        "$(chunk_value pyramid 5) bytes an event"
}

# ---------------------------------------------------------------------------------- logical structure
# logical_value NAME COLUMN: events, phases, ns an event for input, structure and metrics, bytes an
# event, CPU s, Ravel's CPU s, bytes a call that carries messages or a collective
logical_value() { awk -F'\t' -v n="$1" -v c="$2" '$1 == n { print $c }' "$work/logical"; }

logical()
{
    section "logical structure (no database): CPU s, with its input, ÷ Ravel's as recorded"
    "$programs/bench_logical" "$mode" > "$work/logical" || return 1
    local program
    while IFS= read -r program; do
        row "$program" "$(calculate "$(logical_value "$program" 8) / $(logical_value "$program" 9)")" x 0.05 \
            "$(logical_value "$program" 2) events, $(logical_value "$program" 7) bytes each, $(logical_value "$program" 10) a call"
    done < <(awk -F'\t' 'NR > 1 && $9 >= 0.3 { print $1 }' "$work/logical")
    row "memory, an event with one message" "$(logical_value 'flat halo srsr 64 x 1000' 7)" bytes 100 ''
    row "memory, most of all programs of 20,000 events" "$(awk -F'\t' 'NR > 1 && $2 > 20000 && $1 !~ /no call merge/ && $10 > most { most = $10 } END { print most }' "$work/logical")" \
        'bytes a call' 100 ''
    row "growth: ns an event, 448000 to 44800 events" \
        "$(calculate "$(logical_value 'flat halo srsr 64 x 1000' 5) / $(logical_value 'flat halo srsr 64 x 100' 5)")" x 2 ''
    [ "$mode" = quick ] || row "growth: ns an event, 8960000 to 448000 events" \
        "$(calculate "$(logical_value 'flat halo srsr 64 x 20000' 5) / $(logical_value 'flat halo srsr 64 x 1000' 5)")" x 3 ''
}

# -------------------------------------------------------------------------------- structure of tasks
# Ravel: 17,266 events of LULESH, 64 chares on 8 PEs, in 0.34 s.
# task_value NAME COLUMN: chares, iterations, events, phases, ns an event (structure, reordered,
# metrics), bytes an event beyond the trace, bytes of the trace, CPU s
task_value() { awk -F'\t' -v n="$1" -v c="$2" '$1 == n { print $c }' "$work/tasks"; }

tasks()
{
    section "structure of tasks (no database)"
    "$programs/bench_tasks" "$mode" > "$work/tasks" || return 1
    local program small='64 chares x 1000' large='64 chares x 14000'
    row "as LULESH 64 chares, 8 PEs: CPU s ÷ Ravel's" \
        "$(calculate "$(task_value 'as LULESH 64 chares, 8 PEs' 11) / 0.34")" x 0.05 \
        "$(task_value 'as LULESH 64 chares, 8 PEs' 4) events"
    while IFS= read -r program; do
        row "$program" "$(task_value "$program" 6)" ns/event 1000 \
            "$(task_value "$program" 4) events, $(task_value "$program" 5) phases; reordered $(task_value "$program" 7), metrics $(task_value "$program" 8)"
    done < <(awk -F'\t' 'NR > 2 { print $1 }' "$work/tasks")
    row "memory beyond the trace, $small" "$(task_value "$small" 9)" bytes/event 200 \
        "the trace itself $(task_value "$small" 10)"
    [ "$mode" = quick ] && small='64 chares x 100' large='64 chares x 1000'
    row "growth: ns an event, $large to $small" \
        "$(calculate "$(task_value "$large" 6) / $(task_value "$small" 6)")" x 3 ''
}

# ------------------------------------------------------------------------------------ change points
# point_row WHAT NOISE MODE UNIT LIMIT [least]: a figure of bench_change_points at the method's default limit
point_row()
{
    local value
    value=$(awk -F'\t' -v w="$1" -v n="$2" -v m="$3" '$1 == w && $2 == n && $3 == m && $4 ~ /nan/ { print $5; exit }' "$work/points")
    "row${6:+_$6}" "$1, $2 ($3)" "$value" "$4" "$5" ''
}

change_points()
{
    section "change points (simulated, fixed seeds; the other figures: bench_change_points)"
    "$programs/bench_change_points" quick > "$work/points" || return 1
    local noise mode
    for mode in default otava; do
        point_row 'ms for 10000 values' normal $mode ms 15
        point_row 'ms for 10000 values' steps $mode ms 15
    done
    point_row 'false points per 1000' normal default '' 1.3
    point_row 'false points per 1000' 'AR(1) 0.5' default '' 1
    for noise in bimodal exponential 't(3)'; do point_row 'false points per 1000' "$noise" default '' ''; done
    for noise in normal 'AR(1) 0.5'; do
        point_row 'false points per 1000' "$noise" otava '' ''
        point_row '5 sd found after 4' "$noise" default '' 0.95 least
        point_row '5 sd found after 4' "$noise" otava '' ''
        point_row 'median delay of 3 sd' "$noise" default values ''
        point_row 'median delay of 3 sd' "$noise" otava values ''
    done
    for mode in default otava; do
        point_row 'precision, 200 call paths' 'AR(1) 0.5' $mode '' ''
        point_row 'recall, 200 call paths' 'AR(1) 0.5' $mode '' ''
    done
}

# ------------------------------------------------------------------------------- planted causes
# cause_value NAME: a figure of the score sheet in the file $figures
cause_value() { awk -F'\t' -v n="$1" '$1 == n { print $2 }' "$figures"; }

# cause_rows FIGURES: rows of the score sheet in this file, judged by their budgets
cause_rows()
{
    local variation least figures=$1
    for variation in 2:95 5:92 10:90; do
        least=${variation#*:} variation=${variation%:*}
        row_least "right first sentence, runs vary by $variation %" "$(cause_value "right $variation")" % "$least" \
            "$(cause_value "cases $variation") cases, $(cause_value "unknown $variation") % unknown"
        row "wrong first sentence, runs vary by $variation %" "$(cause_value "wrong $variation")" % 2 \
            "shape $(cause_value "wrong shape $variation"), cause $(cause_value "wrong cause $variation"), path $(cause_value "wrong path $variation"), units $(cause_value "wrong units $variation")"
        row "a finding in an unchanged pair, runs vary by $variation %" \
            "$(cause_value "found in unchanged pairs $variation")" % 1 ''
    done
}

causes()
{
    section "explanations of slower runs: planted causes, 5 runs a side (simulated, a fixed seed)"
    local cases=1080
    [ "$mode" = quick ] && cases=216
    run_measured "$programs/causes" score "$cases" && mv "$work/out" "$work/causes" || return 1
    cause_rows "$work/causes"
    row "a case" "$(calculate "1000 * $cpu / $cases / 2")" ms '' 'making it included'
}

# Another generator, whose programs are executed: see bench/planted/README.md.
planted()
{
    section "explanations of slower runs: planted causes in programs that are executed, 5 runs a side (a fixed seed)"
    local cases=1089
    [ "$mode" = quick ] && cases=198
    run_measured "$programs/planted" truth "$cases" "$cases" && mv "$work/out" "$work/truth" || return 1
    run_measured "$programs/planted" answer "$cases" "$cases" && mv "$work/out" "$work/answers" || return 1
    "$here/planted/judge.pl" "$work/truth" "$work/answers" > "$work/planted" || return 1
    cause_rows "$work/planted"
    row "a case" "$(calculate "1000 * $cpu / $cases / 2")" ms '' 'making it included'
}
