-- render_columns.sql - one supernode's values over the columns, for histograms and scatter plots, as rows
-- (section, JSON object) for the renderer.
--
-- :run, :metric or null, :metric_y or null, :ranks or null, :filter share, :group_by, :module_map or null,
-- :refinement of refine(), :node, a supernode, or null (highest exclusive)
WITH base AS MATERIALIZED (
	SELECT CASE WHEN :filter::float8 > 0 THEN perfhouse.filter(perfhouse.drop_roots(p, :filter::float8),
		:filter::float8) ELSE p END AS profile
	FROM perfhouse.profile(:run::bigint, array_remove(ARRAY[
			coalesce(:metric::text, (SELECT m.metric FROM perfhouse.metrics(perfhouse.profile(:run::bigint)) m LIMIT 1)),
			:metric_y::text], NULL), :ranks::int4[]) p
), graph AS MATERIALIZED (
	SELECT perfhouse.refine(perfhouse.supergraph(profile, :group_by::text, :module_map::text), :refinement::jsonb) AS g FROM base
), chosen AS MATERIALIZED (
	SELECT coalesce(:node::text, (SELECT s.node FROM graph, perfhouse.supernodes(g) s
		ORDER BY s.exclusive DESC, s.node LIMIT 1)) AS node
)
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint
UNION ALL
SELECT 'metric', to_jsonb(m)::text FROM base, perfhouse.metrics(profile) m
UNION ALL
SELECT 'caption', jsonb_build_object('caption', perfhouse.caption(g))::text FROM graph
UNION ALL
SELECT 'values', jsonb_build_object('node', chosen.node,
	'rank', jsonb_agg(v.rank ORDER BY v.location), 'thread', jsonb_agg(v.thread ORDER BY v.location),
	'host', jsonb_agg(v.host ORDER BY v.location), 'name', jsonb_agg(v.name ORDER BY v.location),
	'inclusive', jsonb_agg(v.inclusive ORDER BY v.location),
	'exclusive', jsonb_agg(v.exclusive ORDER BY v.location))::text
FROM graph, chosen, perfhouse.supernode_values(g, chosen.node) v GROUP BY chosen.node
UNION ALL
SELECT 'over_ranks', jsonb_build_object('min', i.max - i.imbalance_range, 'mean', i.mean, 'max', i.max,
	'imbalance_ratio', i.imbalance_ratio)::text
FROM (SELECT min(m.cct_node) AS cct_node FROM graph, chosen, perfhouse.members(g, chosen.node) m HAVING count(*) = 1) single,
	base, perfhouse.imbalance(profile) i WHERE i.node = single.cct_node AND i.basis = 'file'
UNION ALL
SELECT 'values_y', jsonb_build_object('inclusive', jsonb_agg(v.inclusive ORDER BY v.location),
	'exclusive', jsonb_agg(v.exclusive ORDER BY v.location))::text
FROM graph, chosen, perfhouse.supernode_values(g, chosen.node, :metric_y::text) v WHERE :metric_y::text IS NOT NULL
GROUP BY chosen.node;
