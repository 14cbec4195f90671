# peers.sh - the peers beside perfhouse, in one run, on the same files; bench/run has what it uses.
# shellcheck shell=bash disable=SC2154

peer_python=$build/peers/bin/python3
[ -x "$peer_python" ] || peer_python=python3

# ask_peer NAME FILE...: leaves its steps in $work/asked; without the peer says so, and answers no
ask_peer()
{
    "$peer_python" "$here/peers/ask.py" "$@" > "$work/asked" 2> "$work/err" && return
    if [ $? = 3 ]; then
        missing "$1" "not installed" "make bench-peers installs it; its recorded figures are in other sections"
    else
        row "$1" '' '' 1 "failed: $(tail -1 "$work/err")"
    fi
    return 1
}
asked() { awk -F'\t' -v n="$1" '$1 == n { print $2 }' "$work/asked"; }

# load_cost FILE...: CPU seconds of loader and server; sets cost
load_cost()
{
    local before
    before=$(settled_cpu)
    run_measured "$perfhouse" load --json --jobs 1 --if-exists append "$@" || return 1
    sleep 1
    cost=$(calculate "$cpu + $(server_cpu) - $before")
}

# beside WHAT OURS THEIRS PEER LIMIT: CPU seconds of both, and their ratio against the budget; small inputs are not judged
beside()
{
    local limit=$5
    [ "$mode" = quick ] && limit=''
    row "$1" "$(calculate "$2 / $3")" x "$limit" "perfhouse $2, $4 $3 CPU s"
}

# beside_sql WHAT THEIRS PEER LIMIT QUERY: nothing under the floor of 20 ms is compared
beside_sql()
{
    query_ms "$5" || { row "$1" '' '' 1 'the query failed'; return; }
    if awk "BEGIN { exit !($2 < 0.02) }"; then
        row "$1" "$(calculate "$cpu_ms / 1000")" 'CPU s' '' "$3 $2 CPU s: under the floor"
    else
        beside "$1" "$(calculate "$cpu_ms / 1000")" "$2" "$3" "$4"
    fi
}

beside_hatchet()
{
    local nodes=10000 ranks=64 a=$work/hatchet-a.json b=$work/hatchet-b.json before after
    [ "$mode" = quick ] && nodes=2000 ranks=16
    generate "$nodes" "$ranks" 1 0 json-split > "$a"
    generate "$nodes" "$ranks" 1 1 json-split > "$b"
    ask_peer hatchet "$a" "$b" || return 0
    load_cost "$a" && before=$(run_id_of) && load_cost "$a" "$b" && after=$(run_id_of_last) || return 1
    beside "load two of $nodes x $ranks, loader + server" "$cost" "$(asked load)" Hatchet 0.04
    beside_sql "statistics of all nodes" "$(asked statistics)" Hatchet '' \
        "SELECT count(*) FROM perfhouse.node_statistics(perfhouse.profile($before))"
    beside_sql "difference" "$(asked difference)" Hatchet '' \
        "SELECT count(*) FROM perfhouse.metrics(perfhouse.diff(perfhouse.profile($before), perfhouse.profile($after)))"
    rm -f "$a" "$b"
}
run_id_of_last() { sed -n 's/.*"run_id" *: *\([0-9][0-9]*\).*/\1/p' "$work/out" | tail -1; }

