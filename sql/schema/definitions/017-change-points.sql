-- 017-change-points.sql - series of numbers along the history of an application, and where they change.
--
-- A series never mixes conditions: runs that cannot be compared (run_experiment: other ranks, threads, nodes, cluster,
-- problem, or whatever was set for the application) or have another metric are another series. Within one, runs follow
-- the commits (run_history), repeats of a commit are neighbours.

-- The runs that a filter selects; all when it is null.
CREATE OR REPLACE FUNCTION perfhouse.runs_matching(filter text) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    f record;
BEGIN
    IF filter IS NULL THEN
        RETURN QUERY SELECT r.run_id FROM perfhouse.run_overview r;
    ELSE
        f := perfhouse.run_filter_sql(filter);
        RETURN QUERY EXECUTE 'SELECT r.run_id FROM perfhouse.run_overview r WHERE ' || f.predicate USING f.arguments;
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse.runs_matching(text) IS
    'The ready runs for which a run filter holds, for example n_ranks = 64 AND cluster LIKE quartz% AND NOT tag = '
    'broken AND meta.compiler = gcc AND since = 30d; null: all. The same language everywhere: perfhouse runs, filters '
    'of views, pages and policies. See run_filter_sql.';

CREATE OR REPLACE FUNCTION perfhouse.chosen_runs(application text DEFAULT NULL, filter text DEFAULT NULL, runs bigint[] DEFAULT NULL)
RETURNS SETOF perfhouse.run_overview
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
    SELECT r.* FROM perfhouse.run_overview r
    WHERE ($1 IS NULL OR r.application = $1) AND ($2 IS NULL OR r.run_id IN (SELECT perfhouse.runs_matching($2)))
      AND ($3 IS NULL OR r.run_id = ANY ($3)) AND (r.excluded_reason IS NULL OR $3 IS NOT NULL)
$$;
COMMENT ON FUNCTION perfhouse.chosen_runs(text, text, bigint[]) IS
    'The runs of an application (null: any) that a filter selects (null: all; see runs_matching) and that are among '
    'runs (null: any), as run_overview has them. Excluded runs only when runs names them.';

CREATE OR REPLACE FUNCTION perfhouse_internal.other_runs(run bigint, application text, filter text, runs bigint[])
RETURNS SETOF bigint LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
    WITH chosen AS MATERIALIZED (SELECT c.run_id FROM perfhouse.chosen_runs($2, $3, $4) c WHERE c.run_id <> $1),
    alike AS MATERIALIZED (
        SELECT x.run_id FROM perfhouse.run_experiment x WHERE $4 IS NULL AND x.run_id IN (SELECT c.run_id FROM chosen c)
            AND x.experiment = (SELECT t.experiment FROM perfhouse.run_experiment t WHERE t.run_id = $1))
    SELECT c.run_id FROM chosen c WHERE c.run_id IN (SELECT a.run_id FROM alike a) OR NOT EXISTS (SELECT FROM alike)
$$;
COMMENT ON FUNCTION perfhouse_internal.other_runs(bigint, text, text, bigint[]) IS
    'The chosen runs but run: those of its experiment, unless there are none or runs names them.';

CREATE OR REPLACE FUNCTION perfhouse.runs_by_number(application text, parameter text DEFAULT 'n_ranks', filter text DEFAULT NULL)
RETURNS TABLE (run_id bigint, commit_id text, label text, number float8)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
    SELECT r.run_id, r.commit_id, r.label,
        CASE WHEN r.label !~ '^[0-9]{1,15}(\.[0-9]{1,9})?$' THEN NULL WHEN r.label::float8 > 0 THEN r.label::float8 END
    FROM (SELECT c.run_id, c.commit_id, coalesce(to_jsonb(c)->>$2, c.meta->>$2) AS label FROM perfhouse.chosen_runs($1, $3) c) r
    ORDER BY r.run_id
$$;
COMMENT ON FUNCTION perfhouse.runs_by_number(text, text, text) IS
    'The runs of an application that a filter selects (see chosen_runs) with a column of run_overview or a key of their '
    'metadata: label as it is written, number when it is one above 0. For ensembles along a parameter: '
    'ensemble(profile(run_id), label ORDER BY number), then scaling_model and speedup.';

-- An expression, as experiment_of is.
CREATE OR REPLACE FUNCTION perfhouse_internal.metric_asked(metrics text[], metric_ids int[], primary_metric_id int, asked text) RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN $1[1] = $4 THEN $3 WHEN array_position($1, $4) IS NOT NULL THEN $2[array_position($1, $4)]
    WHEN $4 IS NULL OR $4 = 'time' THEN $3 END;
COMMENT ON FUNCTION perfhouse_internal.metric_asked(text[], int[], int, text) IS
    'The metric that a run has under a name; time and null stand for its primary one where it has none of that name.';

-- Sorting by one number takes a third of the time of sorting by two, of which the first is nearly always the same.
CREATE OR REPLACE FUNCTION perfhouse_internal.series_position(series bigint, "position" int) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ($1 << 33) + coalesce($2::bigint, 4294967296);
COMMENT ON FUNCTION perfhouse_internal.series_position(bigint, int) IS
    'A number that sorts as series and then position do; runs without position come last in their series.';

-- Conditions are few: as arrays they are numbered apart from the runs, in every function that asks.
CREATE OR REPLACE FUNCTION perfhouse_internal.series_of_conditions(experiments text[], metric_ids int[], runs bigint[], lengths bigint[],
    least_ranks int[], least_threads int[], clusters text[])
RETURNS TABLE (experiment text, metric_id int, series bigint, length int, n_ranks int, unit text, factor float8, experiment_text text)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 4 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT g.experiment, g.metric_id, dense_rank() OVER (ORDER BY g.n_ranks, g.n_threads, g.cluster, g.first_metric_id, g.experiment),
        g.length, g.n_ranks, g.unit, g.factor,
        (SELECT perfhouse_internal.experiment_text(x.keys, x."values") FROM perfhouse.run_experiment x WHERE x.run_id = g.run_id)
    FROM (SELECT d.experiment COLLATE "C" AS experiment, d.metric_id, m.unit, m.factor, m.first_metric_id, min(d.run_id) OVER w AS run_id,
            (sum(d.length) OVER w)::int AS length,
            min(d.n_ranks) OVER w AS n_ranks, min(d.n_threads) OVER w AS n_threads, min(d.cluster) OVER w AS cluster
        FROM unnest($1, $2, $3, $4, $5, $6, $7) d (experiment, metric_id, run_id, length, n_ranks, n_threads, cluster)
        JOIN perfhouse.metric_overview m USING (metric_id)
        WINDOW w AS (PARTITION BY d.experiment COLLATE "C", m.first_metric_id)) g;
END $$;
COMMENT ON FUNCTION perfhouse_internal.series_of_conditions(text[], int[], bigint[], bigint[], int[], int[], text[]) IS
    'The series that conditions are: parallel arrays of experiments, metrics as they are stored, a run, the number of runs, and the '
    'ranks, threads and cluster of each. A series may have several metrics, of older runs; length: runs of the series; '
    'experiment_text: what its runs have in common.';

CREATE OR REPLACE FUNCTION perfhouse.history_runs(application text, metric text DEFAULT 'time', filter text DEFAULT NULL)
RETURNS TABLE (run_id bigint, series int, place int, length int, commit_no int, commit_id text, "position" int,
    n_ranks int, n_threads int, cluster text, metric_id int, n_units int, measured_at timestamptz, experiment text, unit text)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_mergejoin = off AS $$
