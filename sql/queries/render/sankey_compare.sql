-- render_sankey_compare.sql - two super graphs on one scale as rows (section, JSON object) for the renderer.
--
-- Two runs, or (second run null) the given ranks of one run against its other ranks on the same partition.
-- $1 run A, $2 run B or null, $3 metric or null, $4 ranks or null, $5 filter share, $6 grouping,
-- $7 module map or null, $8 steps of refine(), $9 width, $10 height of one layout, $11 bins
WITH base AS MATERIALIZED (
	SELECT side, CASE WHEN $5::float8 > 0 THEN perfhouse.filter(p, $5::float8, metric => $3::text) ELSE p END AS profile
	FROM (VALUES ('', $1::bigint), ('_b', $2::bigint)) AS runs(side, run),
		perfhouse.profile(run, $3::text, CASE WHEN $2::bigint IS NOT NULL THEN $4::int4[] END) p
	WHERE run IS NOT NULL
), whole AS MATERIALIZED (
	SELECT side, perfhouse.refine(perfhouse.supergraph(profile, $6::text, $7::text), $8::jsonb) AS graph FROM base
), graph AS MATERIALIZED (
	SELECT side, graph AS g FROM whole WHERE $2::bigint IS NOT NULL
	UNION ALL
	SELECT '', perfhouse.restrict_ranks(graph, $4::int4[]) FROM whole WHERE $2::bigint IS NULL
	UNION ALL
	SELECT '_b', perfhouse.restrict_columns(graph, ARRAY(
			SELECT c.location FROM base, perfhouse.columns(profile) c
			WHERE c.rank IS NULL OR c.rank <> ALL ($4::int4[]) ORDER BY c.location))
	FROM whole WHERE $2::bigint IS NULL
), scale AS MATERIALIZED (
	SELECT min(l.value) AS most FROM graph, perfhouse.sankey_layout(g, $9::float8, $10::float8, $3::text) l
	WHERE l.element = 'canvas' AND l.value > 0
), layout_of_a AS MATERIALIZED (
	SELECT l.element, l.node, l.target, l.level, l."position"
	FROM graph, perfhouse.sankey_layout(g, $9::float8, $10::float8, $3::text) l
	WHERE side = '' AND l.element <> 'canvas' AND l.node IS NOT NULL
), order_of_a AS MATERIALIZED (
	SELECT jsonb_object_agg(o.name, o.place)::text AS places
	FROM (SELECT node AS name, to_jsonb("position") AS place FROM layout_of_a WHERE element = 'bar'
		UNION ALL
		SELECT node || ' -> ' || target, jsonb_agg("position" ORDER BY level) FROM layout_of_a
		WHERE element = 'dummy' GROUP BY node, target) o
)
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = $1::bigint
UNION ALL
SELECT 'run_b', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = $2::bigint
UNION ALL
SELECT 'metric', to_jsonb(m)::text FROM base, perfhouse.metrics(profile) m WHERE side = ''
UNION ALL
SELECT 'caption' || side, jsonb_build_object('caption', perfhouse.caption(g))::text FROM graph
UNION ALL
SELECT 'layout' || side, to_jsonb(l)::text
FROM graph, scale, order_of_a, perfhouse.sankey_layout(g, $9::float8, $10::float8, $3::text,
	CASE WHEN side = '_b' THEN places END, most) l
UNION ALL
SELECT 'supernodes' || side, to_jsonb(s)::text FROM graph, perfhouse.supernodes(g, $3::text) s
UNION ALL
(SELECT 'histograms' || side, jsonb_build_object('node', h.node, 'counts', jsonb_agg(h.count ORDER BY h.bin))::text
	FROM (SELECT graph.* FROM graph JOIN perfhouse.run r
			ON r.run_id = CASE WHEN side = '' OR $2::bigint IS NULL THEN $1::bigint ELSE $2::bigint END AND r.rolled_up_at IS NULL) w,
		perfhouse.mini_histograms(g, $11::int4, $3::text) h GROUP BY side, h.node ORDER BY side, h.node)
UNION ALL
SELECT 'entries' || side, to_jsonb(e)::text FROM graph, perfhouse.entry_functions(g, NULL, $3::text) e
UNION ALL
SELECT 'callers' || side, to_jsonb(c)::text FROM graph, perfhouse.entry_callers(g, NULL, $3::text) c;
