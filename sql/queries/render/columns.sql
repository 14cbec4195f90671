-- render_columns.sql - one supernode's values over the columns, for histograms and scatter plots, as rows
-- (section, JSON object) for the renderer.
--
-- :run, :metric or null, :metric_y or null, :ranks or null, :filter share, :levels of the graph or null, :group_by,
-- :module_map or null, :refinement of refine(), :node, a supernode, or null (highest exclusive)
-- :given: the super graph of a query instead of that of a run, or null
SELECT s.*
FROM (SELECT perfhouse.refine(coalesce(:given::perfhouse.supergraph, perfhouse.supergraph(perfhouse_internal.shown_profile(:run::bigint,
	ARRAY[coalesce(:metric::text, (SELECT r.metrics[1] FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint)), :metric_y::text],
	:ranks::int4[], :filter::float8, NULL, true, :group_by::text, :module_map::text,
	perfhouse_internal.graph_levels(:filter::float8, :levels::int4)), :group_by::text, :module_map::text)),
	:refinement::jsonb) AS g OFFSET 0) graph,
LATERAL (SELECT perfhouse_internal.measured(g, :run::bigint, array_remove(ARRAY[
		coalesce(:metric::text, (SELECT r.metrics[1] FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint)), :metric_y::text], NULL))
	AS by_rank OFFSET 0) measured,
LATERAL (SELECT coalesce(:node::text,
	(SELECT s.node FROM perfhouse.supernodes(g) s ORDER BY s.exclusive DESC, s.node LIMIT 1)) AS node OFFSET 0) chosen,
LATERAL (
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint
UNION ALL
SELECT 'metric', to_jsonb(m)::text FROM perfhouse.metrics(perfhouse.profile(g)) m
UNION ALL
SELECT 'caption', jsonb_build_object('caption', perfhouse.caption(g), 'filter_chosen',
	:filter::float8 IS NULL AND :given::perfhouse.supergraph IS NULL)::text
UNION ALL
SELECT 'values', (jsonb_build_object('node', chosen.node) || v."values")::text
FROM (SELECT jsonb_build_object('rank', jsonb_agg(v.rank ORDER BY v.location), 'thread', jsonb_agg(v.thread ORDER BY v.location),
		'host', jsonb_agg(coalesce(o.label, v.host) ORDER BY v.location), 'name', jsonb_agg(v.name ORDER BY v.location),
		'inclusive', jsonb_agg(v.inclusive ORDER BY v.location), 'exclusive', jsonb_agg(v.exclusive ORDER BY v.location)) AS "values"
	FROM perfhouse.supernode_values(coalesce(by_rank, g), chosen.node) v LEFT JOIN perfhouse_internal.rank_groups((SELECT min(run_id)
		FROM perfhouse.columns(perfhouse.profile(g))), :order::text) o USING (rank) HAVING count(*) > 0) v
UNION ALL
SELECT 'over_ranks', jsonb_build_object('min', i.max - i.imbalance_range, 'mean', i.mean, 'max', i.max,
	'imbalance_ratio', i.imbalance_ratio)::text
FROM (SELECT min(m.cct_node) AS cct_node FROM perfhouse.members(g, chosen.node) m HAVING count(*) = 1) single,
	perfhouse.imbalance(perfhouse.profile(g)) i WHERE by_rank IS NULL AND i.node = single.cct_node AND i.basis = 'file'
UNION ALL
SELECT 'values_y', jsonb_build_object('inclusive', jsonb_agg(v.inclusive ORDER BY v.location),
	'exclusive', jsonb_agg(v.exclusive ORDER BY v.location))::text
FROM perfhouse.supernode_values(coalesce(by_rank, g), chosen.node, :metric_y::text) v WHERE :metric_y::text IS NOT NULL HAVING count(*) > 0
) s;
