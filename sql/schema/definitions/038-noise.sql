-- 038-noise.sql - level and noise under a condition: kept up to date by loads, asked by whatever judges.

CREATE OR REPLACE FUNCTION perfhouse_internal.noise_rules(OUT most_runs int, OUT least_runs int, OUT least_share float8)
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN ROW(32, 3, 0.001::float8);
COMMENT ON FUNCTION perfhouse_internal.noise_rules() IS
    'What noise rests on: the latest most_runs of a condition, at least least_runs of them, call paths with least_share of the whole.';

-- Means over units of a condition's runs, a row per call path (0: the whole) and run; places count from the oldest.
CREATE OR REPLACE FUNCTION perfhouse_internal.condition_values(runs bigint[], metric_id int)
RETURNS TABLE (callpath_id bigint, place int, value float8)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    roots bigint[] := ARRAY(SELECT k.callpath_id FROM perfhouse.callpath k WHERE k.parent_id IS NULL);
    latest bigint[] := runs[cardinality(runs):];
    factor float8 := (SELECT m.factor FROM perfhouse.metric_overview m WHERE m.metric_id = condition_values.metric_id);
    metric_ids int[] := array_fill(metric_id, ARRAY[cardinality(runs)]);
    paths bigint[];
BEGIN
    WITH last_run AS MATERIALIZED (SELECT s.callpath_id, s.inclusive_sum FROM perfhouse_internal.run_sums(latest, metric_ids[:1]) s)
    SELECT array_agg(l.callpath_id) INTO paths FROM last_run l
    WHERE l.callpath_id = ANY (roots) OR l.inclusive_sum >= (SELECT k.least_share FROM perfhouse_internal.noise_rules() k)
        * (SELECT sum(w.inclusive_sum ORDER BY w.callpath_id) FROM last_run w WHERE w.callpath_id = ANY (roots));
    RETURN QUERY
    WITH cells AS MATERIALIZED (
        SELECT s.callpath_id, array_position(runs, s.run_id) AS place, s.inclusive_sum * factor / s.n_units AS value
        FROM perfhouse_internal.run_sums(runs, metric_ids, paths) s)
    SELECT c.callpath_id, c.place, c.value FROM cells c
    UNION ALL
    SELECT 0, c.place, sum(c.value ORDER BY c.callpath_id) FROM cells c WHERE c.callpath_id = ANY (roots) GROUP BY c.place;
END $$;
COMMENT ON FUNCTION perfhouse_internal.condition_values(bigint[], int) IS
    'What the whole (0) and the call paths that matter in the last of some runs cost in each of them. Used by refresh_noise().';

CREATE OR REPLACE FUNCTION perfhouse.refresh_noise(of_application text DEFAULT NULL) RETURNS int
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    condition record;
    rules record;
    runs bigint[];
    n int := 0;
