-- render_sankey_compare.sql - two super graphs on one scale as rows (section, JSON object) for the renderer.
--
-- Two runs, or (second run null) the given ranks of one run against its other ranks on the same partition. :run A,
-- :vs run B or null, :metric or null, :ranks or null, :filter share, :group_by, :module_map or null, :refinement of
-- refine(), :width, :height of one layout, :bins
WITH base AS MATERIALIZED (
	SELECT side, CASE WHEN :filter::float8 > 0 THEN perfhouse.filter(perfhouse.drop_roots(p, :filter::float8, :metric::text),
		:filter::float8, metric => :metric::text) ELSE p END AS profile
	FROM (VALUES ('', :run::bigint), ('_b', :vs::bigint)) AS runs(side, run),
		perfhouse.profile(run, :metric::text, CASE WHEN :vs::bigint IS NOT NULL THEN :ranks::int4[] END) p
	WHERE run IS NOT NULL
), whole AS MATERIALIZED (
	SELECT side, perfhouse.refine(perfhouse.supergraph(profile, :group_by::text, :module_map::text), :refinement::jsonb) AS graph FROM base
), graph AS MATERIALIZED (
	SELECT side, graph AS g FROM whole WHERE :vs::bigint IS NOT NULL
	UNION ALL
	SELECT '', perfhouse.restrict_ranks(graph, :ranks::int4[]) FROM whole WHERE :vs::bigint IS NULL
	UNION ALL
	SELECT '_b', perfhouse.restrict_other_ranks(graph, :ranks::int4[]) FROM whole WHERE :vs::bigint IS NULL
), scale AS MATERIALIZED (
	SELECT min(l.value) AS most FROM graph, perfhouse.sankey_layout(g, :width::float8, :height::float8, :metric::text) l
	WHERE l.element = 'canvas' AND l.value > 0
), order_of_a AS MATERIALIZED (
	SELECT perfhouse.sankey_order(g, :width::float8, :height::float8, :metric::text) AS places FROM graph WHERE side = ''
)
SELECT v.section, to_jsonb(r)::text
FROM (VALUES ('run', :run::bigint), ('run_b', :vs::bigint)) v (section, run) JOIN perfhouse.run_overview r ON r.run_id = v.run
UNION ALL SELECT 'experiment', jsonb_build_object('differences', t)::text
FROM perfhouse_internal.differences_text(ARRAY[:run::bigint], ARRAY[:vs::bigint]) t WHERE t IS NOT NULL
UNION ALL
SELECT 'metric', to_jsonb(m)::text FROM base, perfhouse.metrics(profile) m WHERE side = ''
UNION ALL SELECT 'caption' || side, jsonb_build_object('caption', perfhouse.caption(g))::text FROM graph
UNION ALL
SELECT 'layout' || side, to_jsonb(l)::text
FROM graph, scale, order_of_a, perfhouse.sankey_layout(g, :width::float8, :height::float8, :metric::text,
	CASE WHEN side = '_b' THEN places END, most) l
UNION ALL SELECT 'supernodes' || side, to_jsonb(s)::text FROM graph, perfhouse.supernodes(g, :metric::text) s
UNION ALL
(SELECT 'histograms' || side, jsonb_build_object('node', h.node, 'counts', jsonb_agg(h.count ORDER BY h.bin))::text
	FROM (SELECT graph.* FROM graph JOIN perfhouse.run r
			ON r.run_id = CASE WHEN side = '' OR :vs::bigint IS NULL THEN :run::bigint ELSE :vs::bigint END AND r.rolled_up_at IS NULL) w,
		perfhouse.mini_histograms(g, :bins::int4, :metric::text) h GROUP BY side, h.node ORDER BY side, h.node)
UNION ALL
SELECT 'entries' || side, to_jsonb(e)::text FROM graph, perfhouse.entry_functions(g, NULL, :metric::text) e
UNION ALL SELECT 'callers' || side, to_jsonb(c)::text FROM graph, perfhouse.entry_callers(g, NULL, :metric::text) c;
