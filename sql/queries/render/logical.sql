-- logical.sql - a window of a trace in logical time, as rows (section, JSON object) for the renderer.
--
-- :run, at most :width cells across and :height rows down, :step_from and :step_to or null, :ranks or null, :order, :step_metric;
-- :aggregates: the time before events is wanted; :messages are; :reorder: events of a phase are in order of their causes.
WITH wanted AS MATERIALIZED (
	SELECT perfhouse_internal.reordered_options(:run::bigint, :reorder::boolean) AS options,
		perfhouse_internal.logical_locations_by(:run::bigint, :order::text, :ranks::int4[]) AS locations
), phases AS MATERIALIZED (SELECT p.* FROM wanted w, perfhouse.phases(:run::bigint, w.options) p WHERE :reorder::boolean
	UNION ALL SELECT * FROM perfhouse_internal.phases_shown(CASE WHEN NOT :reorder::boolean THEN :run::bigint END, :step_from::int4,
		:step_to::int4, :width::int4)
), axis AS MATERIALIZED (
	SELECT g.*, w.*, CASE WHEN g.of_tasks AND :step_metric::text ~ 'lateness' THEN 'phase' ELSE :step_metric::text END AS metric,
		20000 AS most_messages
	FROM wanted w, (SELECT greatest(least(:step_to::int4, max(last_step) + 1), :step_from::int4, 0) AS step_to FROM (SELECT last_step
		FROM perfhouse.logical WHERE run_id = :run::bigint AND NOT :reorder::boolean UNION ALL SELECT last_step FROM phases) e) p,
		perfhouse.logical_grid(:run::bigint, :step_from::int4, p.step_to, w.locations, :width::int4, :height::int4, :aggregates::boolean) g
), rows AS MATERIALIZED (SELECT r.* FROM axis a, perfhouse.logical_rows(:run::bigint, a.locations, :height::int4) r
), lines AS MATERIALIZED (
	SELECT f."row" AS from_row, t."row" AS to_row, m.send_step, m.receive_step, m.bytes, m.send_seq FROM axis a
	CROSS JOIN perfhouse.logical_messages(:run::bigint, a.step_from, a.step_to,
		CASE WHEN a.one_by_one AND :messages::boolean THEN a.locations ELSE '{}' END, a.options) m
	JOIN rows f ON f.locations[1] = m.sender_location JOIN rows t ON t.locations[1] = m.receiver_location
	LIMIT (SELECT most_messages + 1 FROM axis)
)
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint
UNION ALL SELECT 'trace', to_jsonb(t)::text FROM perfhouse.trace t WHERE t.run_id = :run::bigint
UNION ALL SELECT 'logical', to_jsonb(l)::text FROM perfhouse.logical l WHERE l.run_id = :run::bigint
UNION ALL SELECT 'counter', jsonb_build_object('name', m.name, 'unit', m.unit)::text FROM perfhouse.logical l
	JOIN perfhouse.trace_metric m ON m.run_id = l.run_id AND m.name = l.options->>'counter' WHERE l.run_id = :run::bigint
UNION ALL SELECT 'axis', jsonb_build_object('first', step_from, 'end', step_to, 'stride', stride, 'between', aggregates, 'columns', columns,
	'columns_a_cell', columns_a_cell, 'single', one_by_one, 'tasks', of_tasks, 'reordered', options IS NOT NULL, 'metric', metric,
	'order', :order::text, 'most_messages', most_messages)::text FROM axis
UNION ALL (SELECT 'rows', (to_jsonb(r) - 'locations' || jsonb_build_object('label', o.label))::text FROM rows r
	LEFT JOIN perfhouse_internal.ordered_locations(:run::bigint, :order::text, NULL) o ON o.location_id = r.locations[1] ORDER BY r."row")
UNION ALL SELECT 'phases', perfhouse.json_columns(p)::text FROM (SELECT p.phase, p.first_step, p.last_step, p.regions, p.pattern,
		p.n_events, ('inferred' = ANY (p.merge_reasons))::int AS inferred
	FROM phases p, axis a WHERE p.last_step >= a.step_from AND p.first_step < a.step_to ORDER BY p.phase) p HAVING count(*) > 0
UNION ALL (SELECT 'cells', perfhouse.json_columns(c)::text FROM (SELECT c."row", c."column", c.n, c.value, c.rank, c.step, c.phase, c.enter,
		c.leave, c.peers, c.n_messages, c.earliest, c.is_aggregate::int AS aggregate, c.region,
		CASE WHEN c.inferred THEN 'inferred ' || c.kind ELSE c.kind END AS kind, nullif(c.idle, 0) AS idle
	FROM axis a, perfhouse.logical_cells(:run::bigint, a.metric, a.step_from, a.step_to, a.locations, :width::int4, :height::int4,
		:aggregates::boolean, NULL, a.options) c ORDER BY 1, 2) c GROUP BY c."row" ORDER BY c."row")
UNION ALL SELECT 'messages', perfhouse.json_columns(l)::text FROM (SELECT from_row, to_row, send_step, receive_step, bytes FROM lines
	ORDER BY from_row, send_step, to_row, receive_step, send_seq) l HAVING count(*) > 0;
