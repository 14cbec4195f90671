-- 042-explain-sizes.sql - A run beside runs of the same experiment on other numbers of ranks.

CREATE OR REPLACE FUNCTION perfhouse_internal.values_but_size(keys text[], "values" text[], sizes text[] DEFAULT '{}') RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT array_agg(k.value ORDER BY k.no) FROM unnest($1, $2) WITH ORDINALITY k (key, value, no)
    WHERE k.key NOT IN ('n_ranks', 'n_hosts') AND regexp_replace(k.key, '^meta\.', '') <> ALL ($3)
$$;
COMMENT ON FUNCTION perfhouse_internal.values_but_size(text[], text[], text[]) IS
    'Values of experiment keys without those that change with the size of a job, and without other sizes.';

CREATE OR REPLACE FUNCTION perfhouse_internal.log_problem_size(keys text[], "values" text[], sizes text[]) RETURNS float8
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT sum(ln(perfhouse_internal.number_above_0(k.value))) FROM unnest($1, $2) k (key, value)
    WHERE regexp_replace(k.key, '^meta\.', '') = ANY ($3)
    HAVING bool_and(k.value IS NULL OR perfhouse_internal.number_above_0(k.value) IS NOT NULL)
$$;
COMMENT ON FUNCTION perfhouse_internal.log_problem_size(text[], text[], text[]) IS
    'The logarithm of the product of the experiment keys that tell the size of a problem; null where one is no number above 0.';

-- Runs of one scaling study are loaded together, and an application may have a million: the nearest are looked at.
CREATE OR REPLACE FUNCTION perfhouse_internal.runs_of_other_sizes(run bigint) RETURNS TABLE (run_id bigint, n_ranks int)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 20 SET search_path = pg_catalog, pg_temp AS $$
    WITH own AS MATERIALIZED (
        SELECT r.run_id, r.application, r.primary_metric_id, r.n_ranks, r.commit_id, x.keys, x."values",
            perfhouse_internal.size_keys_of(r.application) AS sizes,
            NOT EXISTS (SELECT FROM perfhouse.application a WHERE a.application = r.application AND a.size_of = 'rank') AS may_grow
        FROM perfhouse.run r JOIN perfhouse.run_experiment x USING (run_id)
        WHERE r.run_id = $1 AND x.experiment IS NOT NULL AND r.n_ranks > 0),
    near AS MATERIALIZED (
        SELECT n.* FROM own o, LATERAL (
            (SELECT r.run_id, r.n_ranks, r.commit_id, r.primary_metric_id, r.excluded_reason FROM perfhouse.run r
                WHERE r.application = o.application AND r.state = 'ready' AND r.run_id < o.run_id ORDER BY r.run_id DESC LIMIT 500)
            UNION ALL
            (SELECT r.run_id, r.n_ranks, r.commit_id, r.primary_metric_id, r.excluded_reason FROM perfhouse.run r
                WHERE r.application = o.application AND r.state = 'ready' AND r.run_id > o.run_id ORDER BY r.run_id LIMIT 500)) n
        WHERE n.n_ranks > 0 AND n.n_ranks <> o.n_ranks AND n.excluded_reason IS NULL AND n.primary_metric_id = o.primary_metric_id),
    -- the same problem, or one that has grown as the ranks have
    studied AS MATERIALIZED (
        SELECT n.run_id, n.n_ranks, n.commit_id IS DISTINCT FROM o.commit_id AS is_of_other_commit, abs(n.run_id - o.run_id) AS distance,
            perfhouse_internal.values_but_size(x.keys, x."values") IS DISTINCT FROM
                perfhouse_internal.values_but_size(o.keys, o."values") AS has_grown
        FROM own o CROSS JOIN near n JOIN perfhouse.run_experiment x ON x.run_id = n.run_id
        WHERE perfhouse_internal.values_but_size(x.keys, x."values", o.sizes) IS NOT DISTINCT FROM
                perfhouse_internal.values_but_size(o.keys, o."values", o.sizes)
            AND (perfhouse_internal.values_but_size(x.keys, x."values") IS NOT DISTINCT FROM
                perfhouse_internal.values_but_size(o.keys, o."values")
            OR o.may_grow AND abs(perfhouse_internal.log_problem_size(x.keys, x."values", o.sizes) - ln(n.n_ranks::float8)
                - perfhouse_internal.log_problem_size(o.keys, o."values", o.sizes) + ln(o.n_ranks::float8)) < 0.02)),
    study AS (SELECT s.has_grown FROM studied s GROUP BY 1 ORDER BY count(DISTINCT s.n_ranks) DESC, 1 LIMIT 1),
    alike AS (
        SELECT s.run_id, s.n_ranks, row_number() OVER (PARTITION BY s.n_ranks ORDER BY s.is_of_other_commit, s.distance, s.run_id) AS nth
        FROM studied s JOIN study USING (has_grown))
    SELECT a.run_id, a.n_ranks FROM alike a WHERE a.nth <= 5 ORDER BY a.n_ranks, a.run_id
