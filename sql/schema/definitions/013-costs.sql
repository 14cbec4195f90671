-- 013-costs.sql - what runs and functions cost, in seconds and hours, over all applications; by month.

CREATE OR REPLACE FUNCTION perfhouse.seconds_of(unit text) RETURNS float8
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT perfhouse_internal.unit_factor(unit, 's')
$$;
COMMENT ON FUNCTION perfhouse.seconds_of(text) IS 'Seconds that one of a unit of time is; null for other units.';

CREATE OR REPLACE FUNCTION perfhouse.nodes_of(run bigint) RETURNS int
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce((SELECT r.n_hosts FROM perfhouse.run r WHERE r.run_id = run AND r.state = 'ready'), 1)
$$;
COMMENT ON FUNCTION perfhouse.nodes_of(bigint) IS 'Hosts of a run; 1 when its file does not say.';

CREATE OR REPLACE VIEW perfhouse.run_cost WITH (security_invoker = true) AS
SELECT r.run_id, r.application, r.title, r.commit_id, r.branch, r.cluster, r.user_name, r.n_ranks, r.n_threads, r.n_units, r.n_hosts,
       r.started_at, r.loaded_at, r.tags, r.excluded_reason, r.metrics[1] AS metric, r.total, m.unit,
       r.total * m.seconds AS seconds, h.node_hours,
       r.total * m.seconds * greatest(r.n_units, r.n_ranks) / 3600 AS unit_hours, coalesce(r.started_at, r.loaded_at) AS measured_at,
       r.parallel_efficiency, r.load_balance, r.communication_efficiency, r.efficiency_estimated,
       h.node_hours * (1 - r.parallel_efficiency) AS lost_node_hours,
       (SELECT sum(s.inclusive_sum) / nullif(r.n_units, 0)
        FROM perfhouse.metric w CROSS JOIN LATERAL perfhouse_internal.run_sums(ARRAY[r.run_id], ARRAY[w.metric_id]) s
        JOIN perfhouse.callpath c USING (callpath_id)
        WHERE w.metric_id = ANY (r.metric_ids) AND w.name = 'wait' AND c.parent_id IS NULL) AS wait,
       r.thread_efficiency, h.node_hours * (1 - r.load_balance) AS lost_to_imbalance,
       h.node_hours * r.load_balance * (1 - r.communication_efficiency) AS lost_to_communication,
       h.node_hours * r.load_balance * r.communication_efficiency * (1 - r.thread_efficiency) AS lost_to_threads,
       r.project,
       coalesce(r.meta ->> 'SLURM_JOB_PARTITION', r.meta ->> 'slurm_job_partition', r.meta ->> 'partition', r.meta ->> 'queue') AS queue,
       (8 ^ width_bucket(r.n_ranks - 1, '{1, 8, 64, 512, 4096, 32768, 262144, 2097152, 16777216}'::int4[]))::int8 AS ranks_up_to,
       1 - r.load_balance * coalesce(r.serialisation_efficiency, 1) AS waiting_share,
       h.node_hours * (1 - r.load_balance * coalesce(r.serialisation_efficiency, 1)) AS lost_to_waiting
FROM perfhouse.run r
LEFT JOIN (SELECT metric_id, unit, CASE WHEN dimension = 'time' AND kind <> 1 THEN 1 END AS seconds FROM perfhouse.metric_overview) m
    ON m.metric_id = r.primary_metric_id
CROSS JOIN LATERAL (SELECT r.total * m.seconds * coalesce(r.n_hosts, 1) / 3600 AS node_hours) h
WHERE r.state = 'ready' AND r.derived_from IS NULL;
COMMENT ON VIEW perfhouse.run_cost IS
    'What every run cost as a whole: its primary metric, mean over execution units (total, in unit; as seconds when '
    'it is a time), and the node-hours (one node when the file names no hosts) and hours of processes or threads '
    '(unit_hours) that it took; how well it used them (efficiency of the run as stored), what of the node-hours was not '
    'used (lost_node_hours: what was lost to imbalance, communication and threads adds up to it), what its events say of '
    'waiting (wait: mean over units, s; null without them), and for whom it ran: user, project, queue, size.';

