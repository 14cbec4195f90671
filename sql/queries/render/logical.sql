-- render_logical.sql - a window of a trace in logical time, as rows (section, JSON object) for the renderer.
--
-- :run, :width cells across and :height rows down at most, :step_from first and :step_to end of the steps or null,
-- :ranks or null, :step_metric of the cells, :aggregates whether the time before events is wanted, :messages, whether
-- they are, :reorder whether events of a phase are to be in order of their causes. Tasks: rows are chares, then the
-- run time's of every processor; ranks are processors; what is asked for and does not exist (lateness) is the phase.
-- Events that share a cell are one: the one with the greatest value. The greatest is an array so that it brings its
-- event along: value, -location, -seq, step, phase, of cells of one event the rest; the processor last. (Arrays are
-- put together in the order of the CTE cells.)
WITH wanted AS MATERIALIZED (
	SELECT EXISTS (SELECT FROM perfhouse.logical_timeline t WHERE t.run_id = :run::bigint) AS of_tasks,
		(SELECT CASE WHEN :reorder::boolean THEN l.options || CASE WHEN l.options ? 'reorder' THEN '{"reorder": true}'::jsonb
			ELSE '{"reorder_receives": true}' END END FROM perfhouse.logical l WHERE l.run_id = :run::bigint) AS options
), shown AS MATERIALIZED (
	SELECT wanted.*, ARRAY(SELECT DISTINCT c.location_id FROM perfhouse.logical_chunk c
			LEFT JOIN perfhouse.logical_timeline t USING (run_id, location_id)
			LEFT JOIN perfhouse.location l ON l.run_id = c.run_id AND l.location_id = coalesce(t.first_location, c.location_id)
			WHERE c.run_id = :run::bigint AND (:ranks::int4[] IS NULL OR l.rank = ANY (:ranks::int4[]))
			ORDER BY c.location_id) AS locations
	FROM wanted
), phases AS MATERIALIZED (
	SELECT p.* FROM wanted, perfhouse.phases(:run::bigint, wanted.options) p
), steps AS MATERIALIZED (
	SELECT coalesce(:step_from::int4, 0) AS first,
		greatest(least(:step_to::int4, max(last_step) + 1), coalesce(:step_from::int4, 0)) AS "end",
		CASE WHEN NOT (SELECT of_tasks FROM wanted) AND coalesce(bool_and(first_step % 2 = 0 AND last_step % 2 = 0), true)
			THEN 2 ELSE 1 END AS stride
	FROM phases
), axis AS MATERIALIZED (
	SELECT s.*, between, columns, greatest(1, ceil(columns / :width::float8))::int4 AS columns_a_cell
	FROM steps s, LATERAL (SELECT :aggregates::boolean AND s.stride = 2 AS between) b,
		LATERAL (SELECT CASE WHEN between THEN "end" - first + 1 ELSE (greatest("end" - first, 0) + stride - 1) / stride END AS columns) c
), chares AS MATERIALIZED (
	SELECT t.*, row_number() OVER (PARTITION BY t.is_runtime ORDER BY t.location_id) - 1 AS i,
		CASE WHEN count(*) OVER () <= :height::int4 THEN 1 ELSE ceil(count(*) OVER () / greatest(:height::float8 - 1, 1))::int8 END AS a_row
	FROM shown, perfhouse.logical_timeline t WHERE t.run_id = :run::bigint AND t.location_id = ANY (shown.locations)
), rows AS MATERIALIZED (
	SELECT r.*, false AS is_runtime, r.name AS last_name FROM shown, perfhouse.timeline_rows(:run::bigint, shown.locations, :height::int4) r
	WHERE cardinality(shown.locations) > 0 AND NOT shown.of_tasks
	UNION ALL
	SELECT (row_number() OVER (ORDER BY c.is_runtime, i / a_row) - 1)::int4, array_agg(location_id ORDER BY location_id),
		count(*)::int4, NULL, NULL, NULL, (array_agg(name ORDER BY location_id))[1], NULL, c.is_runtime,
		(array_agg(name ORDER BY location_id DESC))[1]
	FROM chares c GROUP BY c.is_runtime, i / a_row
), grain AS MATERIALIZED (
	SELECT a.*, shown.locations, shown.of_tasks, shown.options, a.columns_a_cell = 1 AND (SELECT max(n_locations) FROM rows) = 1 AS single,
		CASE WHEN a.between THEN 1 ELSE a.stride END * a.columns_a_cell AS width,
		ARRAY(SELECT r.locations[1] FROM rows r ORDER BY r."row") AS first_of_row
	FROM axis a, shown
), best AS MATERIALIZED (
	SELECT width_bucket(e.location, g.first_of_row) - 1 AS "row", (v.step - g.first + g.between::int4) / g.width AS "column",
		count(*) AS n, max(CASE WHEN g.single
			THEN ARRAY[v.value, -e.location, -e.seq, v.step, e.phase, e.enter, e.leave, e.peers, e.n_messages, e.earliest_location,
				before::int4,
				coalesce(e.processor, -1)]
			ELSE ARRAY[v.value, -e.location, -e.seq, v.step, e.phase, coalesce(e.processor, -1)] END) AS best,
			max(e.idle_experienced) AS idle,
		CASE WHEN count(*) = 1 THEN min(e.region COLLATE "C") FILTER (WHERE g.single) END AS region,
		CASE WHEN count(*) = 1 THEN min(e.kind COLLATE "C") FILTER (WHERE g.single) END AS kind
	FROM perfhouse.logical_steps(:run::bigint, (SELECT first FROM grain), (SELECT "end" FROM grain), (SELECT locations FROM grain),
		(SELECT options FROM grain)) e CROSS JOIN grain g
	JOIN (VALUES (false), (true)) b (before) ON g.between OR NOT before
	CROSS JOIN LATERAL (SELECT e.step - before::int4 AS step, CASE CASE WHEN g.of_tasks
		AND :step_metric::text ~ 'lateness' THEN 'phase' ELSE :step_metric::text END
		WHEN 'lateness' THEN CASE WHEN before THEN e.aggregate_lateness ELSE e.lateness END
		WHEN 'global_lateness' THEN CASE WHEN before THEN e.aggregate_global_lateness ELSE e.global_lateness END
		WHEN 'differential_lateness' THEN CASE WHEN before THEN e.aggregate_differential_lateness ELSE e.differential_lateness END
		WHEN 'global_differential_lateness' THEN CASE WHEN before THEN e.aggregate_global_differential_lateness
			ELSE e.global_differential_lateness END
		WHEN 'duration' THEN CASE WHEN before THEN e.aggregate_duration ELSE e.duration END
		WHEN 'idle_experienced' THEN e.idle_experienced WHEN 'imbalance' THEN e.imbalance
		WHEN 'phase' THEN e.phase WHEN 'enter' THEN e.enter WHEN 'leave' THEN CASE WHEN before THEN e.enter ELSE e.leave END
		WHEN 'counter' THEN CASE WHEN before THEN e.aggregate_counter ELSE e.counter END
		WHEN 'step_counter' THEN CASE WHEN before THEN e.aggregate_step_counter ELSE e.step_counter END END::float8 AS value) v
	GROUP BY 1, 2
), cells AS MATERIALIZED (
	SELECT b.*, g.single, CASE WHEN g.of_tasks THEN b.best[cardinality(b.best)]::int4 ELSE l.rank END AS rank, first.rank AS earliest
	FROM grain g CROSS JOIN best b
	LEFT JOIN perfhouse.location l ON l.run_id = :run::bigint AND l.location_id = (-b.best[2])::int4 AND NOT g.of_tasks
	LEFT JOIN perfhouse.location first ON g.single AND NOT g.of_tasks AND first.run_id = :run::bigint
		AND first.location_id = b.best[10]::int4
	ORDER BY b."row", b."column"
), lines AS MATERIALIZED (
	SELECT width_bucket(m.sender_location, g.first_of_row) - 1 AS from_row, width_bucket(m.receiver_location, g.first_of_row) - 1 AS to_row,
		m.send_step, m.receive_step, m.bytes, m.send_seq
	FROM grain g,
		perfhouse.logical_messages(:run::bigint, g.first, g."end", CASE WHEN g.single AND :messages::boolean THEN g.locations ELSE '{}' END,
		g.options) m
	WHERE g.single AND :messages::boolean AND m.sender_location = ANY (g.locations) AND m.receiver_location = ANY (g.locations)
	LIMIT 20001
)
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint
UNION ALL
SELECT 'trace', to_jsonb(t)::text FROM perfhouse.trace t WHERE t.run_id = :run::bigint
UNION ALL
SELECT 'logical', to_jsonb(l)::text FROM perfhouse.logical l WHERE l.run_id = :run::bigint
UNION ALL
SELECT 'counter', jsonb_build_object('name', m.name, 'unit', m.unit)::text
FROM perfhouse.logical l JOIN perfhouse.trace_metric m ON m.run_id = l.run_id AND m.name = l.options->>'counter'
WHERE l.run_id = :run::bigint
UNION ALL
SELECT 'axis', jsonb_build_object('first', first, 'end', "end", 'stride', stride, 'between', between, 'columns', columns,
	'columns_a_cell', columns_a_cell, 'single', single, 'tasks', of_tasks, 'reordered', options IS NOT NULL,
	'metric', CASE WHEN of_tasks AND :step_metric::text ~ 'lateness' THEN 'phase' ELSE :step_metric::text END)::text FROM grain