BEGIN
    -- what is made of some of the runs would be wrong for others; one at a time is enough
    IF perfhouse_internal.search_scope() <> '' OR NOT pg_try_advisory_xact_lock(hashtextextended('perfhouse noise', 0)) THEN
        RETURN 0;
    END IF;
    SELECT * INTO rules FROM perfhouse_internal.noise_rules();
    -- every run of a condition counts, whatever its number: numbers are reserved before loading, and runs are replaced and excluded
    FOR condition IN
        SELECT application, experiment, metric_id, f.latest_run, f.mark, coalesce(f.n_runs, 0) AS n_runs
        FROM (SELECT r.application, x.experiment, r.primary_metric_id AS metric_id, max(r.run_id) AS latest_run, count(*) AS n_runs,
                  bit_xor(perfhouse_internal.run_mark(r.run_id, r.loaded_at, false, NULL, r.n_units, 1)
                      # perfhouse_internal.run_mark(r.run_id, coalesce(r.started_at, r.loaded_at), true, NULL, r.n_units, 1)) AS mark
              FROM perfhouse.run r
              LEFT JOIN perfhouse.application a ON a.application = r.application
              CROSS JOIN LATERAL (SELECT perfhouse_internal.experiment_of(r.run_id, r.default_experiment, a.keys) AS experiment) x
              WHERE r.state = 'ready' AND r.excluded_reason IS NULL AND r.primary_metric_id IS NOT NULL
                AND ($1 IS NULL OR r.application = $1) AND x.experiment IS NOT NULL
              GROUP BY 1, 2, 3) f
        FULL JOIN (SELECT o.application, o.experiment, o.metric_id, o.mark, true AS is_there FROM perfhouse.noise o
              WHERE o.callpath_id = 0 AND ($1 IS NULL OR o.application = $1)) k USING (application, experiment, metric_id)
        WHERE CASE WHEN k.is_there THEN f.mark IS DISTINCT FROM k.mark ELSE f.n_runs >= rules.least_runs END
        ORDER BY 1, 2, 3
    LOOP
        DELETE FROM perfhouse.noise o WHERE o.application = condition.application AND o.experiment = condition.experiment
            AND o.metric_id = condition.metric_id;
        n := n + 1;
        CONTINUE WHEN condition.n_runs < rules.least_runs;
        SELECT array_agg(l.run_id ORDER BY l.measured_at, l.run_id) INTO runs
        FROM (SELECT h.run_id, h.measured_at FROM perfhouse.run_history h
            WHERE h.application = condition.application AND h.experiment = condition.experiment AND h.excluded_reason IS NULL
              AND h.primary_metric_id = condition.metric_id
            ORDER BY h.measured_at DESC, h.run_id DESC LIMIT rules.most_runs) l;
        INSERT INTO perfhouse.noise (application, experiment, metric_id, callpath_id, n_runs, level, spread, autocorrelation, degrees,
            latest_run, mark)
        SELECT condition.application, condition.experiment, condition.metric_id, v.callpath_id, l.n, l.level, l.spread,
            l.autocorrelation, l.degrees, condition.latest_run, condition.mark
        FROM (SELECT c.callpath_id, array_agg(c.value ORDER BY c.place) AS series
            FROM perfhouse_internal.condition_values(runs, condition.metric_id) c GROUP BY 1) v
        CROSS JOIN LATERAL perfhouse.level_of(v.series) l
        WHERE l.n >= rules.least_runs;
    END LOOP;
    RETURN n;
END $$;
COMMENT ON FUNCTION perfhouse.refresh_noise(text) IS
    'Brings perfhouse.noise up to date with the runs of an application (null: of all) that were loaded, replaced, excluded, mended or '
    'removed since; how many conditions it was. Loads and update_regressions() call it. A condition is an experiment and a primary '
    'metric; its latest 32 runs count, call paths with 0.1 % of the whole in the last of them. Does nothing while projects are enabled '
    'and the caller does not see all runs, or while somebody else does it: the next call does it then.';
REVOKE ALL ON FUNCTION perfhouse.refresh_noise(text) FROM PUBLIC;

CREATE OR REPLACE FUNCTION perfhouse.known_noise(run bigint)
RETURNS TABLE (callpath_id bigint, path text, n_runs int, level float8, spread float8, relative float8, autocorrelation float8,
    degrees float8, value float8, deviations float8, unit text)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    IF NOT EXISTS (SELECT FROM perfhouse.run r WHERE r.run_id = $1 AND r.state = 'ready') THEN
        RAISE EXCEPTION 'there is no run %', $1 USING ERRCODE = 'PH002', HINT = 'perfhouse runs lists them; in SQL run_overview.';
    END IF;
    RETURN QUERY
    WITH known AS MATERIALIZED (
        SELECT o.*, m.factor, m.unit
        FROM perfhouse.run r JOIN perfhouse.run_experiment x USING (run_id)
        JOIN perfhouse.noise o ON o.application = r.application AND o.experiment = x.experiment AND o.metric_id = r.primary_metric_id
        JOIN perfhouse.metric_overview m ON m.metric_id = o.metric_id
        WHERE r.run_id = $1),
    own AS MATERIALIZED (
        SELECT s.callpath_id, c.parent_id IS NULL AS is_root, s.inclusive_sum / s.n_units AS value
        FROM perfhouse.run r CROSS JOIN LATERAL perfhouse_internal.run_sums(ARRAY[r.run_id], ARRAY[r.primary_metric_id]) s
        JOIN perfhouse.callpath c ON c.callpath_id = s.callpath_id
        WHERE r.run_id = $1),
    valued AS (
        SELECT k.*, k.factor * CASE WHEN k.callpath_id = 0 THEN (SELECT sum(w.value ORDER BY w.callpath_id) FROM own w WHERE w.is_root)
            ELSE (SELECT w.value FROM own w WHERE w.callpath_id = k.callpath_id) END AS own_value
        FROM known k)
    SELECT nullif(v.callpath_id, 0), CASE WHEN v.callpath_id = 0 THEN '(whole)' ELSE perfhouse.call_path_text(v.callpath_id) END,
        v.n_runs, v.level, v.spread, v.spread / nullif(abs(v.level), 0), v.autocorrelation, v.degrees, v.own_value,
        (v.own_value - v.level) / nullif(v.spread, 0), v.unit
    FROM valued v ORDER BY v.callpath_id <> 0, v.level DESC, 2;
END $$;
COMMENT ON FUNCTION perfhouse.known_noise(bigint) IS
    'What is known of how a run''s experiment scatters, the whole first, then call paths by cost: level (median of the latest eight of '
    'the n_runs latest runs), spread (standard deviation of one run, in unit; relative: as a share of level), autocorrelation of '
    'neighbouring runs, degrees (of freedom with which spread is known), and the run''s own value (inclusive, mean over units; null: '
    'it lacks the call path) as deviations from the level in units of spread. No row: fewer than three runs are known, or projects are '
    'enabled and the caller does not see all runs. As loads leave it behind (refresh_noise). Errors: PH002 for no such run. Method: '
    'level_of.';

CREATE OR REPLACE FUNCTION perfhouse_internal.noise_by_name(run bigint, metric text)
RETURNS TABLE (name text, relative float8, factor float8, least_share float8)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 50 SET search_path = pg_catalog, pg_temp AS $$
    -- three standard deviations: of the dozens of functions of a picture none is to be coloured by chance
    SELECT g.name, max(k.relative), 3 * sqrt(2::float8), 2 * r.least_share
    FROM perfhouse.run u CROSS JOIN LATERAL perfhouse.known_noise(u.run_id) k
        CROSS JOIN perfhouse_internal.noise_rules() r
        LEFT JOIN perfhouse.callpath c ON c.callpath_id = k.callpath_id
        LEFT JOIN perfhouse.region g ON g.region_id = c.region_id
    WHERE u.run_id = $1 AND u.state = 'ready' AND coalesce($2, u.metrics[1]) = u.metrics[1] AND k.relative IS NOT NULL
    GROUP BY g.name, r.least_share ORDER BY g.name NULLS FIRST
$$;
COMMENT ON FUNCTION perfhouse_internal.noise_by_name(bigint, text) IS
    'By what share runs of a run''s experiment vary: the whole (name null) and functions, by the call path of each that varies most. '
    'Two runs differ for certain in what differs by more than factor times that (and the whole''s) of the larger value, and by more '
    'than the share least_share of the whole, below which nothing is known. No rows: nothing is known, or not of this metric (null: the '
    'primary one).';
