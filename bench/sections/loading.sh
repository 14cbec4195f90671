# loading.sh - sections of the bench that load many runs or serve pages; bench/run has what they use.
# shellcheck shell=bash disable=SC2154

# --------------------------------------------------------------------------------------- small runs
# Runs of one code: the same tree, other times, and a renamed leaf here and there.
small_files()
{
    local folder=$1 count=$2 from=$3 i
    mkdir -p "$folder"
    for ((i = 0; i < count; i++)); do
        generate 60 4 3 "$((from + i))" cali > "$folder/$(printf 'run-%05d.cali' "$i")"
    done
}

ready_runs() { "$perfhouse" psql -- -X -At -c "SELECT count(*) FROM perfhouse.run WHERE state = 'ready'"; }

# CPU seconds of all backends that have ended so far.
server_cpu()
{
    awk -v hertz="$(getconf CLK_TCK)" '{ print ($16 + $17) / hertz }' \
        "/proc/$(head -1 "$PERFHOUSE_HOME/cluster/data/postmaster.pid")/stat"
}

# The same before a load is measured: the last backend is gone, and no autovacuum ends within that began before it.
settled_cpu()
{
    local i
    for ((i = 0; i < 60; i++)); do
        sleep 1
        [ "$(sql_value "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'autovacuum worker'")" = 0 ] && break
    done
    sleep 1 # for the backend that was asked
    server_cpu
}

small_runs()
{
    section "many small runs (60 nodes x 4 ranks each)"
    local count=1000 before after cpu_before total cores
    [ "$mode" = quick ] && count=200
    small_files "$work/small" "$count" 1
    before=$(ready_runs)
    cpu_before=$(settled_cpu)
    if run_measured "$perfhouse" load --jobs 4 "$work/small"; then
        sleep 1
        total=$(calculate "$cpu + $(server_cpu) - $cpu_before")
        cores=$(nproc)
        [ "$cores" -gt 4 ] && cores=4
        after=$(ready_runs)
        row_least "runs/s as CPU time allows on $cores cores" "$(calculate "$count * $cores / $total")" runs/s 500 \
            "$total CPU s of loader and server; Thicket: $recorded_thicket_files files/s serial, 134 parallel (recorded)"
        [ -n "${yardstick:-}" ] &&
            row_least "files a CPU second ÷ Thicket's" "$(calculate "$count / $total * $(carried_over "$(calculate "1 / $recorded_thicket_files")")")" x '' \
                "Thicket's serial $recorded_thicket_files files/s, by json-c's pace here"
        row_least "runs a CPU second of loader and server" "$(calculate "$count / $total")" runs 1000 \
            'four fifths of them have a leaf of their own name, so a call tree and labels of their own'
        row "the same by the clock" "$(calculate "$count / $wall")" runs/s '' "$count files in $wall s, 4 connections"
        row_least "runs loaded of $count" "$((after - before))" runs "$count" ''
    else
        row "runs/s, one loader with 4 connections" '' '' 1 'the load failed'
        return 1
    fi
    bytes_of_small_runs "$count"
}

warehouse_bytes()
{
    sql_value "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c
        WHERE c.relnamespace = 'perfhouse'::regnamespace AND c.relkind = 'r'"
}

# Of runs of one build: the second thousand, tables and indexes.
bytes_of_small_runs()
{
    local count=$1 before after
    small_files "$work/build1" "$count" 100001
    small_files "$work/build2" "$count" 200001
    find "$work/build1" "$work/build2" -name '*.cali' -exec sed -i -E 's/_v[0-9]+//' {} +
    "$perfhouse" load --jobs 4 "$work/build1" > "$work/out" 2>&1 || return 1
    before=$(warehouse_bytes)
    "$perfhouse" load --jobs 4 "$work/build2" > "$work/out" 2>&1 || return 1
    after=$(warehouse_bytes)
    row "bytes of a run of one build, tables and indexes" "$(calculate "($after - $before) / $count")" bytes 14000 ''
}

