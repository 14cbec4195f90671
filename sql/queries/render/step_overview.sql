-- render_step_overview.sql - a metric summed up over the events of every step, as rows (section, JSON object)
-- for the renderer.
--
-- :run, :width bars across at most, :step_from first and :step_to end of the steps or null, :step_metric, :summary
-- what of its values over a step is drawn: sum, max or mean. Tasks have no lateness: then it is the differential
-- duration. Steps that share a bar are one: the one with the greatest; beside it the greatest of one process at any of them.
WITH wanted AS MATERIALIZED (
	SELECT of_tasks, CASE WHEN of_tasks AND :step_metric::text ~ 'lateness' THEN 'differential_duration'
		ELSE :step_metric::text END AS metric
	FROM (SELECT EXISTS (SELECT 1 FROM perfhouse.logical_timeline t WHERE t.run_id = :run::bigint) AS of_tasks) t
), axis AS MATERIALIZED (
	SELECT s.*, columns, greatest(1, ceil(columns / :width::float8))::int4 AS columns_a_cell
	FROM (SELECT coalesce(:step_from::int4, 0) AS first,
		greatest(least(:step_to::int4, (SELECT l.last_step FROM perfhouse.logical l WHERE l.run_id = :run::bigint) + 1),
			coalesce(:step_from::int4, 0)) AS "end", CASE WHEN of_tasks THEN 1 ELSE 2 END AS stride
		FROM wanted) s, LATERAL (SELECT (greatest("end" - first, 0) + stride - 1) / stride AS columns) c
), bars AS MATERIALIZED (
	SELECT s.*, l.rank, coalesce(t.name, 'rank ' || w.rank, '') AS process
	FROM axis a CROSS JOIN wanted
	CROSS JOIN LATERAL perfhouse_internal.step_bars(:run::bigint, wanted.metric, a.first, a."end", a.columns_a_cell, :summary::text) s
	LEFT JOIN perfhouse.location l ON l.run_id = :run::bigint AND l.location_id = s.latest_location AND NOT wanted.of_tasks
	LEFT JOIN perfhouse.location w ON w.run_id = :run::bigint AND w.location_id = s.greatest_location AND NOT wanted.of_tasks
	LEFT JOIN perfhouse.logical_timeline t ON t.run_id = :run::bigint AND t.location_id = s.greatest_location AND wanted.of_tasks
)
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint
UNION ALL SELECT 'logical', to_jsonb(l)::text FROM perfhouse.logical l WHERE l.run_id = :run::bigint
UNION ALL SELECT 'axis', jsonb_build_object('first', first, 'end', "end", 'stride', stride, 'between', false, 'columns', columns,
	'columns_a_cell', columns_a_cell, 'tasks', of_tasks, 'metric', metric, 'summary', :summary::text)::text FROM axis, wanted
UNION ALL SELECT 'phases', jsonb_build_object('phase', jsonb_agg(p.phase ORDER BY p.phase),
	'first_step', jsonb_agg(p.first_step ORDER BY p.phase), 'last_step', jsonb_agg(p.last_step ORDER BY p.phase),
	'regions', jsonb_agg(p.regions ORDER BY p.phase), 'pattern', jsonb_agg(p.pattern ORDER BY p.phase),
	'n_events', jsonb_agg(p.n_events ORDER BY p.phase))::text
FROM perfhouse_internal.phases_shown(:run::bigint, :step_from::int4, :step_to::int4, :width::int4) p HAVING count(*) > 0
UNION ALL SELECT 'bars', perfhouse.json_columns(b)::text FROM (SELECT bar, step, value, n_events, sum, max, mean, rank, t_first,
	t_last, process, "greatest", greatest_step FROM bars ORDER BY bar) b HAVING count(*) > 0;
