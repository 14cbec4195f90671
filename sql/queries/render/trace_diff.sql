-- render_trace_diff.sql - two traces aligned by logical structure, as rows (section, JSON object) for the renderer.
--
-- :run A, :vs run B, :width cells across and :height rows down at most. Columns are pairs of aligned steps and steps
-- of one run, in order of run A. Those that share a cell are one: of changes, the greatest in size. With tasks on
-- either side there is no lateness; chares of two runs of tasks are compared by name, by their shares of serial
-- blocks.
WITH wanted AS MATERIALIZED (
	SELECT count(*) FILTER (WHERE has) > 0 AS any_tasks, count(*) FILTER (WHERE has) = 2 AS both_tasks
	FROM (SELECT EXISTS (SELECT FROM perfhouse.logical_timeline t WHERE t.run_id = r.run) AS has
		FROM (VALUES (:run::bigint), (:vs::bigint)) r (run)) t
), diff AS MATERIALIZED (
	SELECT d.*, (d.ordinality - 1)::int4 AS "column" FROM perfhouse.trace_diff(:run::bigint, :vs::bigint) WITH ORDINALITY d
), axis AS MATERIALIZED (
	SELECT count(*)::int4 AS columns, greatest(1, ceil(count(*) / :width::float8))::int4 AS columns_a_cell,
		min(any_tasks::int4)::boolean AS any_tasks,
		coalesce(bool_and(rank_alignment = 'rank') FILTER (WHERE status = 'both'), false) AND bool_and(any_tasks = both_tasks) AS by_rank
	FROM diff, wanted
), chares AS MATERIALIZED (
	SELECT t.*, row_number() OVER (ORDER BY t.location_id) - 1 AS i, ceil(count(*) OVER () / greatest(:height::float8, 1))::int8 AS a_row
	FROM axis, perfhouse.logical_timeline t WHERE t.run_id = :run::bigint AND by_rank
), names AS MATERIALIZED (
	SELECT l.location_id AS location, l.rank, NULL::text AS name FROM wanted, perfhouse.location l
	WHERE l.run_id = :run::bigint AND NOT both_tasks
	UNION ALL
	SELECT c.location_id, NULL, c.name FROM chares c
), rows AS MATERIALIZED (
	SELECT r.*, r.name AS last_name FROM axis,
		(SELECT array_agg(DISTINCT c.location_id) AS locations FROM perfhouse.logical_chunk c WHERE c.run_id = :run::bigint) s,
		perfhouse.timeline_rows(:run::bigint, s.locations, :height::int4) r WHERE axis.by_rank AND NOT axis.any_tasks
			AND s.locations IS NOT NULL
	UNION ALL
	SELECT (i / a_row)::int4, array_agg(location_id ORDER BY location_id), count(*)::int4, NULL, NULL, NULL,
		(array_agg(name ORDER BY location_id))[1], NULL, (array_agg(name ORDER BY location_id DESC))[1]
	FROM chares GROUP BY i / a_row
), firsts AS MATERIALIZED (
	SELECT ARRAY(SELECT r.locations[1] FROM rows r ORDER BY r."row") AS first_of_row
), changes AS MATERIALIZED (
	SELECT a.location, d."column", a.step AS step_a, b.step AS step_b, (b.lateness - a.lateness)::float8 AS value
	FROM diff d
	JOIN perfhouse.logical_steps((SELECT :run::bigint FROM axis WHERE by_rank AND NOT any_tasks)) a ON a.phase = d.phase_a
		AND a.step = d.step_a
	JOIN perfhouse.logical_steps((SELECT :vs::bigint FROM axis WHERE by_rank AND NOT any_tasks)) b ON b.phase = d.phase_b
		AND b.step = d.step_b
		AND b.rank = a.rank AND b.thread = a.thread
	WHERE d.status = 'both'
	UNION ALL
	SELECT a.location, d."column", a.step, b.step, (b.block_share - a.block_share)::float8
	FROM diff d
	JOIN perfhouse.task_metrics((SELECT :run::bigint FROM axis WHERE by_rank AND any_tasks)) a ON a.phase = d.phase_a AND a.step = d.step_a
	JOIN perfhouse.task_metrics((SELECT :vs::bigint FROM axis WHERE by_rank AND any_tasks)) b ON b.phase = d.phase_b AND b.step = d.step_b
		AND b.chare = a.chare
	WHERE d.status = 'both'
), cells AS MATERIALIZED (
	SELECT width_bucket(c.location, f.first_of_row) - 1 AS "row", c."column" / x.columns_a_cell AS "column", count(*) AS n,
		max(ARRAY[abs(c.value), c.value, -c.location, c.step_a, c.step_b]) AS best
	FROM axis x, firsts f, changes c GROUP BY 1, 2 ORDER BY 1, 2
), bars AS MATERIALIZED (
	SELECT d."column" / x.columns_a_cell AS "column", min(d.step_a) AS step_a, min(d.step_b) AS step_b, min(d.phase_a) AS phase_a,
		min(d.phase_b) AS phase_b, count(*) FILTER (WHERE d.status = 'only a') AS only_a,
		count(*) FILTER (WHERE d.status = 'only b') AS only_b,
		max(ARRAY[abs(d.delta_lateness), d.delta_lateness, d.location_b]) AS lateness,
		max(ARRAY[abs(d.delta_duration), d.delta_duration]) AS duration,
		max(ARRAY[abs(d.delta_messages), d.delta_messages]) AS messages,
		CASE WHEN count(*) = 1 THEN min(d.region COLLATE "C") END AS region
	FROM axis x, diff d GROUP BY 1
)
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint
UNION ALL
SELECT 'run_b', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :vs::bigint
UNION ALL
SELECT 'axis', jsonb_build_object('first', 0, 'end', columns, 'stride', 1, 'between', false, 'columns', columns,
	'columns_a_cell', columns_a_cell, 'tasks', any_tasks)::text FROM axis