COMMENT ON COLUMN perfhouse.run_cost.lost_node_hours IS 'node-hours x (1 - parallel efficiency)';
COMMENT ON COLUMN perfhouse.run_cost.thread_efficiency IS 'efficiency of the threads of a process, 0 to 1; null: it has one';
COMMENT ON COLUMN perfhouse.run_cost.lost_to_imbalance IS 'node-hours x (1 - load balance)';
COMMENT ON COLUMN perfhouse.run_cost.lost_to_communication IS 'node-hours x load balance x (1 - communication efficiency)';
COMMENT ON COLUMN perfhouse.run_cost.lost_to_threads IS
    'node-hours x load balance x communication efficiency x (1 - thread efficiency); null: no threads';
COMMENT ON COLUMN perfhouse.run_cost.waiting_share IS
    'share of the time in which processes waited for one another: 1 - load balance x serialisation efficiency; without events for the '
    'one with most work alone';
COMMENT ON COLUMN perfhouse.run_cost.lost_to_waiting IS 'node-hours x waiting_share';
COMMENT ON COLUMN perfhouse.run_cost.project IS 'project that the run belongs to';
COMMENT ON COLUMN perfhouse.run_cost.queue IS
    'partition or queue of the batch system: the metadata SLURM_JOB_PARTITION, slurm_job_partition, partition or queue';
COMMENT ON COLUMN perfhouse.run_cost.ranks_up_to IS 'size of the job: the smallest power of eight that is not below n_ranks';

CREATE OR REPLACE VIEW perfhouse.function_cost WITH (security_invoker = true) AS
SELECT s.run_id, r.application, r.n_ranks, coalesce(r.started_at, r.loaded_at) AS measured_at, s.region_id, g.name, g.library, g.file,
       s.exclusive * m.factor AS exclusive, s.inclusive * m.factor AS inclusive, m.unit,
       CASE m.dimension WHEN 'time' THEN s.exclusive * m.factor END * greatest(r.n_units, r.n_ranks) / 3600 AS unit_hours,
       r.title, r.commit_id, r.branch, r.n_units, r.total AS run_total,
       coalesce(perfhouse_internal.module_of(r.run_id, r.labels_id, s.region_id), g.library) AS module,
       coalesce(perfhouse_internal.paradigm_of(r.run_id, r.labels_id, s.region_id),
           CASE WHEN g.kind NOT IN (2, 3) THEN perfhouse_internal.paradigm_by_name(g.name) END) AS paradigm
FROM perfhouse.region_summary s
JOIN perfhouse.run r ON r.run_id = s.run_id AND r.state = 'ready' AND r.derived_from IS NULL AND s.metric_id = r.primary_metric_id
JOIN perfhouse.metric_overview m ON m.metric_id = s.metric_id
LEFT JOIN perfhouse.region g ON g.region_id = s.region_id; -- always there; a query that asks for no name need not look
COMMENT ON VIEW perfhouse.function_cost IS
    'A row per run and function: its exclusive and inclusive cost, mean over execution units, in unit, and the hours '
    'of processes or threads that it took itself. For sums over many runs; restrict application or measured_at.';

-- ------------------------------------------------------------------------------------------ months
-- What functions cost over months is rolled up. Loads do not touch the roll-up; update_regressions() and retention call
-- refresh_months(). Every question compares what runs say of themselves with what was noted when they were rolled up, in
-- one snapshot: the answer is always that of the runs as they are, whatever was loaded, replaced, excluded, renamed or
-- dropped meanwhile.

CREATE OR REPLACE VIEW perfhouse.month_run WITH (security_invoker = true) AS
SELECT r.run_id, r.application, coalesce(r.application, '') AS application_key, r.measured_at,
       perfhouse_internal.month_of(r.measured_at) AS month, r.is_excluded, r.metric_id, r.n_units, r.n_hosts,
       perfhouse_internal.run_mark(r.run_id, r.loaded_at, r.is_excluded, r.metric_id, r.n_units, r.n_hosts) AS mark
FROM (SELECT q.run_id, q.application, q.loaded_at, coalesce(q.started_at, q.loaded_at) AS measured_at,
          q.excluded_reason IS NOT NULL AS is_excluded, q.primary_metric_id AS metric_id,
          greatest(q.n_units, q.n_ranks) AS n_units, coalesce(q.n_hosts, 1) AS n_hosts
      FROM perfhouse.run q WHERE q.state = 'ready' AND q.derived_from IS NULL) r;
