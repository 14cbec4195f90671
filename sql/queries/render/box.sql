-- render_box.sql - box plots of the heaviest supernodes as rows (section, JSON object) for the renderer.
--
-- :run, :metric or null, :ranks or null, :filter share, :levels of the graph or null, :group_by, :module_map or null,
-- :refinement of refine(), :node, a supernode, or null (the heaviest), :cost, :top, at most so many
-- :given: the super graph of a query instead of that of a run, or null
SELECT s.*
FROM (SELECT perfhouse.refine(coalesce(:given::perfhouse.supergraph, perfhouse.supergraph(perfhouse_internal.shown_profile(:run::bigint,
	ARRAY[:metric::text], :ranks::int4[], :filter::float8, :metric::text, true, :group_by::text, :module_map::text,
	perfhouse_internal.graph_levels(:filter::float8, :levels::int4)), :group_by::text, :module_map::text)),
	:refinement::jsonb) AS g OFFSET 0) graph,
LATERAL (SELECT coalesce(perfhouse_internal.measured(g, :run::bigint, array_remove(ARRAY[:metric::text], NULL)), g) AS by_rank
	OFFSET 0) measured,
LATERAL (
WITH heavy AS MATERIALIZED (
	SELECT s.node, s.label, CASE WHEN :cost::text = 'exclusive' THEN s.exclusive ELSE s.inclusive END AS cost
	FROM perfhouse.supernodes(g, :metric::text) s
)
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint
UNION ALL
SELECT 'metric', to_jsonb(m)::text FROM perfhouse.metrics(perfhouse.profile(g)) m
UNION ALL
SELECT 'caption', jsonb_build_object('caption', perfhouse.caption(g), 'filter_chosen',
	:filter::float8 IS NULL AND :given::perfhouse.supergraph IS NULL)::text
UNION ALL
SELECT 'supernodes', jsonb_build_object('n', count(*))::text FROM heavy
UNION ALL
(SELECT 'boxes', (to_jsonb(b) || jsonb_build_object('node', c.node, 'label', c.label))::text
	FROM (SELECT node, min(label) AS label, max(cost) AS cost
		FROM (SELECT node, label, cost FROM heavy WHERE :node::text IS NULL OR node = :node::text
			UNION ALL SELECT :node::text, :node::text, 0 WHERE :node::text IS NOT NULL) either
		GROUP BY node ORDER BY max(cost) DESC, node LIMIT :top::int4) c,
		perfhouse.box_plot(by_rank, c.node, :cost::text, :metric::text) b
	ORDER BY c.cost DESC, c.node)
) s;
