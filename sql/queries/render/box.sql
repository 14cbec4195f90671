-- render_box.sql - box plots of the heaviest supernodes as rows (section, JSON object) for the renderer.
--
-- $1 run, $2 metric or null, $3 ranks or null, $4 filter share, $5 grouping, $6 module map or null,
-- $7 steps of refine(), $8 supernode or null (the heaviest), $9 cost, $10 at most so many
WITH base AS MATERIALIZED (
	SELECT CASE WHEN $4::float8 > 0 THEN perfhouse.filter(p, $4::float8, metric => $2::text) ELSE p END AS profile
	FROM perfhouse.profile($1::bigint, $2::text, $3::int4[]) p
), graph AS MATERIALIZED (
	SELECT perfhouse.refine(perfhouse.supergraph(profile, $5::text, $6::text), $7::jsonb) AS g FROM base
), heavy AS MATERIALIZED (
	SELECT s.node, s.label, CASE WHEN $9::text = 'exclusive' THEN s.exclusive ELSE s.inclusive END AS cost
	FROM graph, perfhouse.supernodes(g, $2::text) s
)
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = $1::bigint
UNION ALL
SELECT 'metric', to_jsonb(m)::text FROM base, perfhouse.metrics(profile) m
UNION ALL
SELECT 'caption', jsonb_build_object('caption', perfhouse.caption(g))::text FROM graph
UNION ALL
SELECT 'supernodes', jsonb_build_object('n', count(*))::text FROM heavy
UNION ALL
(SELECT 'boxes', (to_jsonb(b) || jsonb_build_object('node', c.node, 'label', c.label))::text
	FROM graph, (SELECT node, min(label) AS label, max(cost) AS cost
		FROM (SELECT node, label, cost FROM heavy WHERE $8::text IS NULL OR node = $8::text
			UNION ALL SELECT $8::text, $8::text, 0 WHERE $8::text IS NOT NULL) either
		GROUP BY node ORDER BY max(cost) DESC, node LIMIT $10::int4) c,
		perfhouse.box_plot(g, c.node, $9::text, $2::text) b
	ORDER BY c.cost DESC, c.node);
