-- render_columns.sql - one supernode's values over the columns, for histograms and scatter plots, as rows
-- (section, JSON object) for the renderer.
--
-- $1 run, $2 metric or null, $3 second metric or null, $4 ranks or null, $5 filter share, $6 grouping,
-- $7 module map or null, $8 steps of refine(), $9 supernode or null (highest exclusive)
WITH base AS MATERIALIZED (
	SELECT CASE WHEN $5::float8 > 0 THEN perfhouse.filter(p, $5::float8) ELSE p END AS profile
	FROM perfhouse.profile($1::bigint, array_remove(ARRAY[
			coalesce($2::text, (SELECT m.metric FROM perfhouse.metrics(perfhouse.profile($1::bigint)) m LIMIT 1)),
			$3::text], NULL), $4::int4[]) p
), graph AS MATERIALIZED (
	SELECT perfhouse.refine(perfhouse.supergraph(profile, $6::text, $7::text), $8::jsonb) AS g FROM base
), chosen AS MATERIALIZED (
	SELECT coalesce($9::text, (SELECT s.node FROM graph, perfhouse.supernodes(g) s
		ORDER BY s.exclusive DESC, s.node LIMIT 1)) AS node
)
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = $1::bigint
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
SELECT 'values_y', jsonb_build_object('inclusive', jsonb_agg(v.inclusive ORDER BY v.location),
	'exclusive', jsonb_agg(v.exclusive ORDER BY v.location))::text
FROM graph, chosen, perfhouse.supernode_values(g, chosen.node, $3::text) v WHERE $3::text IS NOT NULL
GROUP BY chosen.node;
