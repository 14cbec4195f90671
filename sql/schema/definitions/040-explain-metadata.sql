-- 040-explain-metadata.sql - What runs around a run have in their metadata, and what time goes with it.

CREATE OR REPLACE FUNCTION perfhouse_internal.told_metadata(runs bigint[], most_units bigint DEFAULT NULL)
RETURNS TABLE (run_id bigint, key text, value text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
    SELECT r.run_id, e.key,
        CASE WHEN e.key ~* 'mhz|ghz|freq' AND e.value ~ '^[0-9]+(\.[0-9]+)?$' -- read off while the job ran
            THEN trim_scale(round(e.value::numeric, 1 - floor(log(greatest(e.value::numeric, 0.01)))::int))::text
            ELSE e.value END
    FROM perfhouse.run r, jsonb_each_text(r.meta) e
    WHERE r.run_id = ANY ($1) AND e.key NOT IN ('commit', 'format', 'tags', 'SCOREP_EXPERIMENT_DIRECTORY')
        AND e.key !~ '^(source_unit|otf2)\.' -- what each measurement has of its own
    UNION ALL
    SELECT l.run_id, 'hosts', string_agg(DISTINCT l.host, ' ' ORDER BY l.host)
    FROM perfhouse.location l
    WHERE l.run_id = ANY ($1)
        AND ($2 IS NULL OR (SELECT sum(r.n_units) FROM perfhouse.run r WHERE r.run_id = ANY ($1)) <= $2)
    GROUP BY l.run_id
$$;
COMMENT ON FUNCTION perfhouse_internal.told_metadata(bigint[], bigint) IS
    'Metadata of runs that can tell why one takes another time, and the hosts, a row a run and key; no hosts of more execution units '
    'in all than most_units (null: any number). Clocks to two digits.';

CREATE OR REPLACE FUNCTION perfhouse_internal.short_value(value text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN $1 = '' THEN '(none)' WHEN length($1) > 60 THEN left($1, 59) || '…' ELSE $1 END
$$;
COMMENT ON FUNCTION perfhouse_internal.short_value(text) IS 'A value of metadata for a sentence: 60 characters at most.';

CREATE OR REPLACE FUNCTION perfhouse_internal.size_keys_of(application text) RETURNS text[]
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce((SELECT a.size_keys FROM perfhouse.application a WHERE a.application = $1), perfhouse.default_size_keys())
$$;
COMMENT ON FUNCTION perfhouse_internal.size_keys_of(text) IS
    'The keys by which runs of an application tell the size of their problem: those that were set for it, else default_size_keys().';

-- An application may have a million runs: the nearest are looked at.
CREATE OR REPLACE FUNCTION perfhouse_internal.runs_around(run bigint) RETURNS TABLE (run_id bigint, total float8, differs_in text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
    WITH own AS MATERIALIZED (
        SELECT r.run_id, r.application, r.primary_metric_id, x.keys, x."values",
            perfhouse_internal.size_keys_of(r.application) || ARRAY['n_ranks', 'n_hosts'] AS sizes
        FROM perfhouse.run r JOIN perfhouse.run_experiment x USING (run_id)
        WHERE r.run_id = $1 AND x.experiment IS NOT NULL),
    near AS MATERIALIZED (
        SELECT n.* FROM own o, LATERAL (
            (SELECT r.run_id, r.total, r.primary_metric_id, r.excluded_reason FROM perfhouse.run r
                WHERE r.application = o.application AND r.state = 'ready' AND r.run_id <= o.run_id ORDER BY r.run_id DESC LIMIT 101)
            UNION ALL
            (SELECT r.run_id, r.total, r.primary_metric_id, r.excluded_reason FROM perfhouse.run r
                WHERE r.application = o.application AND r.state = 'ready' AND r.run_id > o.run_id ORDER BY r.run_id LIMIT 100)) n
        WHERE n.total > 0 AND n.excluded_reason IS NULL AND n.primary_metric_id = o.primary_metric_id)
    SELECT n.run_id, n.total, d.key
    FROM own o CROSS JOIN near n JOIN perfhouse.run_experiment x ON x.run_id = n.run_id
    CROSS JOIN LATERAL (
        SELECT count(*) AS n, min(k.key) AS key FROM unnest(o.keys, o."values", x."values") k (key, own, other)
        WHERE k.own IS DISTINCT FROM k.other) d
    WHERE d.n = 0 OR d.n = 1 AND regexp_replace(d.key, '^meta\.', '') <> ALL (o.sizes)
$$;
COMMENT ON FUNCTION perfhouse_internal.runs_around(bigint) IS
    'A run and the two hundred runs of its application nearest in number that are of its experiment, or differ from it in one '
    'experiment key alone (differs_in) that is not the size of the job or of its problem. total: as run.total, above 0.';

CREATE OR REPLACE FUNCTION perfhouse.metadata_effects(run bigint)
RETURNS TABLE (key text, value text, n_runs int, total float8, lowest float8, highest float8, spread float8, is_run boolean, runs bigint[])
LANGUAGE sql STABLE PARALLEL SAFE ROWS 20 SET search_path = pg_catalog, pg_temp AS $$
    WITH around AS MATERIALIZED (SELECT * FROM perfhouse_internal.runs_around($1)),
    chosen AS MATERIALIZED (SELECT array_agg(a.run_id) AS runs FROM around a),
    keys AS MATERIALIZED (
        SELECT k.key, k.no, s.sizes FROM perfhouse.run_experiment x, unnest(x.keys) WITH ORDINALITY k (key, no),
            LATERAL (SELECT perfhouse_internal.size_keys_of(x.application) || ARRAY['n_ranks', 'n_hosts'] AS sizes) s
        WHERE x.run_id = $1),
    facts AS (
        SELECT t.run_id, t.key, t.value FROM chosen c, LATERAL perfhouse_internal.told_metadata(c.runs, 100000) t
        WHERE NOT EXISTS (SELECT FROM keys k WHERE regexp_replace(k.key, '^meta\.', '') = t.key OR t.key = ANY (k.sizes))
        UNION ALL
        SELECT x.run_id, regexp_replace(k.key, '^meta\.', ''), x."values"[k.no] FROM chosen c
            JOIN perfhouse.run_experiment x ON x.run_id = ANY (c.runs), keys k
        WHERE regexp_replace(k.key, '^meta\.', '') <> ALL (k.sizes)),
    groups AS (
        SELECT f.key, f.value, count(*)::int AS n_runs, percentile_cont(0.5) WITHIN GROUP (ORDER BY a.total) AS total,
            min(a.total) AS lowest, max(a.total) AS highest, stddev_samp(ln(a.total)) AS spread, bool_or(a.run_id = $1) AS is_run,
            array_agg(a.run_id ORDER BY a.run_id) AS runs
        FROM facts f JOIN around a ON a.run_id = f.run_id AND (a.differs_in IS NULL OR regexp_replace(a.differs_in, '^meta\.', '') = f.key)
        WHERE f.value IS NOT NULL GROUP BY 1, 2)
    SELECT g.* FROM groups g
    JOIN (SELECT o.key FROM groups o GROUP BY 1 HAVING count(*) > 1 AND bool_or(o.is_run) AND max(o.n_runs) > 1) k USING (key)
    ORDER BY g.key, g.total, g.value
$$;
COMMENT ON FUNCTION perfhouse.metadata_effects(bigint) IS
    'A run beside the runs around it by what their metadata say, a row a key and value: n_runs of it, the median of their totals '
    '(run.total, in the unit of the primary metric, mean over units), the lowest and the highest, and spread, the standard deviation '
    'of their logarithms (null of one run). is_run: the run is one of them. Runs that count: of the two hundred nearest in number '
    'those of its experiment, for an experiment key also those that differ in it alone. Keys that the run has, with two values or more, '
    'one of them of two runs; hosts up to 100,000 execution units of all these runs; '
    'sizes of jobs and problems are scaling_deviation''s. Time that goes with a value need not come from it. '
    'Empty of a run that is not there, or that can be compared with none.';

CREATE OR REPLACE FUNCTION perfhouse_internal.explain_metadata(run bigint)
RETURNS TABLE (step text, sentence text, confidence text, shape text, cause text, path text, units text, share float8, effect float8,
    evidence text, picture text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 SET search_path = pg_catalog, pg_temp AS $$
    WITH effects AS MATERIALIZED (SELECT * FROM perfhouse.metadata_effects($1) e WHERE e.n_runs >= 3),
    parted AS ( -- of each key the fastest value whose runs are all faster, by more than runs of one value differ
        SELECT DISTINCT ON (o.key) o.key, o.value, o.total, o.runs, o.n_runs, b.value AS best, b.total AS best_total, b.runs AS best_runs,
            b.n_runs AS n_best, greatest(o.spread, b.spread) AS spread
        FROM effects o JOIN effects b ON b.key = o.key AND b.highest < o.lowest
        WHERE o.is_run AND ln(o.total / b.total) >= greatest(ln(1.05), 3 * greatest(o.spread, b.spread))
        ORDER BY o.key, b.total, b.value),
    told AS ( -- keys that part the runs alike are one difference
        SELECT p.total, p.best_total, p.best_runs, p.n_runs, p.n_best, p.spread, min(p.key) AS key, array_agg(p.key) AS keys,
            string_agg(format('%s %s', p.key, perfhouse_internal.short_value(p.best)), ', ' ORDER BY p.key) AS best_text,
            string_agg(format('%s %s', p.key, perfhouse_internal.short_value(p.value)), ', ' ORDER BY p.key) AS text
        FROM parted p GROUP BY p.runs, p.total, p.best_total, p.best_runs, p.n_runs, p.n_best, p.spread
        ORDER BY p.best_total, min(p.key) LIMIT 1)
    SELECT 'changed', format('Runs with %s take %s (%s runs), those with %s, as this one, %s (%s runs, +%s %%); runs of one kind vary '
            'by %s %%. What goes with the time need not be its cause.%s', t.best_text, perfhouse.readable(t.best_total, u.unit), t.n_best,
            t.text, perfhouse.readable(t.total, u.unit), t.n_runs, to_char(100 * (t.total / t.best_total - 1), 'FM999999999990.0'),
            CASE WHEN t.spread < 0.001 THEN 'less than 0.1' ELSE to_char(100 * t.spread, 'FM999990.0') END,
            CASE WHEN k.is_key THEN '' ELSE ' As an experiment key (perfhouse application set) it would not count as noise.' END),
        CASE WHEN least(t.n_runs, t.n_best) >= 5 THEN 'medium' ELSE 'low' END, NULL, NULL, NULL, NULL,
        t.total / t.best_total - 1, t.total - t.best_total,
        format('SELECT value, n_runs, total, lowest, highest FROM perfhouse.metadata_effects(%s) WHERE key = %L', $1, t.key),
        format('perfhouse render flame-diff --run %s --vs %s -o explain.svg', t.best_runs[cardinality(t.best_runs)], $1)
    FROM told t JOIN perfhouse.run r ON r.run_id = $1 JOIN perfhouse.metric_overview u ON u.metric_id = r.primary_metric_id
    CROSS JOIN LATERAL (SELECT t.keys && ARRAY(SELECT regexp_replace(x.key, '^meta\.', '')
        FROM perfhouse.run_experiment e, unnest(e.keys) x (key) WHERE e.run_id = $1) AS is_key) k
$$;
COMMENT ON FUNCTION perfhouse_internal.explain_metadata(bigint) IS
    'Whether runs around a run whose metadata have another value are all faster: three runs or more of each value, by 5 % and by three '
    'times as much as runs of one value scatter. Medium confidence from five runs of each on. Keys that part the runs alike are '
    'told together, of those that do not the one with the fastest runs. share and effect: what this run''s value takes more.';
