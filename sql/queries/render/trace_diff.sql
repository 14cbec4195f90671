-- trace_diff.sql - two traces aligned by logical structure, as rows (section, JSON object) for the renderer.
--
-- :run A, :vs run B, :width cells across and :height rows down at most. Columns are pairs of aligned steps and steps
-- of one run, in order of run A. Those that share a cell are one: of changes, the greatest in size. With tasks on
-- either side there is no lateness; chares of two runs of tasks are compared by name, by their shares of serial
-- blocks.
WITH diff AS MATERIALIZED (SELECT d.*, (d.ordinality - 1)::int4 AS "column"
	FROM perfhouse.trace_diff(:run::bigint, :vs::bigint) WITH ORDINALITY d), axis AS MATERIALIZED (
	SELECT count(*)::int4 AS columns, greatest(1, ceil(count(*) / :width::float8))::int4 AS columns_a_cell,
		bool_or(delta_lateness IS NULL) AS tasks, bool_and(rank_alignment = 'rank') FILTER (WHERE status = 'both') AS by_rank FROM diff
), rows AS MATERIALIZED (SELECT r.* FROM axis, perfhouse.logical_rows(:run::bigint, NULL, :height::int4) r WHERE by_rank
), changes AS (
	SELECT width_bucket(c.location, ARRAY(SELECT locations[1] FROM rows ORDER BY "row")) - 1 AS "row",
		(c.pair - 1) / columns_a_cell AS "column", c.* FROM axis, (SELECT array_agg(phase_a) AS phases_a, array_agg(step_a) AS steps_a,
			array_agg(phase_b) AS phases_b, array_agg(step_b) AS steps_b FROM (SELECT * FROM diff ORDER BY "column") o) d,
		perfhouse.trace_diff_changes(:run::bigint, :vs::bigint, phases_a, steps_a, phases_b, steps_b) c WHERE by_rank
), bars AS MATERIALIZED (
	SELECT d."column" / a.columns_a_cell AS "column", min(step_a) AS step_a, min(step_b) AS step_b, min(phase_a) AS phase_a,
		min(phase_b) AS phase_b, count(*) FILTER (WHERE status = 'only a') AS only_a, count(*) FILTER (WHERE status = 'only b') AS only_b,
		coalesce(perfhouse.greatest_change(delta_lateness), 0) AS lateness, perfhouse.greatest_change(delta_duration) AS duration,
		perfhouse.greatest_change(delta_messages) AS messages, CASE WHEN count(*) = 1 THEN min(region COLLATE "C") END AS region,
		(array_agg(location_b ORDER BY abs(delta_lateness) DESC, delta_lateness DESC, location_b DESC))[1] AS location
	FROM diff d, axis a GROUP BY 1
)
SELECT 'run' || v.b, to_jsonb(r)::text FROM (VALUES ('', :run::bigint), ('_b', :vs::bigint)) v (b, id) JOIN perfhouse.run_overview r
	ON r.run_id = v.id UNION ALL SELECT 'logical', to_jsonb(l)::text FROM perfhouse.logical l WHERE l.run_id = :run::bigint
UNION ALL SELECT 'logical_b', to_jsonb(l)::text FROM perfhouse.logical l WHERE l.run_id = :vs::bigint
UNION ALL SELECT 'experiment', jsonb_build_object('differences', t)::text FROM perfhouse_internal.differences_text(ARRAY[:run::bigint],
	ARRAY[:vs::bigint]) t WHERE t IS NOT NULL
UNION ALL SELECT 'axis', jsonb_build_object('first', 0, 'end', columns, 'stride', 1, 'between', false, 'columns', columns,
	'columns_a_cell', columns_a_cell, 'tasks', tasks)::text FROM axis
UNION ALL SELECT 'counts', jsonb_build_object('both', count(*) FILTER (WHERE status = 'both'), 'only_a',
	count(*) FILTER (WHERE status = 'only a'), 'only_b', count(*) FILTER (WHERE status = 'only b'), 'changed',
	count(*) FILTER (WHERE coalesce(delta_lateness, delta_duration) <> 0),
	'alignment', mode() WITHIN GROUP (ORDER BY rank_alignment) FILTER (WHERE status = 'both'))::text FROM diff
UNION ALL SELECT 'phases', perfhouse.json_columns(p)::text FROM (SELECT coalesce(phase_a, phase_b) AS phase, CASE WHEN phase_b IS NULL
	THEN 'only in A' WHEN phase_a IS NULL THEN 'only in B' ELSE format('phase %s of A, %s of B', phase_a, phase_b) END AS regions,
	min("column") AS first_step, max("column") AS last_step, sum(coalesce(events_a, 0) + coalesce(events_b, 0)) AS n_events
	FROM diff GROUP BY phase_a, phase_b ORDER BY first_step) p HAVING count(*) > 0
UNION ALL SELECT 'bars', perfhouse.json_columns(b)::text FROM (SELECT b.*, l.rank FROM bars b CROSS JOIN axis LEFT JOIN perfhouse.location l
	ON l.run_id = :vs::bigint AND l.location_id = b.location AND NOT tasks ORDER BY b."column") b HAVING count(*) > 0
UNION ALL (SELECT 'rows', (to_jsonb(r) - 'locations')::text FROM rows r ORDER BY r."row")
UNION ALL (SELECT 'cells', perfhouse.json_columns(c)::text FROM (SELECT DISTINCT ON ("row", "column") "row", "column",
	count(*) OVER cell AS n, change AS value, rank, name, step_a, step_b FROM changes WINDOW cell AS (PARTITION BY "row", "column"
		ORDER BY abs(change) DESC, change DESC, location, step_a DESC ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
	ORDER BY "row", "column", abs(change) DESC, change DESC, location, step_a DESC) c GROUP BY c."row" ORDER BY c."row");