$$;
COMMENT ON FUNCTION perfhouse_internal.runs_of_other_sizes(bigint) IS
    'Runs that differ from a run in the number of ranks (and of nodes) and in no other experiment key, or also in the size of their '
    'problem, which has grown as the ranks have (unless sizes are those of a rank): the kind of which there are more numbers of ranks. '
    'Five of each number at most, of its commit first, the nearest ones of the thousand runs of its application that are nearest in '
    'number.';

CREATE OR REPLACE FUNCTION perfhouse.scaling_deviation(run bigint)
RETURNS TABLE (n_ranks int, n_runs int, value float8, expected float8, deviation float8, is_run boolean, runs bigint[])
LANGUAGE sql STABLE PARALLEL SAFE ROWS 8 SET search_path = pg_catalog, pg_temp AS $$
    WITH chosen AS MATERIALIZED (
        SELECT o.run_id, o.n_ranks, false AS is_run FROM perfhouse_internal.runs_of_other_sizes($1) o
        UNION ALL SELECT r.run_id, r.n_ranks, true FROM perfhouse.run r WHERE r.run_id = $1 AND r.state = 'ready' AND r.n_ranks > 0),
    sizes AS MATERIALIZED (
        SELECT c.n_ranks, count(*)::int AS n_runs, percentile_cont(0.5) WITHIN GROUP (ORDER BY r.total) AS value,
            bool_or(c.is_run) AS is_run, array_agg(c.run_id ORDER BY c.run_id) AS runs
        FROM chosen c JOIN perfhouse.run r USING (run_id) WHERE r.total > 0 GROUP BY c.n_ranks),
    -- the run itself is nobody's neighbour: what is expected of other sizes does not depend on it
    beside AS (
        SELECT s.*, (SELECT max(o.n_ranks) FROM sizes o WHERE o.n_ranks < s.n_ranks AND NOT o.is_run) AS smaller,
            (SELECT min(o.n_ranks) FROM sizes o WHERE o.n_ranks > s.n_ranks AND NOT o.is_run) AS larger
        FROM sizes s)
    SELECT b.n_ranks, b.n_runs, b.value, exp(e.log), b.value / exp(e.log) - 1, b.is_run, b.runs
    FROM beside b LEFT JOIN sizes a ON a.n_ranks = b.smaller LEFT JOIN sizes z ON z.n_ranks = b.larger
    CROSS JOIN LATERAL (SELECT ln(a.value) + (ln(z.value) - ln(a.value)) * ln(b.n_ranks::float8 / a.n_ranks)
        / ln(z.n_ranks::float8 / a.n_ranks) AS log) e
    ORDER BY b.n_ranks
$$;
COMMENT ON FUNCTION perfhouse.scaling_deviation(bigint) IS
    'A run beside runs that differ from it in nothing but the number of ranks (nodes), a row a number: value is the median of their '
    'totals (run.total, in the unit of the primary metric, mean over units), expected what the next smaller and the next larger '
    'number let expect (a straight line in logarithms of both), deviation = value / expected - 1; null at both ends. is_run: the row '
    'of the run, of which it is the only one; what is expected of the others does not depend on it. Empty of a run that is not there. '
    'Runs that count: five a number, of its commit first, of the thousand runs of its application that are nearest in number.';

CREATE OR REPLACE FUNCTION perfhouse_internal.paths_out_of_order(run bigint, smaller bigint[], larger bigint[], weight float8)
RETURNS TABLE (path text, value float8, expected float8)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 20 SET search_path = pg_catalog, pg_temp AS $$
    WITH cells AS MATERIALIZED (
        SELECT s.run_id, s.callpath_id, s.exclusive_sum * m.factor / s.n_units AS value
        FROM (SELECT $1 || $2 || $3 AS runs) a
        CROSS JOIN LATERAL (SELECT r.primary_metric_id AS id FROM perfhouse.run r WHERE r.run_id = $1) k
        JOIN perfhouse.metric_overview m ON m.metric_id = k.id
        CROSS JOIN LATERAL perfhouse_internal.run_sums(a.runs, array_fill(k.id, ARRAY[cardinality(a.runs)])) s),
    sides AS (
        SELECT c.callpath_id, coalesce(sum(c.value ORDER BY c.run_id) FILTER (WHERE c.run_id = $1), 0) AS value,
            coalesce(sum(c.value ORDER BY c.run_id) FILTER (WHERE c.run_id = ANY ($2)), 0) / cardinality($2) AS a,
            coalesce(sum(c.value ORDER BY c.run_id) FILTER (WHERE c.run_id = ANY ($3)), 0) / cardinality($3) AS z
        FROM cells c GROUP BY 1
        HAVING max(c.value) >= 0.002 * (SELECT max(t.total) FROM perfhouse.run t WHERE t.run_id = ANY ($1 || $2 || $3)))
    SELECT perfhouse.call_path_text(s.callpath_id), s.value,
        CASE WHEN s.a > 0 AND s.z > 0 THEN exp(ln(s.a) + $4 * (ln(s.z) - ln(s.a))) ELSE s.a + $4 * (s.z - s.a) END
    FROM sides s
