-- large.sql - gives runs of bench/warehouse.sql what the dashboards of usage ask for: they ended a minute ago, in queues and
-- projects, of jobs of all sizes, with efficiencies.
\set ON_ERROR_STOP 1
SET search_path = pg_temp, pg_catalog;
UPDATE perfhouse.run r SET
	started_at = r.started_at + (SELECT now() - max(n.started_at) FROM perfhouse.run n), project = 'project ' || r.run_id * 7 % 40,
	user_name = 'user ' || r.run_id * 13 % 150, n_ranks = 1 << (r.run_id % 15)::int, n_hosts = greatest(1, (1 << (r.run_id % 15)::int) / 64),
	meta = r.meta || jsonb_build_object('partition', 'queue ' || r.run_id % 6), parallel_efficiency = e.balance * e.communication,
	load_balance = e.balance, communication_efficiency = e.communication, serialisation_efficiency = sqrt(e.communication),
	transfer_efficiency = sqrt(e.communication), efficiency_estimated = false
FROM (SELECT q.run_id, 0.7 + 0.3 * abs(sin(q.run_id)) AS balance, 0.6 + 0.4 * abs(cos(q.run_id)) AS communication FROM perfhouse.run q) e
WHERE e.run_id = r.run_id;
UPDATE perfhouse.load_log l SET at = r.loaded_at FROM perfhouse.run r WHERE r.run_id = l.run_id;
SELECT perfhouse.refresh_months();
VACUUM ANALYZE perfhouse.run, perfhouse.load_log, perfhouse.run_month, perfhouse.region_month;
