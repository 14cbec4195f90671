-- timeline.sql - a window of a trace in physical time, as rows (section, JSON object) for the renderer.
--
-- :run, :width bins across, :height rows down at most, :from and :to in ns or null, :ranks or null, :depth call
-- levels, :messages, whether they are wanted, :metric of the trace for a strip below, "gpu queue", or null: that one of
-- traces with devices, :step_color metric of logical time to colour communication by, or null.
WITH chosen AS MATERIALIZED (
	SELECT perfhouse.locations_of_ranks(:run::bigint, :ranks::int4[]) AS locations
), spans AS MATERIALIZED (
	SELECT s.* FROM chosen, perfhouse.timeline(:run::bigint, :width::int4, :from::bigint, :to::bigint, locations, :height::int4,
		:depth::int4) s
), deviant AS MATERIALIZED (
	SELECT s.* FROM chosen, perfhouse.timeline_deviant_spans(:run::bigint, :width::int4, :from::bigint, :to::bigint, locations,
		:height::int4, :depth::int4) s
), strip AS MATERIALIZED (SELECT m.* FROM chosen, perfhouse_internal.timeline_strip(:run::bigint, :metric::text,
	least(:width::int4, 400), :from::bigint, :to::bigint, locations, :ranks::int4[]) m
)
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint
UNION ALL SELECT 'trace', to_jsonb(t)::text FROM perfhouse.trace t WHERE t.run_id = :run::bigint
UNION ALL SELECT 'window', jsonb_build_object('from', coalesce(:from::bigint, 0), 'to', coalesce(:to::bigint, t.duration),
	'bins', :width::int4)::text FROM perfhouse.trace t WHERE t.run_id = :run::bigint
UNION ALL (SELECT 'rows', to_jsonb(r)::text FROM chosen, perfhouse.timeline_rows(:run::bigint, locations, :height::int4) r
	ORDER BY r."row")
UNION ALL (SELECT 'regions', jsonb_build_object('region', shown.region, 'exclusive', coalesce(t.exclusive, 0))::text FROM (SELECT region
	FROM spans UNION SELECT region FROM deviant) shown LEFT JOIN (SELECT p.region, sum(p.exclusive) AS exclusive FROM chosen,
	perfhouse.time_profile(:run::bigint, 1, :from::bigint, :to::bigint, locations) p GROUP BY 1) t USING (region) ORDER BY shown.region)
UNION ALL (SELECT 'spans', perfhouse.json_columns(s)::text FROM (SELECT "row", depth, bin, n_bins, region,
	round(share::numeric, 2) AS share, calls FROM spans ORDER BY depth, "row", bin) s GROUP BY s.depth, s."row" ORDER BY s.depth, s."row")
UNION ALL (SELECT 'deviants', perfhouse.json_columns(s)::text FROM (SELECT "row", depth, bin, n_bins, region, round(share::numeric, 2)
	AS share, calls, rank, round(distance::numeric, 3) AS distance, first_bin, last_bin FROM deviant ORDER BY depth, "row", bin) s
	GROUP BY s.depth, s."row" ORDER BY s.depth, s."row")
UNION ALL SELECT 'messages', perfhouse.json_columns(m)::text FROM (SELECT m.from_row, m.to_row, m.send_time AS send,
	m.receive_time AS receive, m.messages, m.bytes, m.bin_width FROM chosen, perfhouse.timeline_messages(:run::bigint, :width::int4,
	:from::bigint, :to::bigint, locations, :height::int4) m WHERE :messages::boolean) m HAVING count(*) > 0
UNION ALL SELECT 'launches', perfhouse.json_columns(l)::text FROM (SELECT l.* FROM chosen, perfhouse.timeline_launches(:run::bigint,
	:width::int4, :from::bigint, :to::bigint, locations, :height::int4, 2000) l WHERE :messages::boolean) l HAVING count(*) > 0
UNION ALL SELECT 'strip', jsonb_build_object('metric', min(metric), 'unit', min(unit), 'accumulated', bool_or(accumulated))::text
	FROM strip HAVING count(*) > 0
UNION ALL SELECT 'strip_bins', perfhouse.json_columns(s)::text FROM (SELECT bin_start AS start, bin_end AS "end", mean, min, max
	FROM strip ORDER BY bin) s HAVING count(*) > 0
UNION ALL SELECT 'steps', perfhouse.json_columns(s)::text FROM (SELECT s.* FROM chosen, perfhouse.timeline_steps(:run::bigint,
	:step_color::text, :width::int4, :from::bigint, :to::bigint, locations, :height::int4) s WHERE :step_color::text IS NOT NULL
	ORDER BY s."row", s.bin) s HAVING count(*) > 0
UNION ALL SELECT 'counter', jsonb_build_object('name', m.name, 'unit', m.unit)::text FROM perfhouse.logical l JOIN perfhouse.trace_metric m
USING (run_id) WHERE m.name = l.options->>'counter' AND run_id = :run::bigint AND :step_color::text IS NOT NULL
UNION ALL SELECT 'logical', to_jsonb(l)::text FROM perfhouse.logical l WHERE l.run_id = :run::bigint AND :step_color::text IS NOT NULL;