# cost_of_load FILE...: CPU seconds of loader and server, one connection
cost_of_load()
{
    local before
    before=$(settled_cpu)
    run_measured "$perfhouse" load --jobs 1 "$@" || return 1
    sleep 1
    echo "$(calculate "$cpu + $(server_cpu) - $before")"
}

# A profile of two ranks and three call paths with 2,000 counters.
many_metrics()
{
    awk 'BEGIN {
        n = 2000
        printf "{\"data\":["
        for (rank = 0; rank < 2; rank++)
            for (node = 0; node < 3; node++) {
                printf "%s[", rank + node == 0 ? "" : ","
                for (m = 0; m < n; m++) printf "%d,", m + node
                printf "%d,%d]", rank, node
            }
        printf "],\"columns\":["
        for (m = 0; m < n; m++) printf "\"counter%04d\",", m
        printf "\"mpi.rank\",\"path\"],\"column_metadata\":["
        for (m = 0; m <= n; m++) printf "{\"is_value\":true},"
        print "{\"is_value\":false}],\"nodes\":[{\"label\":\"main\",\"column\":\"path\"},"
        print "{\"label\":\"a\",\"column\":\"path\",\"parent\":0},{\"label\":\"b\",\"column\":\"path\",\"parent\":0}]}"
    }'
}

# Runs of one tree that nobody knows yet. What the first takes beyond the third of three runs, which finds all its
# call paths known to its loader, is the interning, with that of the tree and the start of a process.
dictionary()
{
    section "call paths that are new (100,000, one rank; least of three)"
    local round i entries=0
    rm -f "$work"/entries.*
    for round in 1 2 3; do
        generate 100000 1 $((500 + round)) 1 json-split > "$work/entries-0.json"
        for i in 1 2 3; do
            sed "4s/\\[[0-9.]*/[$i.5/" "$work/entries-0.json" > "$work/entries-$i.json"
        done
        i=$(sql_value "SELECT (SELECT count(*) FROM perfhouse.callpath) + (SELECT count(*) FROM perfhouse.region)")
        cost_of_load "$work/entries-0.json" >> "$work/entries.new" || return 1
        entries=$(sql_value "SELECT (SELECT count(*) FROM perfhouse.callpath) + (SELECT count(*) FROM perfhouse.region) - $i")
        cost_of_load "$work/entries-1.json" >> "$work/entries.one" || return 1
        cost_of_load "$work/entries-2.json" "$work/entries-3.json" >> "$work/entries.two" || return 1
    done
    row "interning, a call path or region" \
        "$(calculate "($(least "$work/entries.new" 1) - $(least "$work/entries.two" 1) + $(least "$work/entries.one" 1)) / $entries * 1e6")" \
        us 8 "$entries new; a run of them $(least "$work/entries.new" 1) CPU s of loader and server, known $(least "$work/entries.one" 1)"
    many_metrics > "$work/entries-metrics.json"
    row "a new metric, of a run of 2,000" "$(calculate "$(cost_of_load "$work/entries-metrics.json") / 2000 * 1e6")" us 200 'all of the load'
    rm -f "$work"/entries*
}

# What a member's load takes while projects are on, when PostgreSQL refuses COPY and rows come by INSERT, beside the same with projects off.
# Each round has files of its own, the same for both but for their numbers.
projects()
{
    section "loads of a project's member, beside those without projects (least of three)"
    local round state loader name
    loader="$("$perfhouse" up | grep -o "host='[^']*' port=[0-9]*") dbname=perfhouse user=bench_member"
    sql_value "CREATE ROLE bench_member LOGIN IN ROLE perfhouse_loader" > /dev/null
    rm -f "$work"/project-*.cost
    for round in 1 2 3; do
        for state in off on; do
            generate 10000 64 $((700 + round)) 1 json-split > "$work/project.json"
            [ $state = on ] && sed -i "4s/\[[0-9.]*/[1.5/" "$work/project.json"
            rm -rf "$work/project"
            small_files "$work/project" 200 "$((300000 + round * 1000 + ${#state} * 200))"
            [ $state = off ] || "$perfhouse" projects enable > "$work/out" 2>&1 || return 1
            for name in project.json project; do
                cost_of_load --db "$loader" "$work/$name" >> "$work/project-$name-$state.cost" || return 1
            done
            [ $state = off ] || "$perfhouse" projects disable > "$work/out" 2>&1 || return 1
        done
    done
    for name in project.json project; do
        row "$([ $name = project ] && echo '200 small runs' || echo '10,000 call paths x 64 ranks'), loader + server CPU" \
            "$(calculate "$(least "$work/project-$name-on.cost" 1) / $(least "$work/project-$name-off.cost" 1)")" x 1.5 \
            "$(least "$work/project-$name-on.cost" 1) s instead of $(least "$work/project-$name-off.cost" 1)"
    done
    rm -rf "$work"/project*
}