#variable_conflict use_column
BEGIN
    IF perfhouse_internal.is_derived($1, $2) THEN
        RETURN QUERY SELECT * FROM perfhouse_internal.derived_runs($1, $2, $3);
        RETURN;
    END IF;
    RETURN QUERY
    WITH chosen AS MATERIALIZED (
        SELECT h.run_id, h.commit_id, h."position", h.n_ranks, h.n_threads, h.cluster, h.n_units, h.measured_at,
               coalesce(h.experiment, h.run_id::text) COLLATE "C" AS experiment,
               perfhouse_internal.metric_asked(h.metrics, h.metric_ids, h.primary_metric_id, $2) AS metric_id
        FROM perfhouse.run_history h
        WHERE h.application = $1 AND h.excluded_reason IS NULL
          AND ($3 IS NULL OR h.run_id IN (SELECT perfhouse.runs_matching($3)))),
    conditions AS MATERIALIZED (
        SELECT k.* FROM (
            SELECT array_agg(d.experiment) AS experiments, array_agg(d.metric_id) AS metric_ids, array_agg(d.run_id) AS runs,
                array_agg(d.length) AS lengths, array_agg(d.n_ranks) AS n_ranks, array_agg(d.n_threads) AS n_threads,
                array_agg(d.cluster) AS clusters
            FROM (SELECT c.experiment, c.metric_id, min(c.run_id) AS run_id, count(*) AS length, min(c.n_ranks) AS n_ranks,
                    min(c.n_threads) AS n_threads, min(c.cluster) AS cluster FROM chosen c GROUP BY 1, 2) d) d,
            perfhouse_internal.series_of_conditions(d.experiments, d.metric_ids, d.runs, d.lengths, d.n_ranks, d.n_threads, d.clusters) k),
    ordered AS (
        SELECT c.*, k.series, k.length, k.experiment_text, k.unit, c.commit_id COLLATE "C" AS commit_key,
               perfhouse_internal.series_position(k.series, c."position") AS along,
               CASE WHEN c."position" IS NULL THEN c.measured_at END AS unplaced_at
        FROM chosen c JOIN conditions k USING (experiment, metric_id))
    SELECT o.run_id, o.series::int, perfhouse_internal.place_in_series(o.series) OVER w, o.length,
           perfhouse_internal.commit_in_series(o.series, o.commit_id) OVER w, o.commit_id, o."position",
           o.n_ranks, o.n_threads, o.cluster, o.metric_id, o.n_units, o.measured_at, o.experiment_text, o.unit
    FROM ordered o
    WINDOW w AS (ORDER BY o.along, o.unplaced_at, o.commit_key, o.measured_at, o.run_id)
    ORDER BY o.along, o.unplaced_at, o.commit_key, o.measured_at, o.run_id;
    IF NOT FOUND THEN
        PERFORM perfhouse_internal.require_names($1, $2);
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse.history_runs(text, text, text) IS
    'An application''s runs as series: series numbers the conditions, which are runs that can be compared '
    '(run_experiment) in one metric; place counts the runs of one from 0 along the history, commit_no its commits; '
    'experiment: what a series'' runs have in common; metric_id: the metric as the run has it stored (metric_overview has '
    'the factor that makes its values comparable with those of the others), null for a derived one (define_metric), of '
    'which the runs are those that have all metrics in its formula; unit: of the values. Excluded runs and runs without the metric are '
    'left out; time stands for a run''s primary metric when it has none of that name. Errors: PH002 for an '
    'application or metric that the warehouse does not know.';

-- One scan of the runs for their places and for the months. The planner cannot know how many runs a function gives: a nested loop
-- over them would take hours; those that are left, over a row or two, make it believe that compiling pays.
CREATE OR REPLACE FUNCTION perfhouse_internal.series_places(application text, metric text, filter text, has_months boolean DEFAULT false)
RETURNS TABLE (run_id bigint, series int, place int, length int, commit_no int, metric_id int, month date, number int)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_mergejoin = off SET enable_nestloop = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
    may_use boolean := has_months AND perfhouse_internal.may_use_months();
BEGIN
    RETURN QUERY
    WITH asked AS MATERIALIZED (
        SELECT h.run_id, h.commit_id COLLATE "C" AS commit_id, h."position", h.n_ranks, h.n_threads, h.cluster, h.measured_at,
               coalesce(h.experiment, h.run_id::text) COLLATE "C" AS experiment,
               perfhouse_internal.metric_asked(h.metrics, h.metric_ids, h.primary_metric_id, $2) AS metric_id, h.primary_metric_id,
               h.excluded_reason IS NULL AND ($3 IS NULL OR h.run_id IN (SELECT perfhouse.runs_matching($3))) AS is_chosen,
               CASE WHEN may_use THEN h.mark END AS mark,
               CASE WHEN may_use AND h.is_measured THEN perfhouse_internal.month_of(h.measured_at) END AS month
        FROM perfhouse.run_history h WHERE h.application = $1),
    rolled AS MATERIALIZED ( -- a row a month; its runs are numbered by where they are in the array
        SELECT a.month, min(m.last_run) AS last_run, array_agg(a.run_id ORDER BY a.run_id) AS runs
        FROM asked a JOIN perfhouse.run_month m ON m.month = a.month AND m.application = $1
        WHERE a.run_id <= m.last_run
        GROUP BY 1 HAVING count(*) = min(m.n_runs) AND bit_xor(a.mark) = min(m.mark)),
    conditions AS MATERIALIZED (
        SELECT k.* FROM (
            SELECT array_agg(d.experiment) AS experiments, array_agg(d.metric_id) AS metric_ids, array_agg(d.run_id) AS runs,
                array_agg(d.length) AS lengths, array_agg(d.n_ranks) AS n_ranks, array_agg(d.n_threads) AS n_threads,
                array_agg(d.cluster) AS clusters
            FROM (SELECT c.experiment, c.metric_id, min(c.run_id) AS run_id, count(*) AS length, min(c.n_ranks) AS n_ranks,
                    min(c.n_threads) AS n_threads, min(c.cluster) AS cluster FROM asked c WHERE c.is_chosen GROUP BY 1, 2) d) d,
            perfhouse_internal.series_of_conditions(d.experiments, d.metric_ids, d.runs, d.lengths, d.n_ranks, d.n_threads, d.clusters) k),
    ordered AS (
        SELECT c.run_id, c.metric_id, c.commit_id, k.series, k.length, perfhouse_internal.series_position(k.series, c."position") AS along,
               CASE WHEN c."position" IS NULL THEN c.measured_at END AS unplaced_at, c.measured_at, r.month,
               width_bucket(c.run_id, r.runs) - 1 AS number
        FROM asked c JOIN conditions k USING (experiment, metric_id)
        LEFT JOIN rolled r ON r.month = c.month AND c.run_id <= r.last_run AND c.metric_id = c.primary_metric_id
        WHERE c.is_chosen OFFSET 0) -- else the arrays would be sorted, too
    SELECT o.run_id, o.series::int, perfhouse_internal.place_in_series(o.series) OVER w, o.length,
           perfhouse_internal.commit_in_series(o.series, o.commit_id) OVER w, o.metric_id, o.month, o.number
    FROM ordered o
    WINDOW w AS (ORDER BY o.along, o.unplaced_at, o.commit_id, o.measured_at, o.run_id);
    IF NOT FOUND THEN
        PERFORM perfhouse_internal.require_names($1, $2);
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse_internal.series_places(text, text, text, boolean) IS
    'What history_runs says of runs and places of a stored metric, in its order; with has_months also where region_month has their '
    'values of it, as they are now: the month, and the number there, both null where it has not. Errors: as history_runs.';

