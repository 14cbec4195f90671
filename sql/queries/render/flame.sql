-- render_flame.sql - the call tree of one run as rows (section, JSON object) for the renderer.
--
-- $1 run, $2 metric or null, $3 ranks or null, $4 filter share
WITH base AS MATERIALIZED (
	SELECT CASE WHEN $4::float8 > 0 THEN perfhouse.filter(p, $4::float8, metric => $2::text) ELSE p END AS profile
	FROM perfhouse.profile($1::bigint, $2::text, $3::int4[]) p
)
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = $1::bigint
UNION ALL
SELECT 'metric', to_jsonb(m)::text FROM base, perfhouse.metrics(profile) m
UNION ALL
SELECT 'caption', jsonb_build_object('caption', perfhouse.caption(profile))::text FROM base
UNION ALL
(SELECT 'flame', jsonb_build_object('level', f.level, 'label', f.label, 'value', f.value, 'self', f.self,
		'node', f.node, 'module', n.module)::text
	FROM base
	CROSS JOIN LATERAL perfhouse.flame(base.profile, $2::text)
		WITH ORDINALITY AS f(level, label, value, self, node, place)
	LEFT JOIN (SELECT m.node, m.module FROM base b, perfhouse.nodes(b.profile, $2::text) m) n ON n.node = f.node
	ORDER BY f.place);