concurrent_loaders()
{
    section "8 loaders at once, one connection each"
    local each=60 i before after failures=0 pids=()
    [ "$mode" = quick ] && each=20
    for i in 0 1 2 3 4 5 6 7 8; do small_files "$work/crowd$i" "$each" "$((10000 + i * 1000))"; done
    run_measured "$perfhouse" load --jobs 1 "$work/crowd8" || return 1
    local one=$wall start end
    before=$(ready_runs)
    start=$EPOCHREALTIME
    for i in 0 1 2 3 4 5 6 7; do
        "$perfhouse" load --jobs 1 "$work/crowd$i" > "$work/crowd$i.out" 2> "$work/crowd$i.err" &
        pids+=($!)
    done
    for i in "${pids[@]}"; do wait "$i" || failures=$((failures + 1)); done
    end=$EPOCHREALTIME
    after=$(ready_runs)
    local deadlocks
    deadlocks=$(cat "$work"/crowd?.err | grep -c -i deadlock)
    row_least "total rate ÷ one loader's" "$(calculate "8 * $one / ($end - $start)")" x 1.5 \
        "8 x $each files in $(calculate "$end - $start") s, one loader $each in $one s, $(nproc) cores"
    row_least "runs loaded of $((8 * each))" "$((after - before))" runs "$((8 * each))" \
        "$failures loaders failed, $deadlocks deadlocks"
}

# ------------------------------------------------------------------------------ injected regressions
injected_value() { awk -F'\t' -v n="$1" '$1 == n { print $2 }' "$work/injected"; }

# Whole histories from git to the search, in a warehouse of their own.
injected()
{
    section "regressions injected into simulated histories, beside Otava's method (every path that got slower)"
    PERFHOUSE=$perfhouse perl "$here/regressions.pl" "$mode" > "$work/injected" 2> "$work/err" || { tail -3 "$work/err" >&2; return 1; }
    local note
    note="$(injected_value simulations) histories, $(injected_value series) call paths, 4 kinds of noise, $(injected_value injected) injected (3 to 20 sd)"
    row_least "recall" "$(injected_value recall)" '' 0.95 "$note; Otava $(injected_value 'otava recall')"
    row_least "precision: right path and commit of all reported" "$(injected_value precision)" '' 0.85 "Otava $(injected_value 'otava precision')"
    row "false ones" "$(injected_value false)" '' '' "Otava $(injected_value 'otava false')"
    row "callers reported besides" "$(injected_value 'not the smallest')" '' '' ''
    row "measured commits until found, median (2 runs each)" "$(injected_value 'median delay')" commits 3 "at most $(injected_value 'largest delay')"
}

# ------------------------------------------------------------------------------------------- serve
# Requests to `perfhouse serve` over loopback: rates, the slowest hundredth, memory over very many.
http_row()
{
    local what=$1 n=$2 limit=$3
    shift 3
    if ! "$programs/bench_http" "$port" 8 "$n" "$@" > "$work/http"; then
        row "$what" '' ms "$limit" ''
        return
    fi
    read -r seconds rate median worst longest bad failed < "$work/http"
    row "$what, 99th percentile" "$worst" ms "$limit" "$rate requests/s, median $median, longest $longest ms, $((bad + failed)) failed"
}
resident() { awk '/^VmRSS/ { print $2 }' "/proc/$1/status"; }