beside_thicket()
{
    local count=400 i # the start of a load and of its backend, 0.1 s, is not what a file costs
    [ "$mode" = quick ] && count=40
    mkdir -p "$work/thicket"
    for ((i = 0; i < count; i++)); do generate 60 4 3 "$i" json-split > "$work/thicket/run-$i.json"; done
    ask_peer thicket "$work"/thicket/*.json || return 0
    load_cost "$work"/thicket/*.json || return 1
    beside "load $count of 60 x 4, loader + server" "$cost" "$(asked load)" Thicket 0.04
    beside_sql "statistics over runs" "$(asked statistics)" Thicket '' \
        "SELECT count(*) FROM perfhouse.nodes((SELECT perfhouse.mean(perfhouse.profile(run_id)) FROM (SELECT run_id FROM perfhouse.run ORDER BY run_id DESC LIMIT $count) r))"
    rm -rf "$work/thicket"
}

beside_otava()
{
    local points=10000
    [ "$mode" = quick ] && points=2000
    awk -v n="$points" 'BEGIN { srand(1); for (i = 0; i < n; i++) {
        noise = 0; for (k = 0; k < 12; k++) noise += rand()
        print 100 + (i > n * 0.4 ? 10 : 0) + (i > n * 0.8 ? 7 : 0) + 3 * (noise - 6) } }' > "$work/points"
    ask_peer otava "$work/points" || return 0
    "$perfhouse" psql -- -X -q -c 'CREATE TABLE IF NOT EXISTS public.bench_points (value float8)' \
        -c 'TRUNCATE public.bench_points' -c "\\copy public.bench_points FROM '$work/points'" > /dev/null || return 1
    beside_sql "change points of $points values" "$(asked points)" Otava 0.1 \
        "SELECT count(*) FROM perfhouse.change_point_indexes((SELECT array_agg(value) FROM public.bench_points))"
}

# duckdb_cells WHICH RUN: the run's cells and nodes, as a general engine would have them
duckdb_cells()
{
    local graph="perfhouse.supergraph(perfhouse.profile($2), 'module')"
    "$perfhouse" psql -- -X -q -v ON_ERROR_STOP=1 > "$work/out" 2> "$work/err" \
        -c "CREATE TEMP TABLE n AS SELECT node, parent, callpath_id FROM perfhouse.nodes(perfhouse.profile($2))" \
        -c "CREATE TEMP TABLE m AS SELECT cct_node, node AS supernode FROM perfhouse.members($graph)" \
        -c "\\copy (SELECT n.node, n.callpath_id, m.supernode, p.supernode, p.supernode IS DISTINCT FROM m.supernode FROM n JOIN m ON m.cct_node = n.node LEFT JOIN m p ON p.cct_node = n.parent) TO '$work/cells/nodes-$1.csv' CSV" \
        -c "\\copy (SELECT n.node, v.block * 4096 + i.place - 1, i.exclusive * 1e6, i.inclusive * 1e6 FROM n JOIN perfhouse.profile_values v ON v.run_id = $2 AND v.callpath_id = n.callpath_id, unnest(v.exclusive, v.inclusive) WITH ORDINALITY i (exclusive, inclusive, place) WHERE i.inclusive IS NOT NULL) TO '$work/cells/cells-$1.csv' CSV"
}

# at_least QUESTION QUERY ANSWER: how many times as fast as DuckDB, both one thread's CPU, and whether the answers agree
at_least()
{
    local theirs answer note least=3
    [ "$mode" = quick ] && least=''
    query_ms "$2" || { row "$1" '' '' 1 'the query failed'; return; }
    theirs=$(calculate "$(asked "$1") * 1000")
    answer=$(sql_value "SELECT 1e6 * ($3)")
    note="perfhouse $cpu_ms ms CPU, $wall_ms wall, DuckDB $theirs ms CPU"
    if awk "BEGIN { a = $answer; b = $(told "$1"); exit !(a - b <= 1e-9 * b && b - a <= 1e-9 * b) }"; then
        row_least "$1, times as fast as DuckDB" "$(calculate "$theirs / $cpu_ms")" x "$least" "$note"
    else
        row "$1" '' '' 1 "$note; the answers are $answer and $(told "$1")"
    fi
}
told() { awk -F'\t' -v n="$1" '$1 == n { print $3 }' "$work/asked"; }

beside_duckdb()
{
    local nodes=10000 ranks=1024 which a b metric ours bytes=2.6 share=0.6
    [ "$mode" = quick ] && nodes=2000 ranks=64 bytes='' share=''
    for which in 0 1; do generate "$nodes" "$ranks" 1 "$which" json-split > "$work/cells-$which.json"; done
    load_cost --module-map "$work/modules" "$work/cells-0.json" "$work/cells-1.json" || return 1
    a=$(run_id_of) b=$(run_id_of_last)
    rm -f "$work"/cells-?.json
    mkdir -p "$work/cells"
    "$peer_python" -c 'import duckdb' 2> /dev/null || { missing DuckDB "not installed" "make bench-peers installs it"; return 0; }
    duckdb_cells a "$a" && duckdb_cells b "$b" && ask_peer duckdb "$work/cells" || return 1
    ours=$(sql_value "SELECT round(sum(octet_length(bytes)) / ($nodes.0 * $ranks), 3) FROM perfhouse.value_block WHERE run_id = $a")
    row "bytes a cell of $nodes x $ranks" "$ours" B "$bytes" "inclusive and exclusive, decimals"
    row "that ÷ DuckDB's" "$(calculate "$ours / $(told load)")" x "$share" "DuckDB $(told load)"
    local one="perfhouse.profile($a)" graph="perfhouse.supergraph(perfhouse.profile($a), 'module')"
    local diff="perfhouse.nodes_diff(perfhouse.diff($one, perfhouse.profile($b)))"
    metric=$(sql_value "SELECT metric_ids[1] FROM perfhouse.run WHERE run_id = $a")
    local row="perfhouse_internal.node_row($a, $metric, 500)"
    at_least nodes "SELECT count(*) FROM perfhouse.nodes($one)" "SELECT sum(abs(exclusive)) FROM perfhouse.nodes($one)"
    at_least statistics "SELECT count(*) FROM perfhouse.node_statistics($one, 'exclusive')" \
        "SELECT sum(abs(upper_quartile)) FROM perfhouse.node_statistics($one, 'exclusive')"
    at_least supernodes "SELECT count(*) FROM perfhouse.supernodes($graph)" \
        "SELECT sum(abs(inclusive_max)) FROM perfhouse.supernodes($graph)"
    at_least edges "SELECT count(*) FROM perfhouse.superedges($graph)" "SELECT sum(abs(inclusive)) FROM perfhouse.superedges($graph)"
    at_least difference "SELECT count(*) FROM $diff" "SELECT sum(abs(delta_exclusive)) FROM $diff"
    query_ms "SELECT * FROM $row" && row "one node over its ranks" "$wall_ms" "ms wall" 3 \
        "with its $ranks rows to the client; DuckDB $(calculate "$(asked node) * 1000") ms CPU in process"
    rm -rf "$work/cells"
}

# hta_row WHAT STEP EXPRESSION QUERY: CPU of both, and whether the numbers (µs, rounded) are the same
hta_row()
{
    local answer
    answer=$(sql_value "SELECT $3 FROM $4") || return 1
    if [ "$answer" = "$(told "$2")" ]; then
        beside_sql "$1" "$(asked "$2")" HTA 0.5 "SELECT count(*) FROM $4"
    else
        row "$1" '' '' 1 "the answers are $answer and $(told "$2")"
    fi
}

# A trace of PyTorch's profiler, which both read.
beside_hta()
{
    local kernels=200000 run
    [ "$mode" = quick ] && kernels=20000
    python3 "$here/peers/kineto.py" "$kernels" > "$work/kineto.json" || return 1
    ask_peer hta "$work/kineto.json" || { rm -f "$work/kineto.json"; return 0; }
    load_cost "$work/kineto.json" && run=$(run_id_of) || return 1
    beside "load of a trace of $((kernels * 3)) spans, loader + server" "$cost" "$(asked load)" HTA 0.5
    hta_row "what devices did" breakdown "round(sum(compute) / 1e3) || ' ' || round(sum(idle) / 1e3)" "perfhouse.gpu_activity($run)"
    hta_row "why streams were idle" idle \
        "round(sum(host_wait) / 1e3) || ' ' || round(sum(launch_gap) / 1e3) || ' ' || round(sum(other) / 1e3)" "perfhouse.gpu_idle($run)"
    hta_row "kernels" kernels "round(sum(total) / 1e3)" "perfhouse.kernels($run)"
    rm -f "$work/kineto.json"
}

beside_trace_processor()
{
    local shell run
    shell=$(command -v trace_processor_shell) ||
        { missing "Perfetto's trace_processor" skipped "in no package registry (PyPI's perfetto fetches it): put trace_processor_shell on PATH"; return 0; }
    "$programs/gen_trace" ring "$work/ring" --ranks 16 --iterations 1000 && load_cost "$work/ring" || return 1
    run=$(run_id_of)
    "$perfhouse" export "$run" --format chrome -o "$work/chrome.json" &&
        echo 'SELECT name, sum(dur) FROM slice GROUP BY name;' > "$work/slices.sql" || return 1
    run_measured "$shell" -q "$work/slices.sql" "$work/chrome.json" || { row "trace_processor" '' '' 1 'failed'; return 0; }
    beside_sql "time by function of a trace" "$cpu" trace_processor 0.1 "SELECT count(*) FROM perfhouse.time_profile($run, 1)"
    rm -rf "$work/ring" "$work/chrome.json"
}

peers()
{
    section "peers beside, in this run: perfhouse's CPU ÷ theirs"
    beside_duckdb && beside_hatchet && beside_thicket && beside_otava && beside_hta && beside_trace_processor
}