-- Sparse values: a row where there is one. Sums of many are taken in an order, as they would differ by plans otherwise; those of
-- a function or path are of one or two, but have so many groups that a sort costs more than all else.
CREATE OR REPLACE FUNCTION perfhouse_internal.history_cells(runs bigint[], metric_ids int[], by text, cost text,
    application text DEFAULT NULL)
RETURNS TABLE (run_id bigint, key text, value float8)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    IF by = 'function' THEN
        RETURN QUERY WITH a AS MATERIALIZED (SELECT * FROM perfhouse_internal.aliased_regions(application))
            SELECT s.run_id, coalesce(a.to_name, g.name), sum(CASE cost WHEN 'inclusive' THEN s.inclusive WHEN 'exclusive' THEN s.exclusive
                WHEN 'max' THEN s.max ELSE s.max - s.exclusive END * m.factor)
            FROM unnest(runs, metric_ids) u (run_id, metric_id) JOIN perfhouse.metric_overview m USING (metric_id)
            JOIN perfhouse.region_summary s ON s.run_id = u.run_id
                AND s.metric_id = u.metric_id
            JOIN perfhouse.region g USING (region_id) LEFT JOIN a USING (region_id) GROUP BY 1, 2;
    ELSIF by = 'module' THEN
        RETURN QUERY WITH a AS MATERIALIZED (SELECT * FROM perfhouse_internal.aliased_regions(application))
            SELECT s.run_id, coalesce(perfhouse_internal.module_of(r.run_id, r.labels_id, s.region_id), a.to_library, g.library, ''),
                sum(s.exclusive * m.factor ORDER BY s.region_id)
            FROM unnest(runs, metric_ids) u (run_id, metric_id) JOIN perfhouse.metric_overview m USING (metric_id)
            JOIN perfhouse.run r ON r.run_id = u.run_id
            JOIN perfhouse.region_summary s ON s.run_id = u.run_id
                AND s.metric_id = u.metric_id
            JOIN perfhouse.region g USING (region_id) LEFT JOIN a USING (region_id) GROUP BY 1, 2;
    ELSIF by = 'path' THEN
        RETURN QUERY WITH a AS MATERIALIZED (SELECT * FROM perfhouse_internal.aliased_callpaths(application))
            SELECT s.run_id, coalesce(a.key, s.callpath_id)::text,
                sum(CASE cost WHEN 'exclusive' THEN s.exclusive_sum ELSE s.inclusive_sum END * m.factor / s.n_units)
            FROM perfhouse_internal.run_sums(runs, metric_ids) s JOIN perfhouse.metric_overview m USING (metric_id)
            LEFT JOIN a USING (callpath_id) GROUP BY 1, 2;
    ELSE
        RETURN QUERY SELECT s.run_id, 'total'::text, sum(s.inclusive_sum ORDER BY s.callpath_id) * min(m.factor) / min(s.n_units)
            FROM perfhouse_internal.run_sums(runs, metric_ids, ARRAY(
                SELECT c.callpath_id FROM perfhouse.callpath c WHERE c.parent_id IS NULL)) s
            JOIN perfhouse.metric_overview m USING (metric_id) GROUP BY 1;
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse_internal.history_cells(bigint[], int[], text, text, text) IS
    'Values of runs (with a metric each) by function, module, path or total under the aliases of an application, a '
    'row where there is one. Used by history_series.';

-- Starts at the keys, not at the runs: pictures ask for a few of thousands. How many of both there are decides the
-- plan, so each call has its own.
CREATE OR REPLACE FUNCTION perfhouse_internal.history_cells_of(keys text[], runs bigint[], metric_ids int[], by text, cost text,
    application text DEFAULT NULL)
RETURNS TABLE (run_id bigint, key text, value float8)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
BEGIN
    IF by = 'function' THEN
        RETURN QUERY WITH a AS MATERIALIZED (SELECT * FROM perfhouse_internal.aliased_regions(application)),
            wanted AS (
                SELECT k.key, coalesce((SELECT min(a.to_name) FROM a WHERE a.name = k.key), k.key) AS name FROM unnest(keys) k (key)),
            members AS MATERIALIZED (
                SELECT w.key, g.region_id FROM wanted w JOIN perfhouse.region g USING (name)
                WHERE NOT EXISTS (SELECT FROM a WHERE a.region_id = g.region_id AND a.to_name <> w.name)
                UNION SELECT w.key, a.region_id FROM wanted w JOIN a ON a.to_name = w.name)
            SELECT s.run_id, m.key, sum(CASE cost WHEN 'inclusive' THEN s.inclusive WHEN 'exclusive' THEN s.exclusive
                WHEN 'max' THEN s.max ELSE s.max - s.exclusive END * o.factor)
            FROM members m JOIN perfhouse.region_summary s USING (region_id)
            JOIN unnest(runs, metric_ids) u (run_id, metric_id) ON u.run_id = s.run_id AND u.metric_id = s.metric_id
            JOIN perfhouse.metric_overview o ON o.metric_id = u.metric_id GROUP BY 1, 2;
    ELSIF by = 'path' THEN
        RETURN QUERY WITH a AS MATERIALIZED (SELECT * FROM perfhouse_internal.aliased_callpaths(application)),
            wanted AS MATERIALIZED (
                SELECT k.key, coalesce(a.key, k.key::bigint) AS stored_key FROM unnest(keys) k (key)
                LEFT JOIN a ON a.callpath_id = k.key::bigint),
            members AS MATERIALIZED (
                SELECT w.key, w.stored_key AS callpath_id FROM wanted w
                UNION SELECT w.key, a.callpath_id FROM wanted w JOIN a ON a.key = w.stored_key)
            SELECT s.run_id, m.key, sum(CASE cost WHEN 'exclusive' THEN s.exclusive_sum ELSE s.inclusive_sum END * o.factor / s.n_units)
            FROM perfhouse_internal.run_sums(runs, metric_ids, ARRAY(SELECT m.callpath_id FROM members m)) s
            JOIN members m USING (callpath_id) JOIN perfhouse.metric_overview o USING (metric_id)
            GROUP BY 1, 2;
    ELSE
        RETURN QUERY SELECT c.* FROM perfhouse_internal.history_cells(runs, metric_ids, by, cost, application) c WHERE c.key = ANY (keys);
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse_internal.history_cells_of(text[], bigint[], int[], text, text, text) IS
    'What history_cells says, of some functions, modules or paths only, each under the key that was asked for: a name '
    'that counts as another by an alias has what that one has.';

CREATE OR REPLACE FUNCTION perfhouse.call_path_text(callpath_id bigint) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    WITH RECURSIVE up (callpath_id, parent_id, region_id, step) AS (
        SELECT c.callpath_id, c.parent_id, c.region_id, 0 FROM perfhouse.callpath c WHERE c.callpath_id = $1
        UNION ALL SELECT c.callpath_id, c.parent_id, c.region_id, u.step + 1 FROM up u
            JOIN perfhouse.callpath c ON c.callpath_id = u.parent_id)
    SELECT string_agg(g.name, '/' ORDER BY u.step DESC) FROM up u JOIN perfhouse.region g USING (region_id)
$$;
COMMENT ON FUNCTION perfhouse.call_path_text(bigint) IS 'A stored call path as names from the root, joined by /.';

