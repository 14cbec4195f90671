-- render_timeline.sql - a window of a trace in physical time, as rows (section, JSON object) for the renderer.
--
-- :run, :width bins across, :height rows down at most, :from and :to in ns or null, :ranks or null, :depth call
-- levels, :messages, whether they are wanted, :metric of the trace for a strip below, or null, :step_color metric of
-- logical time to colour communication by, or null: calls that begin in one bin are one, the greatest Of tasks, every
-- event has its part of its serial block.
WITH chosen AS MATERIALIZED (
	SELECT CASE WHEN :ranks::int4[] IS NOT NULL THEN ARRAY(SELECT l.location_id FROM perfhouse.location l
		WHERE l.run_id = :run::bigint AND l.rank = ANY (:ranks::int4[]) ORDER BY l.location_id) END AS locations
), run AS MATERIALIZED (
	SELECT CASE WHEN NOT of_tasks THEN :run::bigint END AS of_processes, CASE WHEN of_tasks THEN :run::bigint END AS of_tasks
	FROM (SELECT EXISTS (SELECT FROM perfhouse.task_trace t WHERE t.run_id = :run::bigint) AS of_tasks) r
	WHERE :step_color::text IS NOT NULL
), events AS (
	SELECT e.location, l.rank, e.seq, e.step, e.phase, e.enter, e.leave, CASE :step_color::text
		WHEN 'lateness' THEN e.lateness WHEN 'global_lateness' THEN e.global_lateness
			WHEN 'differential_lateness' THEN e.differential_lateness
		WHEN 'global_differential_lateness' THEN e.global_differential_lateness WHEN 'duration' THEN e.duration WHEN 'phase' THEN e.phase
		WHEN 'enter' THEN e.enter WHEN 'leave' THEN e.leave WHEN 'counter' THEN e.counter WHEN 'step_counter' THEN e.step_counter
		END::float8 AS value
	FROM run CROSS JOIN chosen c CROSS JOIN perfhouse.logical_steps(run.of_processes, NULL, NULL, c.locations) e
	LEFT JOIN perfhouse.location l ON l.run_id = :run::bigint AND l.location_id = e.location
	UNION ALL
	SELECT m.at, m.processor, m.seq, m.step, m.phase, m."end" - m.block_share, m."end", CASE :step_color::text
		WHEN 'duration' THEN m.differential_duration WHEN 'idle_experienced' THEN m.idle_experienced WHEN 'imbalance' THEN m.imbalance
		WHEN 'enter' THEN m.enter WHEN 'leave' THEN m.leave ELSE m.phase END::float8
	FROM (SELECT m.*, b.location AS at, CASE WHEN m.kind = 'receive' OR (bool_and(m.kind = 'send') OVER block
				AND row_number() OVER (PARTITION BY m.processor, m.serial_block ORDER BY m.enter DESC, m.seq DESC) = 1)
			THEN b.leave ELSE m.leave END AS "end"
		FROM run CROSS JOIN chosen c CROSS JOIN perfhouse.task_metrics(run.of_tasks) m
		JOIN perfhouse.serial_blocks(:run::bigint, NULL, NULL, c.locations) b ON b.processor = m.processor AND b.block = m.serial_block
		WINDOW block AS (PARTITION BY m.processor, m.serial_block)) m
), spans AS MATERIALIZED (
	SELECT s.* FROM chosen, perfhouse.timeline(:run::bigint, :width::int4, :from::bigint, :to::bigint, locations, :height::int4,
		:depth::int4) s
)
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint
UNION ALL
SELECT 'trace', to_jsonb(t)::text FROM perfhouse.trace t WHERE t.run_id = :run::bigint
UNION ALL
SELECT 'window', jsonb_build_object('from', coalesce(:from::bigint, 0), 'to', coalesce(:to::bigint, t.duration), 'bins', :width::int4)::text
FROM perfhouse.trace t WHERE t.run_id = :run::bigint
UNION ALL
(SELECT 'rows', to_jsonb(r)::text FROM chosen, perfhouse.timeline_rows(:run::bigint, locations, :height::int4) r ORDER BY r."row")
UNION ALL
(SELECT 'regions', jsonb_build_object('region', shown.region, 'exclusive', coalesce(t.exclusive, 0))::text
FROM (SELECT DISTINCT region FROM spans) shown LEFT JOIN (
	SELECT region, sum(exclusive) AS exclusive
	FROM chosen, perfhouse.time_profile(:run::bigint, 1, :from::bigint, :to::bigint, locations) GROUP BY region
) t USING (region) ORDER BY shown.region)
UNION ALL
(SELECT 'spans', jsonb_build_object('row', "row", 'depth', depth, 'bin', jsonb_agg(bin ORDER BY bin),
	'n_bins', jsonb_agg(n_bins ORDER BY bin), 'region', jsonb_agg(region ORDER BY bin),
	'share', jsonb_agg(round(share::numeric, 2) ORDER BY bin), 'calls', jsonb_agg(calls ORDER BY bin))::text
FROM spans GROUP BY "row", depth ORDER BY depth, "row")
UNION ALL
SELECT 'messages', jsonb_build_object('from_row', jsonb_agg(m.from_row), 'to_row', jsonb_agg(m.to_row),
	'send', jsonb_agg(m.send_time), 'receive', jsonb_agg(m.receive_time), 'messages', jsonb_agg(m.messages),
	'bytes', jsonb_agg(m.bytes), 'bin_width', min(m.bin_width))::text
