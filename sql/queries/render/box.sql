-- render_box.sql - box plots of the heaviest supernodes as rows (section, JSON object) for the renderer.
--
-- :run, :metric or null, :ranks or null, :filter share, :group_by, :module_map or null, :refinement of refine(),
-- :node, a supernode, or null (the heaviest), :cost, :top, at most so many
WITH base AS MATERIALIZED (
	SELECT CASE WHEN :filter::float8 > 0 THEN perfhouse.filter(perfhouse.drop_roots(p, :filter::float8, :metric::text), :filter::float8,
		metric => :metric::text) ELSE p END AS profile
	FROM perfhouse.profile(:run::bigint, :metric::text, :ranks::int4[]) p
), graph AS MATERIALIZED (
	SELECT perfhouse.refine(perfhouse.supergraph(profile, :group_by::text, :module_map::text), :refinement::jsonb) AS g FROM base
), heavy AS MATERIALIZED (
	SELECT s.node, s.label, CASE WHEN :cost::text = 'exclusive' THEN s.exclusive ELSE s.inclusive END AS cost
	FROM graph, perfhouse.supernodes(g, :metric::text) s
)
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint
UNION ALL
SELECT 'metric', to_jsonb(m)::text FROM base, perfhouse.metrics(profile) m
UNION ALL
SELECT 'caption', jsonb_build_object('caption', perfhouse.caption(g))::text FROM graph
UNION ALL
SELECT 'supernodes', jsonb_build_object('n', count(*))::text FROM heavy
UNION ALL
(SELECT 'boxes', (to_jsonb(b) || jsonb_build_object('node', c.node, 'label', c.label))::text
	FROM graph, (SELECT node, min(label) AS label, max(cost) AS cost
		FROM (SELECT node, label, cost FROM heavy WHERE :node::text IS NULL OR node = :node::text
			UNION ALL SELECT :node::text, :node::text, 0 WHERE :node::text IS NOT NULL) either
		GROUP BY node ORDER BY max(cost) DESC, node LIMIT :top::int4) c,
		perfhouse.box_plot(g, c.node, :cost::text, :metric::text) b
	ORDER BY c.cost DESC, c.node);
