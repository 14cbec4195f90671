-- 013-costs.sql - what runs and functions cost, in seconds and hours, over all applications.

CREATE OR REPLACE FUNCTION perfhouse.seconds_of(unit text) RETURNS float8
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT perfhouse_internal.unit_factor(unit, 's')
$$;
COMMENT ON FUNCTION perfhouse.seconds_of(text) IS 'Seconds that one of a unit of time is; null for other units.';

CREATE OR REPLACE FUNCTION perfhouse.nodes_of(run bigint) RETURNS int
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce((SELECT r.n_hosts FROM perfhouse.run r WHERE r.run_id = run), 1)
$$;
COMMENT ON FUNCTION perfhouse.nodes_of(bigint) IS 'Hosts of a run; 1 when its file does not say.';

CREATE OR REPLACE VIEW perfhouse.run_cost WITH (security_invoker = true) AS
SELECT r.run_id, r.application, r.title, r.commit_id, r.branch, r.cluster, r.user_name, r.n_ranks, r.n_threads, r.n_units, r.n_hosts,
       r.started_at, r.loaded_at, r.tags, r.excluded_reason, r.metrics[1] AS metric, r.total, m.unit,
       r.total * m.seconds AS seconds, r.total * m.seconds * coalesce(r.n_hosts, 1) / 3600 AS node_hours,
       r.total * m.seconds * greatest(r.n_units, r.n_ranks) / 3600 AS unit_hours, coalesce(r.started_at, r.loaded_at) AS measured_at
FROM perfhouse.run r
LEFT JOIN (SELECT metric_id, unit, CASE WHEN dimension = 'time' AND kind <> 1 THEN 1 END AS seconds FROM perfhouse.metric_overview) m
    ON m.metric_id = r.metric_ids[1]
WHERE r.state = 'ready';
COMMENT ON VIEW perfhouse.run_cost IS
    'What every run cost as a whole: its primary metric, mean over execution units (total, in unit; as seconds when '
    'it is a time), and the node-hours (one node when the file names no hosts) and hours of processes or threads '
    '(unit_hours) that it took.';

CREATE OR REPLACE VIEW perfhouse.function_cost WITH (security_invoker = true) AS
SELECT s.run_id, r.application, r.n_ranks, coalesce(r.started_at, r.loaded_at) AS measured_at, s.region_id, g.name, g.library, g.file,
       s.exclusive * m.factor AS exclusive, s.inclusive * m.factor AS inclusive, m.unit,
       CASE m.dimension WHEN 'time' THEN s.exclusive * m.factor END * greatest(r.n_units, r.n_ranks) / 3600 AS unit_hours
FROM perfhouse.region_summary s
JOIN perfhouse.run r ON r.run_id = s.run_id AND r.state = 'ready' AND s.metric_id = r.metric_ids[1]
JOIN perfhouse.metric_overview m ON m.metric_id = s.metric_id
LEFT JOIN perfhouse.region g ON g.region_id = s.region_id; -- always there; a query that asks for no name need not look
COMMENT ON VIEW perfhouse.function_cost IS
    'A row per run and function: its exclusive and inclusive cost, mean over execution units, in unit, and the hours '
    'of processes or threads that it took itself. For sums over many runs; restrict application or measured_at.';
