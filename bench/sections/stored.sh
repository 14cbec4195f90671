# stored.sh - sections of the bench on stored runs: SQL, lists, dashboards; bench/run has what they use.
# shellcheck shell=bash disable=SC2154

# -------------------------------------------------------------------------------------- json-split
# What was recorded for the peers, and how many rows json-c tokenised a CPU second there.
recorded_rows_per_second=1500000
recorded_hatchet_load=66 # CPU s, json-split, 10000 nodes x 256 ranks; 1.2 GB
recorded_hatchet_diff=28 # CPU s, 10000 nodes x 64 ranks
recorded_thicket_files=40 # files/s read by one process, 134 in parallel

# The CPU seconds that a recorded number of them is here, by json-c's pace.
carried_over() { calculate "$1 * ($yardstick / ($rows / $recorded_rows_per_second))"; }

generate() { "$programs/gen_profile" "$@"; }

start_warehouse()
{
    "$perfhouse" init > "$work/out" 2> "$work/err" && return
    echo "bench: perfhouse init failed" >&2
    tail -5 "$work/err" >&2
    return 1
}

write_module_map()
{
    for i in $(seq 0 39); do printf '^mod%02d:: = mod%02d\n' "$i" "$i"; done > "$work/modules"
}

run_id_of() { sed -n 's/.*"run_id" *: *\([0-9][0-9]*\).*/\1/p' "$work/out" | head -1; }

# Sets run, and cpu of the loader, server of the backends.
load_json_split()
{
    local nodes=$1 ranks=$2 seed=$3 variant=$4 file before
    file=$work/json-$nodes-$ranks-$seed-$variant.json
    generate "$nodes" "$ranks" "$seed" "$variant" json-split > "$file"
    read -r rows yardstick <<< "$("$programs/yardstick_json" "$file")"
    sleep 1 # for the last backend to be gone
    before=$(server_cpu)
    run_measured "$perfhouse" load --json --module-map "$work/modules" --set application=bench "$file" || return 1
    sleep 1
    server=$(calculate "$(server_cpu) - $before")
    run=$(run_id_of)
    rm -f "$file"
    [ -n "$run" ]
}

