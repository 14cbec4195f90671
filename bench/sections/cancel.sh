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
    printf 'SET search_path = perfhouse, public;\n\\set run %s\n\\set trace %s\nSET statement_timeout = %s;\n\\timing on\n' "$run" "$trace" "$1"
    grep -v -e '^#' -e '^not:' "$here/cancel.txt" | while IFS= read -r call; do
        printf '\\echo @ %s\nSELECT count(x) FROM (SELECT %s AS x FROM public.cancelled OFFSET 0) y;\n' "${call//\'/}" "$call"
    done
}

cancel_inputs()
{
    local nodes=100000 ranks=64 iterations=300
    [ "$mode" = quick ] && nodes=20000 ranks=16 iterations=50
    "$programs/gen_trace" halo "$work/cancelled" --ranks 256 --iterations "$iterations" &&
        run_measured "$perfhouse" load --json "$work/cancelled" && trace=$(run_id_of) &&
        load_json_split "$nodes" "$ranks" 1 2 && other=$run && load_json_split "$nodes" "$ranks" 1 0 &&
        "$perfhouse" psql -- -X -q -v ON_ERROR_STOP=1 << END
SET search_path = perfhouse, public;
CREATE TABLE public.cancelled AS SELECT p, q, supergraph(p) AS sg, supergraph(p, 'function') AS fg, supergraph(p, 'node') AS ng,
    (SELECT ensemble(x, i::text) FROM generate_series(1, 4) i, LATERAL (VALUES (p), (q)) v(x)) AS e
FROM (SELECT profile($run) AS p, profile($other) AS q) r;
END
}

# The budget is for a machine that does nothing else: other work delays every answer.
cancel()
{
    section "queries that are cancelled: ms until they end"
    local after times="30 100 300 1000" trace='' other='' latest
    cancel_inputs || return 1
    row "functions that are not tried" "$(unnamed_functions | wc -l)" '' 0.5 "$(unnamed_functions | tr '\n' ' ')"
    for after in $times; do
        cancel_statements "$after" | "$perfhouse" psql -- -X -q 2>&1 |
            awk -v after="$after" '/^@ /{ call = substr($0, 3) } /canceling statement/{ cancelled = 1 }
                /^Time: /{ if (cancelled && $2 - after > worst) { worst = $2 - after; what = call } n += cancelled; cancelled = 0 }
                END { printf "%.0f %d %s\n", worst, n, what }' > "$work/latest"
        latest=$(cut -d' ' -f1 "$work/latest")
        row "after $after ms: the latest" "$latest" ms 1000 "of $(cut -d' ' -f2 "$work/latest") cancelled: $(cut -d' ' -f3- "$work/latest")"
    done
    "$perfhouse" psql -- -X -q -c 'DROP TABLE public.cancelled'
}