COMMENT ON VIEW perfhouse.month_run IS
    'Every ready run that was measured, with the month (UTC) that it was measured in and what the roll-up by month depends on.';
COMMENT ON COLUMN perfhouse.month_run.application_key IS 'application; empty: none';
COMMENT ON COLUMN perfhouse.month_run.measured_at IS 'when it began, else when it was loaded';
COMMENT ON COLUMN perfhouse.month_run.metric_id IS 'its primary metric';
COMMENT ON COLUMN perfhouse.month_run.n_units IS 'processes or threads';
COMMENT ON COLUMN perfhouse.month_run.n_hosts IS 'hosts; 1 when its file does not say';
COMMENT ON COLUMN perfhouse.month_run.mark IS 'a hash that changes with what the roll-up of the run depends on';

CREATE OR REPLACE FUNCTION perfhouse_internal.least_runs_of_month() RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$ SELECT 8 $$;
COMMENT ON FUNCTION perfhouse_internal.least_runs_of_month() IS
    'From how many runs on a month of an application is rolled up: of fewer there is little to save.';

-- Only who sees every run may use what was made of all of them.
CREATE OR REPLACE FUNCTION perfhouse_internal.may_use_months() RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN perfhouse_internal.search_scope() = '' AND EXISTS (SELECT FROM perfhouse.run_month);
END $$;
COMMENT ON FUNCTION perfhouse_internal.may_use_months() IS
    'Whether there are months that are rolled up and the caller sees all runs that went into them.';

-- A run's rows are neighbours: they are looked up by run, in one scan of the index for all runs (a nested loop takes twice as
-- long), and added up in a hash table, whatever the planner thinks of their number, before anything is joined with them.
CREATE OR REPLACE FUNCTION perfhouse_internal.region_sums(runs bigint[], metric int, has_max boolean)
RETURNS TABLE (region_id bigint, n_runs bigint, exclusive float8, max float8)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_sort = off AS $$
#variable_conflict use_column
BEGIN
    IF has_max THEN
        RETURN QUERY SELECT s.region_id, count(*), sum(s.exclusive), sum(s.max)
            FROM perfhouse.region_summary s WHERE s.run_id = ANY (runs) AND s.metric_id = metric GROUP BY 1;
    ELSE
        RETURN QUERY SELECT s.region_id, count(*), sum(s.exclusive), NULL::float8
            FROM perfhouse.region_summary s WHERE s.run_id = ANY (runs) AND s.metric_id = metric GROUP BY 1;
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse_internal.region_sums(bigint[], int, boolean) IS
    'Sums of region_summary over runs, of a metric, by region; max is null when it is not asked for.';