# start_serving: sets pid and port; false, with a row that says why, when it does not start
start_serving()
{
    port=''
    : > "$work/serve" # what the server before it said is not this one's
    "$perfhouse" serve --port 0 --cache "$work/cache" > "$work/serve" 2>&1 &
    pid=$!
    for _ in $(seq 100); do
        port=$(sed -nE 's/.* serves .*:([0-9]+)\/.*/\1/p' "$work/serve")
        [ -z "$port" ] || return 0
        sleep 0.1
    done
    row "perfhouse serve" '' '' 1 "$(tail -1 "$work/serve")"
    return 1
}

serving()
{
    section "serve: 8 clients at once, $(ready_runs) runs"
    local pid port run before after n=20000
    [ "$mode" = quick ] && n=5000
    [ "$mode" = huge ] && n=100000
    start_serving || return 0
    run=$(sql_value "SELECT max(run_id) FROM perfhouse.run_overview WHERE n_nodes < 2000")
    http_row "a page and its parts" 20000 50 / /static/base.css
    http_row "the list of runs" 300 1000 /api/runs
    http_row "one run" 2000 200 "/api/run/$run"
    http_row "a super graph as SVG" 500 1000 "/view/sankey.svg?run=$run"
    http_row "a super graph as PNG" 100 2000 "/view/sankey.png?run=$run"
    before=$(resident $pid)
    http_row "$n mixed requests" "$n" '' / "/api/run/$run" "/view/sankey.svg?run=$run" /static/base.css \
        "/view/flame.svg?run=$run" "/api/runs?limit=5" "/view/histogram.svg?run=$run" "/run/$run"
    after=$(resident $pid)
    row "memory after them" "$(calculate "$after / $before")" x 1.1 "$((after / 1024)) MB"
    kill $pid
    wait $pid || true # it was stopped
}

# Wide runs: what shows no rank must not grow with their number, and what does only by the values that are read.
# one_client VIEW[&OPTION=VALUE] RUN: ms of a request, median of five that differ in their width, so that none is answered by a cache
one_client()
{
    local width name=${1%%&*}
    for width in 901 902 903 904 905; do
        curl -s -o /dev/null -w '%{http_code} %{time_total}\n' "http://localhost:$port/view/$name.svg?run=$2&width=$width${1#"$name"}"
    done | awk '$1 == 200 { print $2 * 1000 }' | sort -g | sed -n 3p
}

# hundred_clients WHAT PATH: the same page again and again
hundred_clients()
{
    local rate worst
    "$programs/bench_http" "$port" 1 1 "$2" > "$work/http" # so that it is known
    "$programs/bench_http" "$port" 100 5000 "$2" > "$work/http" || true
    read -r _ rate _ worst _ < "$work/http"
    row_least "$1, 100 clients, warm" "$rate" requests/s 500 ''
    row "the same, 99th percentile" "$worst" ms 300 ''
}

# what is stored and read of a wide run
wide_values()
{
    local size="SELECT sum(octet_length(bytes))::float8 / $1 / $2 FROM perfhouse.value_block WHERE run_id = $run"
    row "bytes a cell, $1 x $2" "$(sql_value "$size")" B 2.6 'blocks of values, without their rows and indexes'
    sql_row "profile(run), $1 x $2" "$([ "$2" = 1024 ] && echo 60)" '' \
        "SELECT count(*) FROM perfhouse.metrics(perfhouse.profile($run))"
    sql_row "one node over its ranks" 3 '' "SELECT count(*) FROM perfhouse_internal.node_row($run,
        (SELECT metric_ids[1] FROM perfhouse.run WHERE run_id = $run), $(($1 / 2)))"
    sql_row "explain_run, $1 x $2" 1000 '' "SELECT count(*) FROM perfhouse.explain_run($run)"
    sql_row "of these who made others wait" '' '' "SELECT count(*) FROM perfhouse_internal.explain_waits($run)"
}