$$;
COMMENT ON FUNCTION perfhouse_internal.paths_out_of_order(bigint, bigint[], bigint[], float8) IS
    'Own costs of call paths in a run, and what runs of fewer and of more ranks let expect (means over units and runs; weight: where '
    'between the two the run is, in logarithms). Of call paths with 0.2 % of the whole.';

CREATE OR REPLACE FUNCTION perfhouse_internal.explain_sizes(run bigint)
RETURNS TABLE (step text, sentence text, confidence text, shape text, cause text, path text, units text, share float8, effect float8,
    evidence text, picture text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 SET search_path = pg_catalog, pg_temp AS $$
    WITH sizes AS MATERIALIZED (SELECT * FROM perfhouse.scaling_deviation($1)),
    usual AS (
        SELECT percentile_disc(0.75) WITHIN GROUP (ORDER BY abs(ln(1 + s.deviation))) AS spread, count(*) AS n
        FROM sizes s WHERE NOT s.is_run AND s.deviation IS NOT NULL),
    judged AS (
        SELECT s.*, u.spread, a.n_ranks AS smaller, z.n_ranks AS larger, a.runs AS smaller_runs, z.runs AS larger_runs,
            ln(s.n_ranks::float8 / a.n_ranks) / ln(z.n_ranks::float8 / a.n_ranks) AS weight, least(a.n_runs, z.n_runs) AS n_least
        FROM sizes s CROSS JOIN usual u
        CROSS JOIN LATERAL (SELECT * FROM sizes o WHERE o.n_ranks < s.n_ranks ORDER BY o.n_ranks DESC LIMIT 1) a
        CROSS JOIN LATERAL (SELECT * FROM sizes o WHERE o.n_ranks > s.n_ranks ORDER BY o.n_ranks LIMIT 1) z
        WHERE s.is_run AND u.n >= 2
          AND abs(ln(1 + s.deviation)) >= greatest(ln(1.05), 3 * u.spread,
              3 * coalesce((SELECT k.relative FROM perfhouse.known_noise($1) k LIMIT 1), 0))),
    parts AS (
        SELECT q.path, q.change, row_number() OVER (ORDER BY abs(q.change) DESC, q.path) AS nth
        FROM (SELECT p.path, p.value - p.expected AS change FROM judged j,
                LATERAL perfhouse_internal.paths_out_of_order($1, j.smaller_runs, j.larger_runs, j.weight) p) q, judged j
        WHERE sign(q.change) = sign(j.value - j.expected) AND abs(q.change) >= 0.1 * abs(j.value - j.expected))
    SELECT 'scaling', format('%s ranks are out of line: %s, where %s and %s ranks let expect %s (%s %%); other numbers of ranks '
            'are within %s %% of their neighbours.%s', j.n_ranks, perfhouse.readable(j.value, u.unit), j.smaller, j.larger,
            perfhouse.readable(j.expected, u.unit), to_char(100 * j.deviation, 'FMSG999999990.0'), ceil(100 * (exp(j.spread) - 1)),
            coalesce(' Of that: ' || (SELECT string_agg(format('%s in %s', perfhouse.readable(p.change, u.unit), p.path),
                ', ' ORDER BY p.nth) FROM parts p WHERE p.nth <= 3) || '.', '')),
        CASE WHEN j.n_least >= 3 THEN 'medium' ELSE 'low' END, NULL, NULL, (SELECT p.path FROM parts p WHERE p.nth = 1), NULL,
        j.deviation, j.value - j.expected,
        format('SELECT n_ranks, n_runs, value, expected, deviation FROM perfhouse.scaling_deviation(%s)', $1),
        format('perfhouse render scaling --application ''%s'' -o explain.svg', replace(r.application, '''', '''\'''''))
    FROM judged j JOIN perfhouse.run r ON r.run_id = $1 JOIN perfhouse.metric_overview u ON u.metric_id = r.primary_metric_id
$$;
COMMENT ON FUNCTION perfhouse_internal.explain_sizes(bigint) IS
    'Whether a run takes another time than runs of fewer and of more ranks let expect: by 5 % or more, by three times as much as the '
    'other numbers of ranks are from what their neighbours let expect (three quarters of them, of two or more), and by three times the '
    'known noise. Then the call paths that make up a tenth of it or more. Low confidence with fewer than three runs of the neighbours.';
