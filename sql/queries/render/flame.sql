-- render_flame.sql - the call tree of one run as rows (section, JSON object) for the renderer.
--
-- :run, :metric or null, :ranks or null, :filter share
SELECT s.*
FROM (SELECT perfhouse_internal.shown_profile(:run::bigint, ARRAY[:metric::text], :ranks::int4[], :filter::float8, :metric::text,
	means => true) AS profile OFFSET 0) base,
LATERAL (
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint
UNION ALL
SELECT 'metric', to_jsonb(m)::text FROM perfhouse.metrics(profile) m
UNION ALL
SELECT 'caption', jsonb_build_object('caption', perfhouse.caption(profile))::text
UNION ALL
(SELECT 'flame', jsonb_build_object('level', f.level, 'label', f.label, 'value', f.value, 'self', f.self,
		'node', f.node, 'module', n.module)::text
	FROM perfhouse.flame(profile, :metric::text) WITH ORDINALITY AS f(level, label, value, self, node, place)
	LEFT JOIN perfhouse.nodes(profile, :metric::text) n ON n.node = f.node
	ORDER BY f.place)
) s;