json_split()
{
    section "json-split load: CPU of loader and server ÷ json-c tokenising the same file row by row"
    local shapes="1000x1 1000x256 10000x1 10000x16 10000x64 10000x256 100000x16" smaller
    [ "$mode" = quick ] && shapes="1000x1 1000x64 10000x16"
    for shape in $shapes; do
        local nodes=${shape%x*} ranks=${shape#*x}
        if ! load_json_split "$nodes" "$ranks" 1 0; then
            row "load $nodes nodes x $ranks ranks" '' '' 1 'the load failed'
            continue
        fi
        local total note
        total=$(calculate "$cpu + $server")
        note="loader $cpu s CPU, server $server, $wall s wall; json-c $yardstick s; $((peak / 1024)) MB"
        local limit=''
        # values: inclusive and exclusive, 8 bytes each
        local memory=$((200 + nodes * ranks * 16 / 1048576))
        row "load $nodes x $ranks, peak memory" "$((peak / 1024))" MB "$memory" "200 MB + the values"
        row "load $nodes x $ranks" "$(calculate "$total / $yardstick")" x "$limit" "$note"
        [ "$shape" = 10000x16 ] && smaller=$total
        [ "$shape" = 10000x256 ] && growth_row "that" 16 256 "$smaller" "$total" 1.15 ranks s &&
            row "load 10000 x 256 ÷ Hatchet's recorded $recorded_hatchet_load CPU s" \
                "$(calculate "$total / $(carried_over $recorded_hatchet_load)")" \
                x 0.04 "carried over by json-c: $(calculate "$rows / $yardstick / 1e6") M rows/s here"
        [ "$shape" != 100000x16 ] || large_run=$run
    done
}

# Many runs side by side, ours and the peers'. Hatchet unifies two trees at a time: 199 unions of one column each, a
# 64th of the recorded difference of 64. Thicket must read 200 files before it begins.
many_runs()
{
    section "200 runs of 10000 nodes side by side, beside the peers' recorded cost"
    [ -n "${yardstick:-}" ] || { missing "Hatchet, Thicket" "-" "no yardstick: the load failed"; return 0; }
    local ours hatchet thicket
    ours=$(calculate "$(core_value ensemble 10000 200) / 1000")
    hatchet=$(carried_over "$(calculate "$recorded_hatchet_diff * 199 / 64")")
    thicket=$(carried_over "$(calculate "200 / $recorded_thicket_files")")
    row "perfhouse, ensemble of 200" "$ours" "CPU s" 2 ''
    row "Hatchet, 199 unions of two" "$hatchet" "CPU s" '' "from $recorded_hatchet_diff CPU s for one of 64 columns (recorded), by json-c"
    row "Thicket, only to read 200 small files" "$thicket" "CPU s" '' "$recorded_thicket_files files/s (recorded), by json-c"
    row "perfhouse ÷ Hatchet" "$(calculate "$ours / $hatchet")" x '' ''
}

# --------------------------------------------------------------------------------- SQL on stored runs
# CPU ms of one execution of a query in one session after a first one: the mean of five, and when these take less than
# $short_ms each, the least mean of three times fifteen more; sets cpu_ms and wall_ms (the best). Others on the machine
# disturb it less than wall time.
# All of it is in one backend, without workers. The scheduler tells ns; where it does not, there are ticks.
short_ms=20
query_ms()
{
    local of_backend="cat /proc/\$BACKEND/schedstat /proc/\$BACKEND/stat 2> /dev/null" spent
    spent="$of_backend | awk 'NF == 3 { ns = \$1 } NF > 3 { ticks = \$14 + \$15 }
        END { printf \"spent %.0f\\n\", (ns > 0 ? ns : ticks * 1e9 / $(getconf CLK_TCK)) }'"
    spent=${spent//$'\n'/ }
    {
        printf '%s\n' 'SELECT pg_backend_pid() AS backend \gset' '\setenv BACKEND :backend' \
            'SET max_parallel_workers_per_gather = 0;'
        printf '%s;\n' "$1"
        printf '%s\n' 'SELECT clock_timestamp() AS began \gset' '\timing on' "\\! $spent"
        for _ in 1 2 3 4 5; do printf '%s;\n' "$1"; done
        printf '%s\n' "\\! $spent" '\timing off' \
            "SELECT clock_timestamp() - :'began' < 5 * interval '$short_ms ms' AS is_short \\gset" \
            '\if :is_short' '\timing on'
        for _ in 1 2 3; do
            printf '%s\n' "\\! $spent"
            for _ in {1..15}; do printf '%s;\n' "$1"; done
            printf '%s\n' "\\! $spent"
        done
        printf '%s\n' '\endif'
    } > "$work/query.sql"
    cpu_ms='' wall_ms=''
    "$perfhouse" psql -- -X -q -At -v ON_ERROR_STOP=1 -f "$work/query.sql" > "$work/out" 2> "$work/err" ||
        { tail -3 "$work/err" >&2; return 1; }
    wall_ms=$(sed -n 's/^Time: \([0-9.]*\) ms.*/\1/p' "$work/out" | sort -n | head -1)
    cpu_ms=$(awk '/^Time: / { n++ }
        $1 != "spent" { next }
        n == 0 { begun = $2; next }
        { mean = ($2 - begun) / n / 1e6; n = 0; if (least == "" || mean < least) least = mean }
        END { printf "%.2f", least }' "$work/out")
}

# sql_row WHAT LIMIT NOTE QUERY
sql_row()
{
    query_ms "$4"
    row "$1" "$cpu_ms" "ms CPU" "$2" "wall ${wall_ms:-?} ms${3:+; $3}"
}

stored_runs()
{
    section "SQL on stored runs (CPU of the backend, mean of five; least mean of fifteen below $short_ms ms)"
    local nodes=100000 pair=10000
    [ "$mode" = quick ] && nodes=10000 pair=3000
    if [ -z "${large_run:-}" ]; then
        load_json_split "$nodes" 16 1 0 || return 1
        large_run=$run
    fi
    local graph="perfhouse.supergraph(perfhouse.profile($large_run), 'module')"
    local filtered="perfhouse.supergraph(perfhouse.filter(perfhouse.profile($large_run), 0.1), 'module')"
    sql_row "profile(run), $nodes nodes x 16 ranks" '' '' \
        "SELECT count(*) FROM perfhouse.metrics(perfhouse.profile($large_run))"
    sql_row "super graph by module, $nodes x 16" 300 "Hatchet: > 321 CPU s to load (recorded)" \
        "SELECT count(*) FROM perfhouse.supernodes($graph)"
    sql_row "the same and its layout" '' '' "SELECT count(*) FROM perfhouse.sankey_layout($graph)"
    sql_row "filter to 10 %, super graph and layout" '' '' "SELECT count(*) FROM perfhouse.sankey_layout($filtered)"
    load_json_split "$pair" 64 2 0 && local before=$run
    load_json_split "$pair" 64 2 1 && local after=$run
    if [ -n "${before:-}" ] && [ -n "${after:-}" ]; then
        local diff="perfhouse.diff(perfhouse.profile($before), perfhouse.profile($after))"
        sql_row "diff of two runs, $pair nodes x 64 ranks" 50 "Hatchet: $recorded_hatchet_diff CPU s (recorded)" \
            "SELECT count(*) FROM perfhouse.metrics($diff)"
        sql_row "the same, and its $pair rows with paths" '' '' "SELECT count(*) FROM perfhouse.nodes_diff($diff)"
    fi
}

# ------------------------------------------------------------------------------ logical time in SQL
# load_trace NAME PATTERN OPTIONS...: a generated trace without logical steps; sets run
load_trace()
{
    local name=$1
    run=''
    "$programs/gen_trace" "$2" "$work/$name" "${@:3}" || return 1
    "$perfhouse" load --json --no-logical-steps "$work/$name" > "$work/out" 2> "$work/err" ||
        { tail -3 "$work/err" >&2; return 1; }
    run=$(sed -n 's/.*"run_id": *\([0-9]*\).*/\1/p' "$work/out")
}

sql_value() { "$perfhouse" psql -- -X -q -At -c "$1"; }

# assign_row WHAT RAVEL: CPU of assigning the steps of $run, by event; Ravel's us an event as recorded
assign_row()
{
    query_ms "SELECT 1 FROM perfhouse.assign_logical_steps($run)"
    local events
    events=$(sql_value "SELECT n_events FROM perfhouse.logical WHERE run_id = $run")
    row "$1" "$(calculate "$cpu_ms * 1000 / $events / $2")" x 0.05 "$cpu_ms ms CPU, wall ${wall_ms:-?} ms, $events events, stored"
}

logical_traces()
{
    section "logical time of stored traces: CPU of the backend; an event's, ÷ Ravel's as recorded"
    local iterations=1000 halo
    [ "$mode" = quick ] && iterations=200
    load_trace halo-64 halo --ranks 64 --iterations "$iterations" || return 1
    halo=$run
    assign_row "assign_logical_steps, halo, 64 ranks x $iterations" 33.7
    load_trace allreduce-1024 allreduce --ranks 1024 --iterations 20 && assign_row "assign_logical_steps, collectives, 1024 ranks x 20" 111
    sql_row "all steps of the halo" '' '' "SELECT count(*) FROM perfhouse.logical_steps($halo)"
    sql_row "20 steps of 64 locations" 10 '' "SELECT count(*) FROM perfhouse.logical_steps($halo, 200, 220)"
    sql_row "20 steps of 64 locations, from the view" 20 '' \
        "SELECT count(*) FROM perfhouse.logical_event WHERE run_id = $halo AND step BETWEEN 200 AND 219"
    sql_row "messages of 20 steps" 10 '' "SELECT count(*) FROM perfhouse.logical_messages($halo, 200, 220)"
    sql_row "summary of all steps" '' '' "SELECT count(*) FROM perfhouse.step_summary($halo)"
    sql_row "clusters of a phase" '' '' "SELECT count(*) FROM perfhouse.step_clusters($halo, 5)"
    sql_row "trace_diff with itself" '' '' "SELECT count(*) FROM perfhouse.trace_diff($halo, $halo)"
    row "stored, an event" "$(sql_value "SELECT sum(length(places) + length(metrics) + length(causes) + length(ends)) / sum(n_events) FROM perfhouse.logical_chunk WHERE run_id = $halo")" \
        bytes '' ''
}

# ------------------------------------------------------------------------------------ traces in SQL
# least FILE COLUMN: of the rows of a file
least() { cut -d' ' -f"$2" "$1" | sort -g | head -1; }

# load_rounds ARCHIVE: bare reads, loads with and without logical steps by turns, so that what else the machine does
# meets all of them (blame has a row of its own, traces.sh); sets run, events, bare, peak
load_rounds()
{
    rm -f "$work"/round.*
    for _ in 1 2 3 4 5; do
        "$programs/yardstick_otf2" "$1/traces.otf2" 3 >> "$work/round.bare" &&
            run_measured "$perfhouse" load --json --if-exists replace --no-blame --no-logical-steps "$1" &&
            cat "$work/cost" >> "$work/round.plain" &&
            run_measured "$perfhouse" load --json --if-exists replace --no-blame "$1" &&
            cat "$work/cost" >> "$work/round.steps" || return 1
    done
    run=$(sed -n 's/.*"run_id": *\([0-9]*\).*/\1/p' "$work/out")
    events=$(least "$work/round.bare" 1)
    bare=$(least "$work/round.bare" 2)
}

# load_row WHAT ROUNDS LIMIT NOTE
load_row()
{
    local of=$work/round.$2
    row "$1" "$(calculate "$(least "$of" 2) / $bare")" 'x bare' "$3" \
        "CPU s: $(least "$of" 2)$4; wall $(least "$of" 1) s, $(($(least "$of" 3) / 1024)) MB; least of five"
}

# load_measured NAME ITERATIONS: a halo exchange of 64 ranks with its logical steps; sets run, events, bare
load_measured()
{
    local archive=$work/$1
    run=''
    "$programs/gen_trace" halo "$archive" --ranks 64 --iterations "$2" && load_rounds "$archive" || return 1
    load_row "load $events events, profile, messages, logical steps" steps "$(big "$events" && echo 4)" ", bare read $bare"
    load_row "the same without logical steps" plain '' ''
    query_ms "SELECT 1 FROM perfhouse.assign_logical_steps($run)"
    row "assign_logical_steps, in the server" "$(calculate "$cpu_ms / 1000 / $bare")" 'x bare' '' "$cpu_ms ms CPU"
    if command -v otf2-print > /dev/null && [ "$events" -lt 2000000 ] &&
        run_measured otf2-print "$archive/traces.otf2"; then
        row "otf2-print of the same" "$cpu" "CPU s" '' ''
    fi
    rm -rf "$archive"
}
big() { [ "$1" -gt 5000000 ]; }

# Every function on traces; budgets are judged on ten million events.
trace_rows()
{
    local window="perfhouse.events($run, duration / 2, duration / 2 + duration / 100, '{0,17,38,63}')"
    local of_trace="FROM perfhouse.trace t," by_chunk
    by_chunk="length(perfhouse_internal.region_profile(c.location_id, c.chunk_no, c.format, c.n_events, c.n_enter, c.n_message, c.first_seq, c.t_prev, c.t_first, c.t_last, c.stack, c.dt, c.kind, c.region, c.msg, c.extra, NULL, NULL)) FROM perfhouse.trace_chunk c WHERE c.run_id = $run"
    sql_row "window of 1 % of 4 locations, $events events" "$(big "$events" && echo 5)" '' \
        "SELECT count(*) $of_trace LATERAL $window e WHERE t.run_id = $run"
    sql_row "region profile, aggregate over chunks" "$(big "$events" && calculate "$bare * 1000 / 6")" "6 x the bare read" "SELECT $by_chunk"
    for call in "trace_profile($run)" "comm_matrix($run)" "message_histogram($run)" "comm_over_time($run)" \
        "comm_by_process($run)" "time_profile($run)" "idle($run)" "load_imbalance($run)" "collectives($run)" \
        "late_senders($run)" "critical_path($run)" "delay_costs($run)" "wait_states($run)" "messages($run)" "calls($run)" "events($run)" \
        "timeline($run)" "timeline_messages($run)"; do
        big "$events" && case $call in calls*|events*) continue ;; esac
        sql_row "$call" '' '' "SELECT count(*) FROM perfhouse.$call"
    done
}

# peak_of SQL: MB that a backend takes for it beside the stored chunks, which it has read before
peak_of()
{
    "$perfhouse" psql -- -X -qAt << END
SELECT length(perfhouse_internal.region_profile(c.location_id, c.chunk_no, c.format, c.n_events, c.n_enter, c.n_message, c.first_seq, c.t_prev, c.t_first, c.t_last, c.stack, c.dt, c.kind, c.region, c.msg, c.extra, NULL, NULL)) AS length FROM perfhouse.trace_chunk c WHERE c.run_id = $run \gset ignored_
SELECT substring(pg_read_file('/proc/self/status') FROM 'VmHWM:\s*(\d+)')::bigint AS before \gset
SELECT count(*) AS ignored FROM perfhouse.$1 \gset
SELECT (substring(pg_read_file('/proc/self/status') FROM 'VmHWM:\s*(\d+)')::bigint - :before) / 1024;
END
}

# Why the run took its time and what would help; memory is that of the calls that communicate.
replay_rows()
{
    local calls path_ms memory
    calls=$(sql_value "SELECT count(*) FROM perfhouse.calls($run) c WHERE c.region ~ '^MPI_'")
    query_ms "SELECT count(*) FROM perfhouse.critical_path($run)"
    path_ms=$cpu_ms
    query_ms "SELECT count(origin) FROM perfhouse.wait_states($run)"
    row "wait_states with origins, $events events" "$(calculate "$cpu_ms / $path_ms")" 'x path' 3 "$cpu_ms ms CPU, critical path $path_ms ms"
    sql_row "what_if, ideal network" 2000 '' "SELECT predicted_ns FROM perfhouse.what_if($run, '{\"network\": \"ideal\"}')"
    sql_row "opportunities" '' '' "SELECT count(*) FROM perfhouse.opportunities($run, 5)"
    sql_row "efficiency" '' '' "SELECT count(*) FROM perfhouse.efficiency($run)"
    sql_row "explain_run" '' '' "SELECT count(*) FROM perfhouse.explain_run($run)"
    memory=$(peak_of "what_if($run, '{\"network\": \"ideal\"}')")
    row "what_if, memory" "$(calculate "$memory * 1048576 / $calls")" 'B a call' 100 "$memory MB, $calls calls that communicate"
}

trace_queries()
{
    section "traces in SQL: halo of 64 ranks (CPU of the backend, mean of five; least mean of fifteen below $short_ms ms)"
    local sizes="43 430 4300" iterations
    [ "$mode" = quick ] && sizes="43 430"
    [ "$mode" = huge ] && sizes="43 430 4300 43000"
    for iterations in $sizes; do
        load_measured "sql-$iterations" "$iterations" && trace_rows
    done
    if big "$events"; then
        replay_rows
    fi
    python3 -c 'import pipit' 2> /dev/null || missing "pipit" "not installed" "set PYTHONPATH to a folder that has it"
}

# ------------------------------------------------------------------------------------------ history
history()
{
    section "a history of 1000 runs, 500 commits, 60 call paths (CPU of the backend, mean of five; least mean of fifteen below $short_ms ms)"
    "$perfhouse" psql -- -X -q -v ON_ERROR_STOP=1 -f "$here/history.sql" > "$work/out" 2>&1 ||
        { tail -3 "$work/out" >&2; return 1; }
    "$perfhouse" psql -- -X -q -c 'VACUUM ANALYZE perfhouse.region_summary' > "$work/out" 2>&1
    sql_row "history of one function" 5 '' "SELECT count(*) FROM perfhouse.history('bench history', 'bench function 7')"
    sql_row "change points of all functions" '' '' "SELECT count(*) FROM perfhouse.change_points('bench history')"
    sql_row "change points of all call paths" '' '' "SELECT count(*) FROM perfhouse.change_points('bench history', by => 'path')"
    sql_row "regressions and what explains them" '' '' "SELECT count(*) FROM perfhouse.find_regressions('bench history')"
    sql_row "two commits compared, by function" '' '' \
        "SELECT count(*) FROM perfhouse.compare_commits('bench history', left(md5('bench10'), 12), left(md5('bench400'), 12), by => 'function')"
}

# --------------------------------------------------------------------------------------- dashboards
# What dashboards ask of 10,000 runs; bench/warehouse.sql makes them. The budget is a second.
dashboards()
{
    local runs=10000 start run_filter="cluster = ''cluster1'' AND tag = ''release''"
    [ "$mode" = quick ] && runs=1000
    section "dashboards on $runs runs (CPU of the backend, mean of five; least mean of fifteen below $short_ms ms)"
    start=$(date +%s.%N)
    "$perfhouse" psql -- -X -q -v runs="$runs" -f "$here/warehouse.sql" > "$work/out" 2>&1 ||
        { tail -3 "$work/out" >&2; return 1; }
    row "making the warehouse" "$(calculate "$(date +%s.%N) - $start")" s '' ''
    sql_row "runs by application" 1000 '' "SELECT application, count(*) FROM perfhouse.run_overview GROUP BY 1"
    sql_row "list of runs, filtered and sorted" 1000 '' "SELECT run_id, title FROM perfhouse.run_overview
        WHERE run_id IN (SELECT perfhouse.runs_matching('$run_filter')) ORDER BY started_at DESC LIMIT 50"
    sql_row "list of runs, searched" 1000 '' "SELECT run_id, title FROM perfhouse.run_overview
        WHERE title ILIKE '%run 99%' ORDER BY started_at DESC LIMIT 50"
    sql_row "history of one function" 1000 '' "SELECT count(*) FROM perfhouse.history('fleet 3', 'MPI_Allreduce')"
    sql_row "change points of one application" 1000 '' "SELECT count(*) FROM perfhouse.change_points('fleet 3')"
    sql_row "new regressions" 1000 '' "SELECT count(*) FROM perfhouse.regression_overview WHERE state = 'new'"
    sql_row "slow nodes of a month" 1000 '' "SELECT host, avg(z) FROM perfhouse.host_residual('2025-12-01') GROUP BY 1"
    sql_row "node-hours lost in a month" 1000 '' "SELECT count(*) FROM perfhouse.lost_node_hours('2025-12-01')"
    sql_row "node-hours lost in a year" 4000 '' "SELECT count(*) FROM perfhouse.lost_node_hours()"
    sql_row "sizes of tables" 1000 '' "SELECT relname, pg_total_relation_size(oid) FROM pg_class
        WHERE relnamespace = 'perfhouse'::regnamespace AND relkind = 'r'"
    "$perfhouse" psql -- -X -q -v ON_ERROR_STOP=1 -f "$here/drop.sql" > "$work/out" 2>&1 || { tail -3 "$work/out" >&2; return 1; }
    short_ms=0 sql_row "drop_run, 10^7 events" 100 '' \
        "SELECT perfhouse.drop_run(min(run_id)) FROM perfhouse.run WHERE fingerprint LIKE 'bench drop %'"
}

# ------------------------------------------------------------------------------------------- months
# growth_row WHAT FROM TO CPU_FROM CPU_TO LIMIT [OF [UNIT]]: the exponent by which CPU time grows with runs or others
growth_row()
{
    local of=${7:-runs}
    row "$1 grows from $2 to $3 $of as $of ^" "$(calculate "log($5 / $4) / log($3 / $2)")" '' "$6" "$4 and $5 ${8:-ms} CPU"
}

# What functions cost over months, and histories, of warehouses of 10^4 and 10^5 runs of bench/warehouse.sql. Budgets are
# for the larger one.
months()
{
    local sizes="10000 100000" target have month_limit='' rolled_limit='' points_limit=''
    local month_before='' rolled_before='' points_before='' size_before=''
    # a month ends: other sections of the bench load runs of 10^5 regions, which were measured after it
    local top="SELECT name, sum(unit_hours) FROM perfhouse.function_costs('2025-12-01', '2026-01-01') GROUP BY 1 ORDER BY 2 DESC NULLS LAST, 1 LIMIT 20"
    local since="${top/, \'2026-01-01\'/}"
    local points="SELECT count(*) FROM perfhouse.change_points('fleet 3')"
    [ "$mode" = quick ] && sizes="1000 10000"
    section "months and histories (CPU of the backend, mean of five; least mean of fifteen below $short_ms ms)"
    for target in $sizes; do
        have=$(sql_value "SELECT count(*) FROM perfhouse.run WHERE application LIKE 'fleet %'")
        if [ "$have" -lt "$target" ]; then
            "$perfhouse" psql -- -X -q -v runs=$((target - have)) -v first="$have" -f "$here/warehouse.sql" > "$work/out" 2>&1 ||
                { tail -3 "$work/out" >&2; return 1; }
        fi
        [ "$target" = 100000 ] && month_limit=130 rolled_limit=20 points_limit=150
        sql_value "DELETE FROM perfhouse.run_month" > "$work/out" || return 1
        sql_row "top functions of a month, $target runs" "$month_limit" '' "$top"
        [ -n "$month_before" ] && growth_row "that" "$size_before" "$target" "$month_before" "$cpu_ms" 1.15
        month_before=$cpu_ms
        sql_row "change points of an application, no roll-up" '' '' "$points"
        sql_value "SELECT perfhouse.refresh_months()" > "$work/out" || return 1
        sql_value "ANALYZE perfhouse.run_month, perfhouse.region_month" > "$work/out" || return 1
        sql_row "top functions of a month, rolled up" "$rolled_limit" '' "$top"
        [ -n "$rolled_before" ] && growth_row "that" "$size_before" "$target" "$rolled_before" "$cpu_ms" 1.15
        rolled_before=$cpu_ms
        sql_row "the same of the month and all since then" '' '' "$since"
        sql_row "change points of an application, rolled up" "$points_limit" '' "$points"
        [ -n "$points_before" ] && growth_row "that" "$size_before" "$target" "$points_before" "$cpu_ms" 1.15
        points_before=$cpu_ms
        size_before=$target
        row "bytes of the roll-up, a run" "$(sql_value "SELECT (pg_total_relation_size('perfhouse.region_month') + pg_total_relation_size('perfhouse.run_month')) / $target")" \
            B '' "40 functions"
    done
}

# ------------------------------------------------------------------------------------ lists of runs
# What the start page asks, of 10^5 and of 10^6 runs that bench/run_list.sql makes: rows of a page, and their number.
page_of_runs()
{
    printf '%s' "SELECT count(o.title) + (SELECT c.runs FROM perfhouse.count_runs($2${2:+, }most => 1000) c)
        FROM perfhouse.list_runs($2${2:+, }page_size => 100, $1) l JOIN perfhouse.run_overview o USING (run_id)"
}

run_lists()
{
    local sizes="100000 900000" more limit=5 n
    [ "$mode" = quick ] && sizes="10000"
    section "lists of runs, a page of 100 and the count (CPU of the backend, mean of five; least mean of fifteen below $short_ms ms)"
    for more in $sizes; do
        "$perfhouse" psql -- -X -q -v runs="$more" -f "$here/run_list.sql" > "$work/out" 2>&1 || { tail -3 "$work/out" >&2; return 1; }
        n=$(ready_runs)
        sql_row "$n runs, the newest" "$limit" '' "$(page_of_runs '"order" => '\''-run_id'\' '')"
        sql_row "$n runs, by start" "$limit" '' "$(page_of_runs '"order" => '\''-started_at'\' '')"
        sql_row "$n runs, by total, from the middle" "$limit" '' \
            "$(page_of_runs '"order" => '\''total'\'', after => (SELECT max(run_id) - '$((n / 2))' FROM perfhouse.run)' '')"
        sql_row "$n runs of one application, by start" "$((limit * 2))" '' "$(page_of_runs '"order" => '\''-started_at'\' "application => 'list 3'")"
        sql_row "$n runs, searched by title" "$((limit * 4))" '' "$(page_of_runs '"order" => '\''-run_id'\' "search => 'RUN 1a2b'")"
        sql_row "$n runs, filtered by ranks" "$((limit * 2))" '' "$(page_of_runs '"order" => '\''-run_id'\' "filter => 'n_ranks > 64'")"
        limit=50
    done
}

# ------------------------------------------------------------------------------------ explanations
# explain_row WHAT LIMIT ARGUMENT...: CPU of the command and the server, which is what it takes where nothing else runs; the least of three
# after one that warms up
explain_row()
{
    local what=$1 limit=$2 least='' fastest='' before spent
    shift 2
    "$perfhouse" explain "$@" > "$work/out" 2>&1 || { tail -3 "$work/out" >&2; return 1; }
    for _ in 1 2 3; do
        before=$(settled_cpu)
        run_measured "$perfhouse" explain "$@" || return 1
        sleep 1 # for the last backend to be gone
        spent=$(calculate "$cpu + $(server_cpu) - $before")
        least=$(calculate "${least:-$spent} < $spent ? ${least:-$spent} : $spent")
        fastest=$(calculate "${fastest:-$wall} < $wall ? ${fastest:-$wall} : $wall")
    done
    row "$what" "$least" 'CPU s' "$limit" "command and server, least of three, warm; wall $fastest s"
}

# Why a run or a commit is slow, as people ask, beside 10^5 other runs.
explanations()
{
    local n=100000 have history="$root/tests/data/lulesh-history"
    [ "$mode" = quick ] && n=10000
    "$perfhouse" load --no-regressions --set application=lulesh --set-from-name 'lulesh-{commit}-n{ranks}-{repeat}.cali' \
        "$history"/*.cali "$root/tests/data/traces/lulesh-8" > "$work/out" 2>&1 || { tail -3 "$work/out" >&2; return 1; }
    have=$(ready_runs)
    if [ "$have" -lt "$n" ]; then
        "$perfhouse" psql -- -X -q -v runs=$((n - have)) -f "$here/run_list.sql" > "$work/out" 2>&1 || { tail -3 "$work/out" >&2; return 1; }
    fi
    sql_value "ANALYZE" > /dev/null # so that plans do not depend on how far autovacuum is
    section "explanations beside $(ready_runs) runs"
    explain_row "explain of a run" 1 "$(sql_value "SELECT min(run_id) FROM perfhouse.run WHERE commit_id = '3e01c40' AND n_ranks = 8")" &&
        explain_row "explain of a traced run" 1 "$(sql_value "SELECT max(run_id) FROM perfhouse.run_overview WHERE has_trace AND source LIKE '%lulesh-8%'")" &&
        explain_row "explain of two commits" 2 46c2a1d 3e01c40 &&
        explain_row "the same as a page with pictures" '' 46c2a1d 3e01c40 --format html
}
