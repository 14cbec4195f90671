# cancel.sh - section of the bench on cancelled queries; bench/run has what it uses.
# shellcheck shell=bash disable=SC2154

# Functions that take a profile, a super graph or a run and that bench/cancel.txt does not name.
unnamed_functions()
{
    "$perfhouse" psql -- -X -q -At << 'END' | while read -r name; do
SELECT DISTINCT proname FROM pg_proc p WHERE pronamespace = 'perfhouse'::regnamespace AND prokind = 'f'
    AND pg_get_function_arguments(p.oid) ~ '\m(profile|supergraph)\M|\mrun bigint\M' ORDER BY 1;
END
        grep -qE "^\"?$name\"?\(|^not: (.* )?$name( |\$)" "$here/cancel.txt" || echo "$name"
    done
}

# cancel_statements MS: every call of bench/cancel.txt, cancelled after so many ms
cancel_statements()
{
    local call
    printf 'SET search_path = perfhouse, public;\n\\set run %s\n\\set trace %s\n\\set tasks %s\n' "$run" "$trace" "$tasks"
    printf 'SELECT callpath_id AS path FROM nodes(profile(:run)) LIMIT 1 \\gset\n'
    printf 'SET statement_timeout = %s;\n\\timing on\n' "$1"
    grep -v -e '^#' -e '^not:' "$here/cancel.txt" | while IFS= read -r call; do
        printf '\\echo @ %s\nSELECT count(x) FROM (SELECT %s AS x FROM public.cancelled OFFSET 0) y;\n' "${call//\'/}" "$call"
    done
}

# generate_tasks ROWS: as many rows of tasks as steps, each after the one above it and its neighbour.
generate_tasks()
{
    awk -v n="$1" 'BEGIN {
        print "{\"type\": \"tasks\", \"version\": 1, \"model\": \"ompss\", \"time_unit\": \"us\"}"
        for (p = 0; p < 8; p++) printf "{\"type\": \"processor\", \"id\": %d, \"name\": \"worker %d\"}\n", p, p
        for (i = 0; i < n; i++) printf "{\"type\": \"entity\", \"id\": \"row %d\", \"class\": \"Row\", \"index\": [%d]}\n", i, i
        for (id = 0; id < n * n; id++) {
            i = id % n
            begin = 10 * (int(id / n) * int(n / 8 + 1) + int(i / 8))
            after = id < n ? "" : sprintf(", \"after\": [%d, %d]", id - n, i == 0 ? id - n + 1 : id - n - 1)
            printf "{\"type\": \"block\", \"id\": %d, \"processor\": %d, \"entity\": \"row %d\", \"entry\": \"relax\", \"begin\": %d, \"end\": %d%s}\n", id, i % 8, i, begin, begin + 9, after
        }
        print "{\"type\": \"end\"}" }'
}

cancel_inputs()
{
    local nodes=100000 ranks=64 iterations=300 rows=300 steps
    [ "$mode" = quick ] && nodes=20000 ranks=16 iterations=50 rows=100
    generate_tasks "$rows" > "$work/cancelled.jsonl" && generate "$nodes" "$ranks" 1 0 json-iterations > "$work/cancelled.json" &&
        run_measured "$perfhouse" load --json "$work/cancelled.json" && steps=$(run_id_of) && rm "$work/cancelled.json" &&
        run_measured "$perfhouse" load --json "$work/cancelled.jsonl" && tasks=$(run_id_of) &&
        "$programs/gen_trace" halo "$work/cancelled" --ranks 256 --iterations "$iterations" &&
        run_measured "$perfhouse" load --json "$work/cancelled" && trace=$(run_id_of) &&
        load_json_split "$nodes" "$ranks" 1 2 && other=$run && load_json_split "$nodes" "$ranks" 1 0 &&
        "$perfhouse" psql -- -X -q -v ON_ERROR_STOP=1 << END
SET search_path = perfhouse, public;
CREATE TABLE public.cancelled AS SELECT p, q, supergraph(p) AS sg, supergraph(p, 'function') AS fg, supergraph(p, 'node') AS ng,
    (SELECT ensemble(CASE WHEN n % 2 = 0 THEN p ELSE q END, n::text) FROM generate_series(1, 8) n) AS e,
    profile($steps, 'time', iterations => true) AS i
FROM (SELECT profile($run) AS p, profile($other) AS q) r;
END
}

# The budget is for a machine that does nothing else: other work delays every answer.
cancel()
{
    section "queries that are cancelled: ms until they end"
    local after times="30 100 300 1000" trace='' tasks='' other='' latest failed=0
    cancel_inputs || return 1
    row "functions that are not tried" "$(unnamed_functions | wc -l)" '' 0.5 "$(unnamed_functions | tr '\n' ' ')"
    for after in $times; do
        cancel_statements "$after" | "$perfhouse" psql -- -X -q 2>&1 |
            awk -v after="$after" '/^@ /{ call = substr($0, 3) } /canceling statement/{ cancelled = 1 }
                /^Time: /{ if (cancelled && $2 - after > worst) { worst = $2 - after; what = call } n += cancelled; cancelled = 0 }
                /ERROR/ && !/canceling statement/{ print "bench: " call ": " $0 > "/dev/stderr"; failed++ }
                END { printf "%.0f %d %d %s\n", worst, n, failed, what }' > "$work/latest"
        failed=$((failed + $(cut -d' ' -f3 "$work/latest")))
        latest=$(cut -d' ' -f1 "$work/latest")
        row "after $after ms: the latest" "$latest" ms 1000 "of $(cut -d' ' -f2 "$work/latest") cancelled: $(cut -d' ' -f4- "$work/latest")"
    done
    row "calls that are refused" "$failed" '' 0.5 ''
    "$perfhouse" psql -- -X -q -c 'DROP TABLE public.cancelled'
}