UNION ALL
(SELECT 'rows', (to_jsonb(r) - 'locations')::text FROM rows r ORDER BY r."row")
UNION ALL
SELECT 'phases', jsonb_build_object('phase', jsonb_agg(p.phase ORDER BY p.phase), 'first_step', jsonb_agg(p.first_step ORDER BY p.phase),
	'last_step', jsonb_agg(p.last_step ORDER BY p.phase), 'regions', jsonb_agg(p.regions ORDER BY p.phase),
	'pattern', jsonb_agg(p.pattern ORDER BY p.phase), 'n_events', jsonb_agg(p.n_events ORDER BY p.phase))::text
FROM phases p, axis a WHERE p.last_step >= a.first AND p.first_step < a."end" HAVING count(*) > 0
UNION ALL
(SELECT 'cells', json_build_object('row', c."row", 'column', "column", 'n', n, 'value', value, 'rank', rank, 'step', step, 'phase', phase,
	'enter', enter, 'leave', leave, 'peers', peers, 'n_messages', n_messages, 'earliest', earliest, 'aggregate', aggregate,
	'region', region, 'kind', kind, 'idle', idle)::text
FROM (SELECT "row", array_agg("column") AS "column", array_agg(n) AS n, array_agg(best[1]) AS value, array_agg(rank) AS rank,
		array_agg(best[4]) AS step, array_agg(best[5]) AS phase, array_agg(best[6]) FILTER (WHERE single) AS enter,
		array_agg(best[7]) FILTER (WHERE single) AS leave, array_agg(best[8]) FILTER (WHERE single) AS peers,
		array_agg(best[9]) FILTER (WHERE single) AS n_messages, array_agg(earliest) FILTER (WHERE single) AS earliest,
		array_agg(best[11]) FILTER (WHERE single) AS aggregate, array_agg(region) FILTER (WHERE single) AS region,
		array_agg(kind) FILTER (WHERE single) AS kind, CASE WHEN max(idle) > 0 THEN array_agg(idle) END AS idle
	FROM cells GROUP BY "row") c ORDER BY c."row")
UNION ALL
SELECT 'messages', jsonb_build_object('from_row', jsonb_agg(from_row), 'to_row', jsonb_agg(to_row), 'send_step', jsonb_agg(send_step),
	'receive_step', jsonb_agg(receive_step), 'bytes', jsonb_agg(bytes))::text
FROM (SELECT * FROM lines ORDER BY from_row, send_step, to_row, receive_step, send_seq) l HAVING count(*) > 0;