wide_pictures()
{
    local pid port ranks view widths="64 256 1024" nodes=10000 limit time narrow=''
    [ "$mode" = quick ] && widths="64 256" nodes=3000
    section "pictures of runs of $nodes nodes: ms of one client, nothing cached"
    command -v curl > /dev/null || { missing "everything" "-" "curl is not installed"; return 0; }
    start_serving || return 0
    for ranks in $widths; do
        load_json_split "$nodes" "$ranks" 1 0 || return 1
        wide_values "$nodes" "$ranks"
        for view in 'sankey&bins=0' flame sankey histogram box cct processes; do
            case $view in *bins=0 | flame) limit=150 ;; cct | processes) limit=2000 ;; *) limit=300 ;; esac
            time=$(one_client "$view" "$run")
            row "$view, $nodes x $ranks" "$time" ms "$limit" ''
            [ "$view" = 'sankey&bins=0' ] || continue
            [ -z "$narrow" ] || row "that ÷ the same of 64 ranks" "$(calculate "$time / $narrow")" x 1.5 ''
            narrow=${narrow:-$time}
        done
        hundred_clients "sankey, $nodes x $ranks" "/view/sankey.svg?run=$run"
    done
    kill $pid
    wait $pid || true # it was stopped
}

# -------------------------------------------------------------------------------------- disjoint ranks
# Coupled codes and tasks: each rank has 10 call paths that no other has, below a main that all have.
disjoint_file()
{
    awk -v ranks="$1" 'BEGIN {
        print "{\n\"data\": ["
        for (r = 0; r < ranks; r++) {
            printf "%s[1.5,%d,0]", r == 0 ? "" : ",\n", r
            for (k = 0; k < 10; k++) printf ",\n[%.6f,%d,%d]", 0.01 * (k + 1) + r % 7, r, 1 + r * 10 + k
        }
        print "\n],\n\"columns\": [\"sum#time.duration\",\"mpi.rank\",\"path\"],"
        print "\"column_metadata\": [{\"is_value\":true},{\"is_value\":true},{\"is_value\":false}],"
        printf "\"nodes\": [\n{\"label\":\"main\",\"column\":\"path\"}"
        for (r = 0; r < ranks; r++)
            for (k = 0; k < 10; k++)
                printf ",\n{\"label\":\"r%d_%d\",\"column\":\"path\",\"parent\":%d}", r, k,
                    k % 3 == 0 ? 0 : r * 10 + k
        printf "\n],\n\"mpi.world.size\": \"%d\"\n}\n", ranks
    }'
}

# ms and MB of its own of a backend that makes a run's profile and lists its nodes.
backend_cost()
{
    "$perfhouse" psql -- -X -qAt << END
SELECT extract(epoch FROM clock_timestamp()) * 1000 AS start \gset
SELECT count(*) FROM perfhouse.nodes(perfhouse.profile($1)) \gset
SELECT round(extract(epoch FROM clock_timestamp()) * 1000 - :start),
       substring(pg_read_file('/proc/self/status') FROM 'VmHWM:\s*(\d+)')::bigint / 1024;
END
}

disjoint_ranks()
{
    section "ranks with 10 call paths of their own each"
    local sizes="1000 2000 4000" ranks first='' memory last ms used before total
    [ "$mode" = quick ] && sizes="500 1000"
    [ "$mode" = huge ] && sizes="4000 100000"
    for ranks in $sizes; do
        disjoint_file "$ranks" > "$work/disjoint.json"
        before=$(settled_cpu)
        run_measured "$perfhouse" load --json "$work/disjoint.json" || return 1
        sleep 1
        total=$(calculate "$cpu + $(server_cpu) - $before")
        memory=$(calculate "100 * ($ranks > 4000 ? $ranks / 4000 : 1)")
        row "$ranks ranks, loader's peak memory" "$((peak / 1024))" MB "$memory" "$cpu CPU s, $total with the server, $wall s wall"
        IFS='|' read -r ms used <<< "$(backend_cost "$(run_id_of)")"
        row "$ranks ranks, backend's peak memory" "$used" MB "$memory" "profile and its nodes in $ms ms"
        [ -n "$first" ] || first="$ranks $total"
        last="$ranks $total"
    done
    row "growth of CPU of loader and server: exponent" "$(echo "$first $last" | awk '{ print log($4 / $2) / log($3 / $1) }')" '' 1.3 \
        "from ${sizes%% *} to ${sizes##* } ranks; 1 is linear"
}
