-- render_iteration_history.sql - costs of call paths along the iterations of a run as rows (section, JSON object) for the renderer.
--
-- :run, :metric or null, :paths call paths or functions as a JSON array (none: the dearest call paths), :by what a series is of or
-- null (as the paths say), :cost, :top, at most so many when none is named, :mode of finding change points
-- :given: the profile of a query instead of that of a run, or null
SELECT s.*
FROM (SELECT coalesce(:given::perfhouse.profile, perfhouse.profile(:run::bigint, :metric::text, NULL::int4[], true)) AS profile
	OFFSET 0) base,
LATERAL (
WITH panel AS MATERIALIZED (
	SELECT h.* FROM perfhouse.iteration_history(profile, ARRAY(SELECT jsonb_array_elements_text(:paths::jsonb)), :by::text, :cost::text,
		:metric::text, :top::int4) h
), change AS (
	SELECT p.panel, x.*, perfhouse.false_discovery_rate(x.series_p_value) OVER () AS q_value
	FROM panel p LEFT JOIN perfhouse.change_point_indexes(p.means, :mode::text) x ON true
)
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint
UNION ALL
SELECT 'metric', (to_jsonb(m) || jsonb_build_object('better', coalesce((SELECT o.better FROM perfhouse.metric_overview o
	WHERE o.name = m.metric ORDER BY o.metric_id LIMIT 1), 0)))::text
FROM (SELECT m.* FROM perfhouse.metrics(profile) WITH ORDINALITY m (metric, unit, kind, is_signed, place)
	WHERE m.metric = :metric::text OR :metric::text IS NULL ORDER BY m.place LIMIT 1) m
UNION ALL
SELECT 'caption', jsonb_build_object('caption', perfhouse.caption(profile))::text
UNION ALL
SELECT 'choice', jsonb_build_object('cost', :cost::text, 'mode', :mode::text, 'candidates', max(p.n_candidates))::text FROM panel p
UNION ALL
SELECT 'iterations', jsonb_build_object('iterations', p.iterations)::text FROM panel p WHERE p.panel = 1
UNION ALL
(SELECT 'panels', jsonb_build_object('panel', p.panel, 'series', 1, 'level', p.level, 'label', p.label, 'leaf', p.name,
	'values', p.means, 'least', p.mins, 'greatest', p.maxs, 'worst', p.worst_ranks)::text FROM panel p ORDER BY p.panel)
UNION ALL
SELECT 'changes', (to_jsonb(c) || '{"series": 1}')::text FROM change c WHERE :mode::text = 'otava' AND c.index > 0 OR c.q_value <= 0.05
) s;