FROM chosen, perfhouse.timeline_messages(:run::bigint, :width::int4, :from::bigint, :to::bigint, locations, :height::int4) m
WHERE :messages::boolean HAVING count(*) > 0
UNION ALL
SELECT 'strip', jsonb_build_object('metric', :metric::text, 'unit', min(m.unit), 'accumulated', bool_or(m.accumulated),
	'start', jsonb_agg(m.bin_start ORDER BY m.bin), 'end', jsonb_agg(m.bin_end ORDER BY m.bin),
	'mean', jsonb_agg(m.mean ORDER BY m.bin), 'min', jsonb_agg(m.min ORDER BY m.bin), 'max', jsonb_agg(m.max ORDER BY m.bin))::text
FROM chosen, perfhouse.metric_over_time(:run::bigint, :metric::text, least(:width::int4, 400), :from::bigint, :to::bigint, locations) m
HAVING count(*) > 0
UNION ALL
SELECT 'steps', jsonb_build_object('row', jsonb_agg("row" ORDER BY "row", bin), 'bin', jsonb_agg(bin ORDER BY "row", bin),
	'n_bins', jsonb_agg(last - bin + 1 ORDER BY "row", bin), 'value', jsonb_agg(best[1] ORDER BY "row", bin),
	'rank', jsonb_agg(best[6] ORDER BY "row", bin), 'step', jsonb_agg(best[4] ORDER BY "row", bin), 'phase',
		jsonb_agg(best[5] ORDER BY "row", bin))::text
FROM (
	SELECT p."row", greatest(0, floor((e.enter - w.first) * :width::float8 / (w.last - w.first)))::int4 AS bin,
		max(least(:width::int4 - 1, floor((e.leave - w.first) * :width::float8 / (w.last - w.first))))::int4 AS last,
		max(ARRAY[e.value, -e.location, -e.seq, e.step, e.phase, e.rank]) AS best
	FROM (SELECT coalesce(:from::int8, 0) AS first, coalesce(:to::int8, t.duration) AS last FROM perfhouse.trace t
		WHERE t.run_id = :run::bigint) w,
		events e
	JOIN (SELECT unnest(r.locations) AS location, r."row" FROM chosen,
		perfhouse.timeline_rows(:run::bigint, chosen.locations, :height::int4) r) p USING (location)
	WHERE w.last > w.first AND e.leave >= w.first AND e.enter < w.last
	GROUP BY 1, 2
) b HAVING count(*) > 0
UNION ALL
SELECT 'counter', jsonb_build_object('name', m.name, 'unit', m.unit)::text
FROM perfhouse.logical l JOIN perfhouse.trace_metric m ON m.run_id = l.run_id AND m.name = l.options->>'counter'
WHERE l.run_id = :run::bigint AND :step_color::text IS NOT NULL;