-- Runs are many, months few: a hash table of months, whatever the planner thinks of the runs' number.
CREATE OR REPLACE FUNCTION perfhouse_internal.months_asked(since timestamptz, until timestamptz, of_application text)
RETURNS TABLE (application text, month date, last_run bigint, is_fresh boolean, has_later boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_nestloop = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT r.application_key, r.month, m.last_run,
        coalesce(count(*) FILTER (WHERE r.run_id <= m.last_run) = m.n_runs
            AND bit_xor(r.mark) FILTER (WHERE r.run_id <= m.last_run) = m.mark, false),
        m.last_run IS NULL OR max(r.run_id) > m.last_run
    FROM perfhouse.month_run r LEFT JOIN perfhouse.run_month m ON m.application = r.application_key AND m.month = r.month
    WHERE r.measured_at >= since AND r.measured_at < until AND (of_application IS NULL OR r.application = of_application)
    GROUP BY r.application_key, r.month, m.last_run, m.n_runs, m.mark;
END $$;
COMMENT ON FUNCTION perfhouse_internal.months_asked(timestamptz, timestamptz, text) IS
    'The months of applications that the runs of a time are in: the last run that was rolled up (null: none), whether all of those '
    'are in this time and as they were (is_fresh), and whether there are runs that were not (has_later).';

CREATE OR REPLACE FUNCTION perfhouse_internal.region_costs(since timestamptz, until timestamptz, of_application text, has_excess boolean)
RETURNS TABLE (application text, region_id bigint, metric_id int, is_excluded boolean, n_runs bigint, exclusive float8,
    unit_exclusive float8, host_excess float8)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
    has_months boolean := perfhouse_internal.may_use_months();
BEGIN
    RETURN QUERY
    WITH months AS MATERIALIZED (SELECT * FROM perfhouse_internal.months_asked(since, until, of_application) m WHERE has_months),
    fresh AS MATERIALIZED (SELECT m.application, m.month, m.last_run FROM months m WHERE m.is_fresh),
    kinds AS MATERIALIZED ( -- of the other runs, if there are any, what can be added up before it is multiplied
        SELECT r.application_key AS application, r.metric_id, r.is_excluded, r.n_units, r.n_hosts, array_agg(r.run_id) AS runs
        FROM perfhouse.month_run r LEFT JOIN fresh f ON f.application = r.application_key AND f.month = r.month
        WHERE (NOT has_months OR EXISTS (SELECT FROM months m WHERE NOT m.is_fresh OR m.has_later))
          AND r.measured_at >= since AND r.measured_at < until AND (of_application IS NULL OR r.application = of_application)
          AND r.metric_id IS NOT NULL AND (f.last_run IS NULL OR r.run_id > f.last_run)
        GROUP BY 1, 2, 3, 4, 5)
    SELECT m.application, m.region_id, m.metric_id, m.is_excluded, m.n_runs::bigint, m.exclusive, m.unit_exclusive, m.host_excess
    FROM fresh f JOIN perfhouse.region_month m USING (application, month)
    UNION ALL
    SELECT k.application, s.region_id, k.metric_id, k.is_excluded, s.n_runs, s.exclusive, s.exclusive * k.n_units,
        (s.max - s.exclusive) * k.n_hosts
    FROM kinds k, perfhouse_internal.region_sums(k.runs, k.metric_id, has_excess) s;
END $$;
COMMENT ON FUNCTION perfhouse_internal.region_costs(timestamptz, timestamptz, text, boolean) IS
    'What regions cost by the primary metric of the runs that were measured in this time, in the unit that it is stored in: '
    'rows to be added up, those of region_month where they hold, else made of region_summary. host_excess only if asked for.';

-- As in region_sums: added up in a hash table. Sorting by application and unit would compare texts for every row.
CREATE OR REPLACE FUNCTION perfhouse.function_costs(since timestamptz DEFAULT '-infinity', until timestamptz DEFAULT 'infinity',
    of_application text DEFAULT NULL)
RETURNS TABLE (application text, region_id bigint, name text, library text, file text, n_runs bigint, exclusive float8, unit text,
    unit_hours float8)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp SET enable_sort = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT nullif(c.application, ''), c.region_id, g.name, g.library, g.file, c.n_runs, c.exclusive, c.unit, c.unit_hours
    FROM (SELECT q.application, q.region_id, m.unit, sum(q.n_runs)::bigint AS n_runs, sum(q.exclusive * m.factor) AS exclusive,
              sum(q.unit_exclusive * CASE m.dimension WHEN 'time' THEN m.factor END) / 3600 AS unit_hours
          FROM perfhouse_internal.region_costs(since, until, of_application, false) q JOIN perfhouse.metric_overview m USING (metric_id)
          GROUP BY 1, 2, 3) c
    JOIN perfhouse.region g USING (region_id);
END $$;
COMMENT ON FUNCTION perfhouse.function_costs(timestamptz, timestamptz, text) IS
    'What the functions of applications (of_application: of one) cost in all runs that were measured from since on and before '
    'until: a row per application, region and unit, with the sum of the runs'' exclusive costs (mean over execution units) and '
    'the hours of processes or threads that it took itself (null: no time), by their primary metrics; excluded runs cost as '
    'well. Months that are rolled up (refresh_months) are not read run by run; the answer is the same. See function_cost '
    'for single runs.';

CREATE OR REPLACE FUNCTION perfhouse_internal.stale_months(of_application text, least_share float8)
RETURNS TABLE (application text, month date, is_gone boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT application, month, coalesce(f.n_runs, 0) < perfhouse_internal.least_runs_of_month()
    FROM (SELECT r.application_key AS application, r.month, count(*) AS n_runs, count(*) FILTER (WHERE r.run_id <= m.last_run) AS covered,
              bit_xor(r.mark) FILTER (WHERE r.run_id <= m.last_run) AS mark
          FROM perfhouse.month_run r LEFT JOIN perfhouse.run_month m ON m.application = r.application_key AND m.month = r.month
          WHERE of_application IS NULL OR r.application = of_application GROUP BY 1, 2) f
    FULL JOIN (SELECT * FROM perfhouse.run_month o WHERE of_application IS NULL OR o.application = of_application) m
        USING (application, month)
    WHERE CASE WHEN m.mark IS NULL THEN f.n_runs >= perfhouse_internal.least_runs_of_month()
          ELSE (m.n_runs, m.mark) IS DISTINCT FROM (f.covered, f.mark) OR f.n_runs - f.covered > least_share * f.covered END
    ORDER BY 1, 2;
END $$;
COMMENT ON FUNCTION perfhouse_internal.stale_months(text, float8) IS
    'Months of applications that refresh_months() would roll up, or take out of the roll-up (is_gone).';

CREATE OR REPLACE FUNCTION perfhouse.refresh_months(of_application text DEFAULT NULL, least_share float8 DEFAULT 0) RETURNS int
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    stale record;
    n int := 0;
BEGIN
    -- what is made of some of the runs would be wrong for others; one at a time is enough
    IF perfhouse_internal.search_scope() <> '' OR NOT pg_try_advisory_xact_lock(hashtextextended('perfhouse months', 0)) THEN
        RETURN 0;
    END IF;
    FOR stale IN SELECT s.* FROM perfhouse_internal.stale_months(of_application, least_share) s LOOP
        DELETE FROM perfhouse.region_month m WHERE m.application = stale.application AND m.month = stale.month;
        DELETE FROM perfhouse.run_month m WHERE m.application = stale.application AND m.month = stale.month;
        n := n + 1;
        CONTINUE WHEN stale.is_gone;
        -- one statement, so that what is noted of the runs is what was added up
        WITH chosen AS MATERIALIZED (
            SELECT r.*, (row_number() OVER (ORDER BY r.run_id) - 1)::int AS place, count(*) OVER () AS n_runs
            FROM perfhouse.month_run r
            WHERE r.measured_at >= stale.month::timestamp AT TIME ZONE 'UTC'
              AND r.measured_at < (stale.month + interval '1 month') AT TIME ZONE 'UTC'
              AND r.application_key = stale.application),
        noted AS (
            INSERT INTO perfhouse.run_month (application, month, n_runs, last_run, mark)
            SELECT stale.application, stale.month, count(*), max(c.run_id), bit_xor(c.mark) FROM chosen c HAVING count(*) > 0)
        INSERT INTO perfhouse.region_month (application, month, region_id, metric_id, is_excluded, n_runs, exclusive, unit_exclusive,
            host_excess, runs, "values")
        SELECT stale.application, stale.month, s.region_id, s.metric_id, c.is_excluded, count(*), sum(s.exclusive),
            sum(s.exclusive * c.n_units), sum((s.max - s.exclusive) * c.n_hosts),
            CASE WHEN count(*) < min(c.n_runs) THEN array_agg(c.place ORDER BY c.place) END, array_agg(s.exclusive ORDER BY c.place)
        FROM chosen c JOIN perfhouse.region_summary s ON s.run_id = c.run_id AND s.metric_id = c.metric_id
        GROUP BY s.region_id, s.metric_id, c.is_excluded;
    END LOOP;
    RETURN n;
END $$;
COMMENT ON FUNCTION perfhouse.refresh_months(text, float8) IS
    'Rolls up what functions cost in the months of an application (null: of all) whose runs have changed since, or have become '
    'more by a share above least_share; how many months it was. update_regressions() and retention call it; answers do not '
    'depend on it, only how long they take. Does nothing while projects are enabled and the caller does not see all runs, '
    'or while somebody else does it.';
REVOKE ALL ON FUNCTION perfhouse.refresh_months(text, float8) FROM PUBLIC;