-- Values of functions as arrays: those of months that are rolled up as they are there, others by run and region, which are
-- looked up in one scan of the index and meet what is known of the runs in a hash table.
CREATE OR REPLACE FUNCTION perfhouse_internal.region_series(runs bigint[], metric_ids int[], of_series int[], at_places int[], cost text)
RETURNS TABLE (series int, metric_id int, region_id bigint, places int[], "values" float8[])
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_nestloop = off SET enable_mergejoin = off SET enable_sort = off AS $$ -- as in region_sums
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT u.series, s.metric_id, s.region_id, array_agg(u.place), array_agg(CASE cost WHEN 'exclusive' THEN s.exclusive
        WHEN 'inclusive' THEN s.inclusive WHEN 'max' THEN s.max ELSE s.max - s.exclusive END)
    FROM unnest($1, $2, $3, $4) u (run_id, metric_id, series, place)
    JOIN perfhouse.region_summary s ON s.run_id = u.run_id AND s.metric_id = u.metric_id
    WHERE s.run_id = ANY ($1)
    GROUP BY 1, 2, 3;
END $$;
COMMENT ON FUNCTION perfhouse_internal.region_series(bigint[], int[], int[], int[], text) IS
    'Costs of regions in runs that have a metric, a series and a place each, by series, as they are stored.';

-- Merging would sort all runs again.
CREATE OR REPLACE FUNCTION perfhouse_internal.function_series(application text, metric text, filter text, cost text)
RETURNS TABLE (series int, key text, "values" float8[], commits int[], runs bigint[])
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp SET enable_mergejoin = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH placed AS MATERIALIZED (SELECT p.* FROM perfhouse_internal.series_places($1, $2, $3, $4 = 'exclusive') p),
    whole AS MATERIALIZED (
        SELECT p.series, max(p.length) AS length, array_agg(p.commit_no ORDER BY p.place) AS commits,
            array_agg(p.run_id ORDER BY p.place) AS runs
        FROM placed p GROUP BY p.series),
    months AS MATERIALIZED (
        SELECT p.month, p.series, p.metric_id, array_agg(p.place) AS places, array_agg(p.number) AS numbers
        FROM placed p WHERE p.month IS NOT NULL GROUP BY 1, 2, 3),
    live AS MATERIALIZED (
        SELECT array_agg(p.run_id) AS runs, array_agg(p.metric_id) AS metric_ids, array_agg(p.series) AS series,
            array_agg(p.place) AS places
        FROM placed p WHERE p.month IS NULL),
    cells AS (
        SELECT m.series, m.metric_id, v.region_id, m.places, m.numbers, v.runs, v."values"
        FROM months m JOIN perfhouse.region_month v ON v.application = $1 AND v.month = m.month AND v.metric_id = m.metric_id
            AND NOT v.is_excluded
        UNION ALL
        SELECT v.series, v.metric_id, v.region_id, v.places, NULL, NULL, v."values"
        FROM live l, perfhouse_internal.region_series(l.runs, l.metric_ids, l.series, l.places, $4) v),
    a AS MATERIALIZED (SELECT * FROM perfhouse_internal.aliased_regions($1)),
    dense AS (
        SELECT c.series, coalesce(a.to_name, g.name) AS key,
            perfhouse.dense_series(c.places, c.numbers, c.runs, c."values", m.factor, w.length ORDER BY c.region_id) AS "values"
        FROM cells c JOIN perfhouse.metric_overview m USING (metric_id) JOIN perfhouse.region g USING (region_id)
        LEFT JOIN a USING (region_id) JOIN whole w USING (series)
        GROUP BY 1, 2)
    SELECT d.series, d.key, d."values", w.commits, w.runs FROM dense d JOIN whole w USING (series) WHERE d."values" IS NOT NULL;
END $$;
COMMENT ON FUNCTION perfhouse_internal.function_series(text, text, text, text) IS 'history_series by function.';

CREATE OR REPLACE FUNCTION perfhouse.history_series(application text, metric text DEFAULT 'time', by text DEFAULT 'function',
    filter text DEFAULT NULL, cost text DEFAULT NULL)
RETURNS TABLE (series int, key text, "values" float8[], commits int[], runs bigint[])
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    measure text := coalesce(cost, CASE WHEN by IN ('path', 'total') THEN 'inclusive' ELSE 'exclusive' END);
BEGIN
    IF by IS NULL OR by NOT IN ('function', 'module', 'path', 'total') THEN
        RAISE EXCEPTION 'unknown level "%"', by USING ERRCODE = '22023', HINT = 'by is function, module, path or total.';
    ELSIF measure NOT IN ('inclusive', 'exclusive') AND NOT (by = 'function' AND measure IN ('max', 'imbalance'))
       OR by = 'module' AND measure <> 'exclusive' OR by = 'total' AND measure <> 'inclusive' THEN
        RAISE EXCEPTION 'no cost "%" by %', measure, by USING ERRCODE = '22023',
            HINT = 'function: inclusive, exclusive, max or imbalance (max - mean over ranks); path: inclusive or exclusive; '
                'module: exclusive; total: inclusive.';
    END IF;
    IF perfhouse_internal.is_derived($1, $2) THEN
        RETURN QUERY SELECT * FROM perfhouse_internal.derived_series($1, $2, $3, $4, measure);
        RETURN;
    ELSIF by = 'function' THEN
        RETURN QUERY SELECT * FROM perfhouse_internal.function_series($1, $2, $4, measure);
        RETURN;
    END IF;
    RETURN QUERY
    WITH chosen AS MATERIALIZED (SELECT * FROM perfhouse_internal.series_places($1, $2, $4)),
    whole AS MATERIALIZED (
        SELECT c.series, array_agg(c.commit_no ORDER BY c.place) AS commits, array_agg(c.run_id ORDER BY c.place) AS runs
        FROM chosen c GROUP BY c.series),
    listed AS MATERIALIZED (SELECT array_agg(c.run_id) AS runs, array_agg(c.metric_id) AS metric_ids FROM chosen c),
    dense AS (
        SELECT c.series, v.key, perfhouse.dense_series(c.place, v.value, c.length) AS "values"
        FROM listed l, perfhouse_internal.history_cells(l.runs, l.metric_ids, $3, measure, $1) v JOIN chosen c USING (run_id)
        GROUP BY c.series, v.key)
    SELECT d.series, d.key, d."values", w.commits, w.runs FROM dense d JOIN whole w USING (series);
END $$;
COMMENT ON FUNCTION perfhouse.history_series(text, text, text, text, text) IS
    'The values of every function, module, call path (key: its id) or of the whole program along the history, 0 where '
    'a run has none, with the number of the commit and the run of each place. by: function, module, path, total. '
    'cost: exclusive (default of function and module) or inclusive (default of path and total); of functions also max '
    '(over ranks) and imbalance (max - mean). filter: a run filter. Functions and paths are under the names that '
    'aliases give them (add_alias); inclusive costs of functions that became one add up. Errors: PH002 for an '
    'application or metric that the warehouse does not know; 22023 for another level or cost, or what is not a filter. '
    'Derived metrics (define_metric) are evaluated of the sums; where a quotient has no value it is null.';

CREATE OR REPLACE FUNCTION perfhouse.change_points(application text, metric text DEFAULT 'time', by text DEFAULT 'function',
    filter text DEFAULT NULL, mode text DEFAULT 'default', max_p_value float8 DEFAULT NULL, max_q_value float8 DEFAULT NULL,
    min_magnitude float8 DEFAULT 0, cost text DEFAULT NULL)