UNION ALL
SELECT 'counts', jsonb_build_object('both', count(*) FILTER (WHERE status = 'both'), 'only_a', count(*) FILTER (WHERE status = 'only a'),
	'only_b', count(*) FILTER (WHERE status = 'only b'), 'changed',
	count(*) FILTER (WHERE CASE WHEN any_tasks THEN delta_duration ELSE delta_lateness END <> 0),
	'alignment', mode() WITHIN GROUP (ORDER BY rank_alignment) FILTER (WHERE status = 'both'))::text FROM diff, wanted
UNION ALL
SELECT 'phases', jsonb_build_object('phase', jsonb_agg(coalesce(phase_a, phase_b) ORDER BY first),
	'first_step', jsonb_agg(first ORDER BY first),
	'last_step', jsonb_agg(last ORDER BY first), 'n_events', jsonb_agg(n_events ORDER BY first),
	'regions', jsonb_agg(CASE WHEN phase_b IS NULL THEN 'only in A' WHEN phase_a IS NULL THEN 'only in B'
		ELSE format('phase %s of A, %s of B', phase_a, phase_b) END ORDER BY first), 'pattern', jsonb_agg(NULL::text))::text
FROM (SELECT phase_a, phase_b, min("column") AS first, max("column") AS last, sum(coalesce(events_a, 0) + coalesce(events_b, 0)) AS n_events
	FROM diff GROUP BY 1, 2) p HAVING count(*) > 0
UNION ALL
SELECT 'bars', jsonb_build_object('column', jsonb_agg("column" ORDER BY "column"), 'step_a', jsonb_agg(step_a ORDER BY "column"),
	'step_b', jsonb_agg(step_b ORDER BY "column"), 'phase_a', jsonb_agg(phase_a ORDER BY "column"), 'phase_b',
	jsonb_agg(phase_b ORDER BY "column"),
	'only_a', jsonb_agg(only_a ORDER BY "column"), 'only_b', jsonb_agg(only_b ORDER BY "column"),
	'lateness', jsonb_agg(coalesce(lateness[2], 0) ORDER BY "column"), 'duration', jsonb_agg(coalesce(duration[2], 0) ORDER BY "column"),
	'messages', jsonb_agg(coalesce(messages[2], 0) ORDER BY "column"), 'rank', jsonb_agg(l.rank ORDER BY "column"),
	'region', jsonb_agg(b.region ORDER BY "column"))::text
FROM bars b CROSS JOIN wanted
LEFT JOIN perfhouse.location l ON l.run_id = :vs::bigint AND l.location_id = b.lateness[3]::int4 AND NOT any_tasks HAVING count(*) > 0
UNION ALL
(SELECT 'rows', (to_jsonb(r) - 'locations')::text FROM rows r ORDER BY r."row")
UNION ALL
(SELECT 'cells', json_build_object('row', c."row", 'column', "column", 'n', n, 'value', value, 'rank', rank, 'name', name, 'step_a', step_a,
	'step_b', step_b)::text
FROM (SELECT c."row", array_agg(c."column" ORDER BY c."column") AS "column", array_agg(c.n ORDER BY c."column") AS n,
		array_agg(c.best[2] ORDER BY c."column") AS value, array_agg(o.rank ORDER BY c."column") AS rank,
		array_agg(o.name ORDER BY c."column") FILTER (WHERE o.name IS NOT NULL) AS name, array_agg(c.best[4] ORDER BY c."column") AS step_a,
		array_agg(c.best[5] ORDER BY c."column") AS step_b
	FROM cells c LEFT JOIN names o ON o.location = (-c.best[3])::int4 GROUP BY c."row") c ORDER BY c."row");
