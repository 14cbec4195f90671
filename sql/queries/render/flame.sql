-- render_flame.sql - the call tree of one run as rows (section, JSON object) for the renderer.
--
-- :run, :metric or null, :ranks or null, :filter share
WITH base AS MATERIALIZED (
	SELECT CASE WHEN :filter::float8 > 0 THEN perfhouse.filter(perfhouse.drop_roots(p, :filter::float8, :metric::text), :filter::float8,
		metric => :metric::text) ELSE p END AS profile
	FROM perfhouse.profile(:run::bigint, :metric::text, :ranks::int4[]) p
)
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint
UNION ALL
SELECT 'metric', to_jsonb(m)::text FROM base, perfhouse.metrics(profile) m
UNION ALL
SELECT 'caption', jsonb_build_object('caption', perfhouse.caption(profile))::text FROM base
UNION ALL
(SELECT 'flame', jsonb_build_object('level', f.level, 'label', f.label, 'value', f.value, 'self', f.self,
		'node', f.node, 'module', n.module)::text
	FROM base
	CROSS JOIN LATERAL perfhouse.flame(base.profile, :metric::text)
		WITH ORDINALITY AS f(level, label, value, self, node, place)
	LEFT JOIN (SELECT m.node, m.module FROM base b, perfhouse.nodes(b.profile, :metric::text) m) n ON n.node = f.node
	ORDER BY f.place);