RETURNS TABLE (path text, commit_id text, mean_before float8, mean_after float8, magnitude float8, p_value float8, q_value float8,
    run_id bigint, "position" int, index int, previous_commit_id text, relative float8, sd_before float8, sd_after float8,
    n_before int, n_after int, n_ranks int, n_threads int, cluster text, metric_id int, unit text, callpath_id bigint, series int,
    score float8, autocorrelation float8, also text[], experiment text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 20 SET search_path = pg_catalog, pg_temp AS $$
    WITH points AS MATERIALIZED (
        SELECT s.series, s.key, s.runs, p.*, perfhouse.false_discovery_rate(p.series_p_value) OVER () AS q
        FROM perfhouse.history_series($1, $2, $3, $4, $9) s LEFT JOIN LATERAL
             perfhouse.change_point_indexes(s."values", $5, $6, $8, NULL, CASE WHEN $5 = 'default' THEN s.commits END) p ON true),
    kept AS MATERIALIZED (SELECT p.* FROM points p WHERE p.q <= coalesce($7, CASE WHEN $5 = 'otava' THEN 1 ELSE 0.05 END)),
    -- what history_runs says, of the few runs that are shown
    ends AS MATERIALIZED (
        SELECT h.* FROM perfhouse.run_history h WHERE h.run_id = ANY (ARRAY(
            SELECT u.run_id FROM kept p, unnest(p.runs[p.index : p.index + 1]) u (run_id)))),
    here AS MATERIALIZED (
        SELECT h.run_id, h.commit_id, h."position", h.n_ranks, h.n_threads, h.cluster, m.metric_id, m.unit,
            (SELECT perfhouse_internal.experiment_text(x.keys, x."values") FROM perfhouse.run_experiment x
                WHERE x.run_id = h.run_id) AS experiment
        FROM ends h
        JOIN perfhouse.metric_overview m ON m.metric_id =
            perfhouse_internal.metric_asked(h.metrics, h.metric_ids, h.primary_metric_id, $2)
        WHERE NOT perfhouse_internal.is_derived($1, $2)
        UNION ALL
        SELECT h.run_id, h.commit_id, h."position", h.n_ranks, h.n_threads, h.cluster, h.metric_id, h.unit, h.experiment
        FROM perfhouse.history_runs($1, $2, $4) h WHERE perfhouse_internal.is_derived($1, $2))
    SELECT CASE WHEN $3 = 'path' THEN perfhouse.call_path_text(p.key::bigint) ELSE p.key END, here.commit_id, p.mean_before, p.mean_after,
           p.magnitude, p.p_value, p.q, here.run_id, here."position", p.index, before.commit_id,
           p.mean_after / nullif(p.mean_before, 0) - 1, p.sd_before, p.sd_after, p.n_before, p.n_after, here.n_ranks, here.n_threads,
           here.cluster, m.first_metric_id, here.unit, CASE WHEN $3 = 'path' THEN p.key::bigint END,
           p.series, p.score, p.autocorrelation,
           CASE $3 WHEN 'function' THEN (SELECT array_agg(DISTINCT a.name) FROM perfhouse_internal.aliased_regions($1) a
               WHERE a.to_name = p.key AND a.name <> p.key)
                   WHEN 'path' THEN (SELECT array_agg(perfhouse.call_path_text(a.callpath_id) ORDER BY a.callpath_id)
                       FROM perfhouse_internal.aliased_callpaths($1) a
                                     WHERE a.key = p.key::bigint AND a.callpath_id <> a.key) END,
           here.experiment
    FROM kept p
    JOIN here ON here.run_id = p.runs[p.index + 1]
    LEFT JOIN perfhouse.metric_overview m ON m.metric_id = here.metric_id
    JOIN ends before ON before.run_id = p.runs[p.index]
    ORDER BY p.series, here."position" NULLS LAST, p.index, p.q, p.key
$$;
COMMENT ON FUNCTION perfhouse.change_points(text, text, text, text, text, float8, float8, float8, text) IS
    'Where an application''s functions (by => module, path, total: those) became slower or faster along its history: '
    'a row per change, with the first commit and run of the new level and the last commit of the old one. Runs that '
    'cannot be compared (run_experiment) or have a metric of another dimension are series of their own; excluded runs are left '
    'out. q_value controls the false discovery rate over all series that were looked at (Benjamini and Hochberg); mode default keeps '
    'q_value <= 0.05, mode otava everything. mode, max_p_value, min_magnitude, p_value, magnitude: see '
    'change_point_indexes. The default mode parts series between commits only. filter: a run filter, see '
    'run_filter_sql. cost: see history_series. relative: mean_after / mean_before - 1. also: what else counts as this '
    'function or path by aliases (add_alias). Errors: as history_series.';

-- PL/pgSQL keeps the plan; planning would take longer than the query. Runs and their values are joined by a hash table
-- however few the planner expects: run by run it would be quadratic. Only the lateral lookups are loops.
CREATE OR REPLACE FUNCTION perfhouse.history(application text, path text, metric text DEFAULT 'time', filter text DEFAULT NULL,
    cost text DEFAULT 'exclusive')
RETURNS TABLE (run_id bigint, series int, place int, commit_id text, "position" int, measured_at timestamptz, value float8, min float8,
    max float8, n_ranks int, n_threads int, cluster text, unit text, experiment text)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_mergejoin = off SET enable_nestloop = off SET jit = off AS $$
#variable_conflict use_column
BEGIN
    PERFORM perfhouse_internal.require_names($1, $3, $2);
    IF perfhouse_internal.is_derived($1, $3) THEN
        RETURN QUERY SELECT * FROM perfhouse_internal.derived_history($1, $2, $3, $4, $5);
        RETURN;
    END IF;
    RETURN QUERY
    -- series and places as in history_runs, in one pass: pictures ask for this with every click
    WITH a AS MATERIALIZED (SELECT * FROM perfhouse_internal.aliased_regions($1)),
    wanted AS (SELECT coalesce((SELECT min(a.to_name) FROM a WHERE a.name = $2), $2) AS name),
    regions AS MATERIALIZED (
        SELECT g.region_id FROM wanted w, LATERAL (SELECT r.region_id FROM perfhouse.region r WHERE r.name = w.name OFFSET 0) g
        WHERE NOT EXISTS (SELECT FROM a WHERE a.region_id = g.region_id AND a.to_name <> w.name)
        UNION SELECT a.region_id FROM wanted w JOIN a ON a.to_name = w.name),
    summed AS ( -- one region is the rule, of which nothing is to be added up
        SELECT r.run_id, r.metric_id, CASE $5 WHEN 'inclusive' THEN r.inclusive ELSE r.exclusive END AS value, r.min, r.max
        FROM perfhouse.region_summary r
        WHERE (SELECT count(*) FROM regions) = 1 AND r.region_id = (SELECT min(g.region_id) FROM regions g)
        UNION ALL
        SELECT s.run_id, s.metric_id, sum(CASE $5 WHEN 'inclusive' THEN s.inclusive ELSE s.exclusive END ORDER BY s.region_id),
            sum(s.min ORDER BY s.region_id), sum(s.max ORDER BY s.region_id)
        FROM regions g, LATERAL (SELECT * FROM perfhouse.region_summary r WHERE r.region_id = g.region_id OFFSET 0) s
        WHERE (SELECT count(*) FROM regions) > 1 GROUP BY 1, 2),
    chosen AS MATERIALIZED (
        SELECT h.run_id, h.commit_id, h."position", h.n_ranks, h.n_threads, h.cluster, h.measured_at,
               coalesce(h.experiment, h.run_id::text) COLLATE "C" AS experiment,
               perfhouse_internal.metric_asked(h.metrics, h.metric_ids, h.primary_metric_id, $3) AS metric_id
        FROM perfhouse.run_history h
        WHERE h.application = $1 AND h.excluded_reason IS NULL
          AND ($4 IS NULL OR h.run_id IN (SELECT perfhouse.runs_matching($4)))),
    conditions AS MATERIALIZED (
        SELECT k.* FROM (
            SELECT array_agg(d.experiment) AS experiments, array_agg(d.metric_id) AS metric_ids, array_agg(d.run_id) AS runs,
                array_agg(d.length) AS lengths, array_agg(d.n_ranks) AS n_ranks, array_agg(d.n_threads) AS n_threads,
                array_agg(d.cluster) AS clusters
            FROM (SELECT c.experiment, c.metric_id, min(c.run_id) AS run_id, count(*) AS length, min(c.n_ranks) AS n_ranks,
                    min(c.n_threads) AS n_threads, min(c.cluster) AS cluster FROM chosen c GROUP BY 1, 2) d) d,
            perfhouse_internal.series_of_conditions(d.experiments, d.metric_ids, d.runs, d.lengths, d.n_ranks, d.n_threads, d.clusters) k)
    SELECT o.run_id, o.series::int, perfhouse_internal.place_in_series(o.series) OVER w, o.commit_id, o."position", o.measured_at,
           coalesce(o.value * o.factor, 0), o.min * o.factor, o.max * o.factor, o.n_ranks, o.n_threads, o.cluster, o.unit,
           o.experiment_text
    FROM (SELECT c.*, k.series, k.factor, k.unit, k.experiment_text, s.value, s.min, s.max, c.commit_id COLLATE "C" AS commit_key,
            perfhouse_internal.series_position(k.series, c."position") AS along,
            CASE WHEN c."position" IS NULL THEN c.measured_at END AS unplaced_at
        FROM chosen c JOIN conditions k USING (experiment, metric_id)
        LEFT JOIN summed s ON s.run_id = c.run_id AND s.metric_id = c.metric_id) o
    WINDOW w AS (ORDER BY o.along, o.unplaced_at, o.commit_key, o.measured_at, o.run_id)
    ORDER BY o.along, o.unplaced_at, o.commit_key, o.measured_at, o.run_id;
END $$;
COMMENT ON FUNCTION perfhouse.history(text, text, text, text, text) IS
    'One function''s cost in every run of an application, along the history: exclusive (or cost => inclusive), mean '
    'over units, 0 where the run has no such function; min and max over units are of the exclusive cost. Functions '
    'that count as it by aliases (add_alias) are added. For points and pictures; see change_points for what changed. '
    'Derived metrics (define_metric) are made of the sums, without min and max; a quotient without value is null. '
    'Errors: PH002 for an application, function or metric that the warehouse does not know.';

-- ------------------------------------------------------------------------------------------ pictures of histories
CREATE OR REPLACE FUNCTION perfhouse.history_costs(application text, metric text DEFAULT 'time', filter text DEFAULT NULL,
    by text DEFAULT 'function')
RETURNS TABLE (key text, cost float8)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    runs bigint[]; -- arrays, so that the planner knows how few they are
    metric_ids int[];
BEGIN
    SELECT array_agg(r.run_id), array_agg(r.metric_id) INTO runs, metric_ids
    FROM perfhouse.history_runs($1, $2, $3) r WHERE r.place >= r.length - 3;
    IF perfhouse_internal.is_derived($1, $2) THEN
        RETURN QUERY SELECT * FROM perfhouse_internal.derived_costs($2, runs, by);
    ELSIF by = 'path' THEN
        RETURN QUERY SELECT s.callpath_id::text, avg(s.exclusive_sum * m.factor / s.n_units ORDER BY s.run_id)
            FROM perfhouse_internal.run_sums(runs, metric_ids) s JOIN perfhouse.metric_overview m USING (metric_id)
            GROUP BY s.callpath_id;
    ELSE
        RETURN QUERY WITH cells AS MATERIALIZED (
            SELECT s.run_id, s.region_id, s.exclusive * m.factor AS cost, CASE by
                WHEN 'module' THEN coalesce(perfhouse_internal.module_of(r.run_id, r.labels_id, s.region_id), g.library, '')
                ELSE g.name END AS key
            FROM unnest(runs, metric_ids) u (run_id, metric_id) JOIN perfhouse.run r USING (run_id)
            JOIN perfhouse.region_summary s USING (run_id, metric_id)
            JOIN perfhouse.metric_overview m USING (metric_id)
            JOIN perfhouse.region g USING (region_id))
            SELECT c.key, sum(c.cost ORDER BY c.run_id, c.region_id) FROM cells c GROUP BY 1;
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse.history_costs(text, text, text, text) IS
    'What the latest three runs of every series of an application have: functions, modules or call paths (key: the '
    'id), under their own names, with their exclusive cost, for choosing what to look at (of a derived quotient: what '
    'they have of its divisor). by: function, module, path. '
    'Errors: as history_runs.';

-- Of many runs the first answers; asked from queries that have the runs at hand.
CREATE OR REPLACE FUNCTION perfhouse_internal.any_has_function(runs bigint[], metric_ids int[], name text) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN EXISTS (SELECT 1 FROM perfhouse.region g JOIN perfhouse.region_summary s USING (region_id)
        JOIN (SELECT unnest($1) AS run_id, unnest($2) AS metric_id) r USING (run_id, metric_id) WHERE g.name = $3);
END $$;
COMMENT ON FUNCTION perfhouse_internal.any_has_function(bigint[], int[], text) IS
    'Whether one of the runs has values of a function, of its metric (parallel to runs).';

CREATE OR REPLACE FUNCTION perfhouse_internal.any_has_path(runs bigint[], metric_ids int[], callpath_id bigint) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN EXISTS (SELECT 1 FROM (SELECT unnest($1) AS run_id, unnest($2) AS metric_id) r
        JOIN perfhouse.profile_summary_1 s USING (run_id, metric_id) WHERE s.callpath_id = $3);
END $$;
COMMENT ON FUNCTION perfhouse_internal.any_has_path(bigint[], int[], bigint) IS
    'Whether one of the runs, stored by a release before 0.2.0, has values of a call path, of its metric (parallel to runs).';

CREATE OR REPLACE FUNCTION perfhouse.history_named(application text, metric text, filter text, names text[], by text DEFAULT NULL)
RETURNS TABLE (panel int, level text, key text, label text, callpath_id bigint, n_candidates int, candidates text[])
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    stored text := perfhouse_internal.stored_name($1, $2);
BEGIN
    RETURN QUERY
    WITH runs AS MATERIALIZED ( -- those of history_runs, without their order, which costs most
        SELECT h.run_id, perfhouse_internal.metric_asked(h.metrics, h.metric_ids, h.primary_metric_id, stored) AS metric_id
        FROM perfhouse.run_history h
        WHERE h.application = $1 AND h.excluded_reason IS NULL
          AND ($3 IS NULL OR h.run_id IN (SELECT perfhouse.runs_matching($3)))
          AND (stored IS NULL OR stored = 'time' OR stored = ANY (h.metrics))),
    all_runs AS MATERIALIZED (SELECT array_agg(r.run_id) AS ids, array_agg(r.metric_id) AS metric_ids FROM runs r),
    wanted AS MATERIALIZED (SELECT w.name, w.no FROM unnest(names) WITH ORDINALITY w (name, no)),
    spelled AS MATERIALIZED ( -- call paths that end as asked for, and that the runs have
        SELECT w.no, w.name, k.callpath_id, p.path
        FROM wanted w JOIN perfhouse.region g ON g.name = w.name OR right(w.name, length(g.name) + 1) = '/' || g.name
        JOIN perfhouse.callpath k USING (region_id), perfhouse.call_path_text(k.callpath_id) p (path)
        WHERE coalesce(by, 'path') = 'path' AND (p.path = w.name OR right(p.path, length(w.name) + 1) = '/' || w.name)
          AND (EXISTS (SELECT FROM runs r JOIN perfhouse.run q USING (run_id) JOIN perfhouse.call_tree t USING (tree_id)
                       WHERE k.callpath_id = ANY (t.callpath_ids))
               OR (SELECT perfhouse_internal.any_has_path(a.ids, a.metric_ids, k.callpath_id) FROM all_runs a))),
    exact AS MATERIALIZED ( -- a whole path is none that ends so
        SELECT s.*, count(*) OVER (PARTITION BY s.no) AS n FROM spelled s
        WHERE s.path = s.name OR NOT EXISTS (SELECT FROM spelled t WHERE t.no = s.no AND t.path = t.name)),
    functions AS MATERIALIZED (
        SELECT w.no, w.name FROM wanted w
        WHERE coalesce(by, 'function') = 'function'
          AND (SELECT perfhouse_internal.any_has_function(a.ids, a.metric_ids, w.name) FROM all_runs a)),
    modules AS MATERIALIZED (
        SELECT w.no, w.name FROM wanted w
        WHERE by = 'module' AND w.name IN (SELECT c.key FROM perfhouse.history_costs($1, $2, $3, 'module') c)),
    found AS (
        SELECT e.no, 'path' AS level, e.callpath_id::text AS key, e.path AS label, e.callpath_id FROM exact e
        WHERE by IS NOT NULL OR e.name LIKE '%/%' OR e.n = 1
        UNION ALL SELECT f.no, 'function', f.name, f.name, NULL FROM functions f
        WHERE by = 'function' OR NOT EXISTS (SELECT FROM exact e WHERE e.no = f.no AND e.n = 1)
        UNION ALL SELECT m.no, 'module', m.name, m.name, NULL FROM modules m)
    SELECT row_number() OVER (ORDER BY f.no, f.label, f.key)::int, f.level, f.key, f.label, f.callpath_id, 0, NULL::text[]
    FROM found f
    UNION ALL
    (SELECT NULL, NULL, NULL, w.name, NULL, 0, ARRAY(
            SELECT c.key FROM perfhouse.history_costs($1, $2, $3, CASE by WHEN 'module' THEN by ELSE 'function' END) c ORDER BY c.key)
        FROM wanted w
        WHERE EXISTS (SELECT FROM runs)
          AND w.no NOT IN (SELECT e.no FROM exact e UNION SELECT f.no FROM functions f UNION SELECT m.no FROM modules m)
        ORDER BY w.no LIMIT 1);
    IF NOT FOUND THEN
        PERFORM perfhouse_internal.require_names($1, $2);
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse.history_named(text, text, text, text[], text) IS
    'What names mean in an application''s history. by null: a whole call path (names joined by /), all that end so, or, '
    'of a name alone that several or no call paths end with, the function; path, function, module: these only. In the '
    'order of the names, then of labels. Last, without panel, level and key, the first name that the runs do not '
    'have, with the functions (by module: the modules) of the latest runs as candidates. Errors: as history_runs.';

CREATE OR REPLACE FUNCTION perfhouse.history_targets(application text, metric text DEFAULT 'time', filter text DEFAULT NULL,
    names text[] DEFAULT '{}', by text DEFAULT NULL, most int DEFAULT 16)
RETURNS TABLE (panel int, level text, key text, label text, callpath_id bigint, n_candidates int, candidates text[])
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    what text := coalesce($5, 'path');
BEGIN
    IF cardinality(names) > 0 THEN
        RETURN QUERY SELECT * FROM perfhouse.history_named($1, $2, $3, $4, $5);
    ELSIF what = 'total' THEN
        RETURN QUERY SELECT 1, what, what, 'whole program', NULL::bigint, 0, NULL::text[];
    ELSE
        RETURN QUERY
        SELECT r.no::int, what, r.key, CASE what WHEN 'path' THEN perfhouse.call_path_text(r.callpath_id) ELSE r.key END,
            r.callpath_id, r.n, NULL::text[]
        FROM (SELECT c.*, row_number() OVER (ORDER BY EXISTS (SELECT FROM perfhouse.regression q WHERE q.application = $1
                    AND q.callpath_id = c.callpath_id AND q.state IN ('new', 'active')) DESC, c.cost DESC, c.key) AS no
            FROM (SELECT h.*, CASE what WHEN 'path' THEN h.key::bigint END AS callpath_id, (count(*) OVER ())::int AS n
                FROM perfhouse.history_costs($1, $2, $3, what) h) c) r
        WHERE r.no <= most ORDER BY r.no;
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse.history_targets(text, text, text, text[], text, int) IS
    'What a picture of an application''s history shows, a row per panel. names: call paths, ends of such, functions or '
    'modules, see history_named; none: by => path (default), function or module with open regressions first, then '
    'with the highest exclusive cost in the latest runs, at most so many of n_candidates; total: the whole program. '
    'level and key as history_series has them; callpath_id: of a path. Errors: as history_runs.';

CREATE OR REPLACE FUNCTION perfhouse.history_places(application text, metric text DEFAULT 'time', filter text DEFAULT NULL,
    panels int DEFAULT 1, most int DEFAULT 24)
RETURNS TABLE (series int, place int, length int, slot int, run_id bigint, commit_id text, "position" int, commit_no int,
    on_main_line boolean, subject text, author text, committed_at timestamptz, n_ranks int, n_threads int, cluster text,
    metric_id int, measured_at timestamptz, seconds float8, experiment text, unit text)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH runs AS MATERIALIZED (
        SELECT r.*, coalesce(r.commit_id, 'run ' || r.run_id) AS slot_key FROM perfhouse.history_runs($1, $2, $3) r),
    conditions AS (
        SELECT c.series, c.has_history AND (panels * count(*) FILTER (WHERE c.has_history) OVER () <= most
            OR row_number() OVER (ORDER BY c.has_history DESC, c.length DESC, c.series) = 1) AS is_drawn
        FROM (SELECT r.series, r.length, max(r.commit_no) > 1 OR max(max(r.commit_no)) OVER () = 1 AS has_history
            FROM runs r GROUP BY 1, 2) c),
    slots AS MATERIALIZED (
        SELECT s.slot_key, (row_number() OVER (ORDER BY s."position" NULLS LAST, s.first_measured, s.slot_key))::int - 1 AS slot
        FROM (SELECT r.slot_key, min(r."position") AS "position", min(r.measured_at) AS first_measured
            FROM runs r WHERE r.series IN (SELECT c.series FROM conditions c WHERE c.is_drawn) GROUP BY 1) s)
    SELECT r.series, r.place, r.length, CASE WHEN d.is_drawn THEN s.slot END, r.run_id, r.commit_id, r."position", r.commit_no,
        c.first_parent_position IS NOT NULL, c.subject, c.author, c.committed_at,
        r.n_ranks, r.n_threads, r.cluster, r.metric_id, r.measured_at, extract(epoch FROM r.measured_at)::float8, r.experiment,
        r.unit
    FROM runs r JOIN conditions d USING (series) LEFT JOIN slots s USING (slot_key) LEFT JOIN perfhouse.commit c USING (commit_id)
    ORDER BY r.series, r.place;
END $$;
COMMENT ON FUNCTION perfhouse.history_places(text, text, text, int, int) IS
    'An application''s runs as history_runs has them, on an axis that all series share: slot counts the commits (runs '
    'without one: themselves) from 0 along the history. slot is null in series that a picture of so many panels leaves '
    'out: those of one commit when others have several, and all but the longest when there would be more than most '
    'panels in all. seconds: measured_at, since 1970. Errors: as history_runs.';

-- ----------------------------------------------------------------------------------------- kinds of scaling
-- 'strong' where the sizes stay, 'weak' where they grow as the numbers do, else null. A size may be the length of an
-- edge: its square or cube then grows so. Sizes of grids are rounded to whole points, hence a tolerance of a fifth.
CREATE OR REPLACE FUNCTION perfhouse_internal.kind_of_sizes(sizes float8[], times float8[], numbers float8[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN bool_or(k.stays) THEN 'strong' WHEN bool_or(k.grows) THEN 'weak' END
    FROM (SELECT max(v.total) <= min(v.total) * 1.001 AS stays, max(v.total / v.number) <= min(v.total / v.number) * 1.2 AS grows
        FROM generate_series(1, 3) d, LATERAL (SELECT u.size ^ d * u.times AS total, u.number
            FROM unnest($1, $2, $3) u (size, times, number)) v GROUP BY d) k
$$;
COMMENT ON FUNCTION perfhouse_internal.kind_of_sizes(float8[], float8[], float8[]) IS
    'Strong or weak scaling by the sizes of runs, each so many times, along numbers; null: neither.';

CREATE OR REPLACE FUNCTION perfhouse.scaling_kind(runs bigint[], parameter text DEFAULT 'n_ranks')
RETURNS TABLE (kind text, reason text)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    number_of text := (perfhouse_internal.plain_keys(ARRAY[parameter]))[1];
    app text;
    keys text[];
    per text;
    others text;
    sizes float8[];
    ranks float8[];
    numbers float8[];
    of_run text;
    of_rank text;
BEGIN
    SELECT min(r.application), CASE WHEN count(DISTINCT r.application) <> 1 OR count(r.application) < count(*) THEN 'applications' END
        INTO app, others FROM perfhouse.run_overview r WHERE r.run_id = ANY (runs);
    IF app IS NULL OR others IS NOT NULL THEN
        RETURN QUERY SELECT NULL::text, 'the runs are not of one application';
        RETURN;
    END IF;
    SELECT a.size_keys, a.size_of INTO keys, per FROM perfhouse.application a WHERE a.application = app;
    IF keys IS NULL THEN
        SELECT ARRAY[k.key] INTO keys FROM unnest(perfhouse.default_size_keys()) WITH ORDINALITY k (key, no)
        WHERE NOT EXISTS (SELECT FROM perfhouse.run r WHERE r.run_id = ANY (runs)
            AND perfhouse_internal.number_above_0((perfhouse_internal.key_values(to_jsonb(r), ARRAY[k.key]))[1]) IS NULL)
            ORDER BY k.no LIMIT 1;
    END IF;
    SELECT string_agg(d.key, ', ' ORDER BY d.no) INTO others
    FROM perfhouse.experiment_differences(runs) WITH ORDINALITY d (key, status, a_values, b_values, no)
    WHERE d.status IN ('differs', 'unknown') AND d.key <> ALL (ARRAY[number_of, 'n_ranks', 'n_threads', 'n_hosts'])
      AND regexp_replace(d.key, '^meta\.', '') <> ALL (coalesce(keys, '{}'));
    IF others IS NOT NULL THEN
        RETURN QUERY SELECT NULL::text, 'the runs differ in ' || others || ', too: compare those that agree';
        RETURN;
    ELSIF keys IS NULL THEN
        RETURN QUERY SELECT NULL::text, 'the runs do not say the size of their problem (' ||
            array_to_string(perfhouse.default_size_keys(), ', ') || ', or what was set as size keys)';
        RETURN;
    ELSIF keys && ARRAY[number_of] THEN
        RETURN QUERY SELECT NULL::text, number_of || ' is the size of the problem';
        RETURN;
    END IF;
    SELECT array_agg(f.size ORDER BY f.run_id), array_agg(f.n_ranks::float8 ORDER BY f.run_id), array_agg(f.number ORDER BY f.run_id)
    INTO sizes, ranks, numbers
    FROM (SELECT r.run_id, r.n_ranks,
            (SELECT perfhouse_internal.number_above_0(v.v)
             FROM unnest(perfhouse_internal.key_values(to_jsonb(r), ARRAY[number_of])) v (v)) AS number,
            (SELECT CASE WHEN bool_and(perfhouse_internal.number_above_0(v.v) IS NOT NULL)
                         THEN exp(sum(ln(perfhouse_internal.number_above_0(v.v)))) END
             FROM unnest(perfhouse_internal.key_values(to_jsonb(r), keys)) v (v)) AS size
        FROM perfhouse.run r WHERE r.run_id = ANY (runs) AND r.state = 'ready') f;
    IF array_position(sizes, NULL) IS NOT NULL OR array_position(numbers, NULL) IS NOT NULL THEN
        RETURN QUERY SELECT NULL::text, 'not every run has numbers in ' || array_to_string(keys || number_of, ', ');
        RETURN;
    END IF;
    of_run := perfhouse_internal.kind_of_sizes(sizes, array_fill(1::float8, ARRAY[cardinality(sizes)]), numbers);
    of_rank := CASE WHEN array_position(ranks, NULL) IS NULL THEN perfhouse_internal.kind_of_sizes(sizes, ranks, numbers) END;
    RETURN QUERY SELECT k.kind, CASE
        WHEN (SELECT count(DISTINCT n) FROM unnest(numbers) n) < 2 THEN 'all runs have the same ' || number_of
        WHEN k.kind = 'strong' THEN 'the size of the problem stays (' || array_to_string(keys, ' x ') || ')'
        WHEN k.kind = 'weak' THEN 'the problem grows with ' || number_of || ' (' || array_to_string(keys, ' x ') || ')'
        WHEN per IS NULL AND of_run IS NOT NULL THEN array_to_string(keys, ' x ') ||
            ' stays: strong scaling if that is the size of the whole problem, weak if it is that of a rank (perfhouse application set '
            || app || ' --size-of run or rank)'
        ELSE array_to_string(keys, ' x ') || ' neither stays nor grows with ' || number_of END
    FROM (SELECT CASE WHEN (SELECT count(DISTINCT n) FROM unnest(numbers) n) < 2 THEN NULL WHEN per = 'run' THEN of_run
        WHEN per = 'rank' THEN of_rank WHEN of_run IS NULL OR of_run = of_rank THEN of_rank WHEN of_rank IS NULL THEN of_run END AS kind) k;
END $$;
COMMENT ON FUNCTION perfhouse.scaling_kind(bigint[], text) IS
    'Whether runs along a number (a column of run_overview or a key of their metadata) show strong scaling (the size of '
    'the problem stays) or weak scaling (it grows as the number does), by the size keys of their application; null when '
    'they do not tell, with the reason: no sizes, sizes of which nobody has said whether they are of the run or of a '
    'rank where that matters, runs that differ in other experiment keys. For speedup. Errors: 22023 for what cannot be '
    'a parameter.';
