-- render_flame_diff.sql - two runs' call trees united, as rows (section, JSON object) for the renderer.
--
-- :run A, :vs run B, :metric or null, :ranks or null, :filter share, :aliases whether functions go under the names that
-- aliases give them, :width in picture units, under PH_FLAME_MIN_WIDTH of which call paths are added up, unless
-- :everything is asked for
-- :given, :given_b: two profiles of a query instead of those of runs, or null
WITH base AS MATERIALIZED (
	SELECT CASE WHEN :filter::float8 > 0 THEN perfhouse.filter(perfhouse.drop_roots(p, :filter::float8, :metric::text), :filter::float8,
		metric => :metric::text) ELSE p END AS a,
		CASE WHEN :filter::float8 > 0 THEN perfhouse.filter(perfhouse.drop_roots(q, :filter::float8, :metric::text), :filter::float8,
		metric => :metric::text) ELSE q END AS b
	FROM (SELECT CASE WHEN :aliases::boolean THEN perfhouse.apply_aliases(x) ELSE x END AS p
		FROM coalesce(:given::perfhouse.profile, perfhouse_internal.shown_profile(:run::bigint, ARRAY[:metric::text], :ranks::int4[], 0,
			means => true)) x) a,
		(SELECT CASE WHEN :aliases::boolean THEN perfhouse.apply_aliases(x) ELSE x END AS q
			FROM coalesce(:given_b::perfhouse.profile, perfhouse_internal.shown_profile(:vs::bigint, ARRAY[:metric::text], :ranks::int4[],
				0, means => true)) x) b
)
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint
UNION ALL
SELECT 'run_b', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :vs::bigint
UNION ALL SELECT 'experiment', jsonb_build_object('differences', t)::text
FROM perfhouse_internal.differences_text(ARRAY[:run::bigint], ARRAY[:vs::bigint]) t WHERE t IS NOT NULL
UNION ALL SELECT 'noise', to_jsonb(k)::text FROM perfhouse_internal.noise_by_name(:run::bigint, :metric::text) k
UNION ALL
SELECT 'metric', to_jsonb(m)::text FROM base, perfhouse.metrics(a) m
UNION ALL
SELECT 'caption', jsonb_build_object('caption', perfhouse.caption(a))::text FROM base
UNION ALL
SELECT 'caption_b', jsonb_build_object('caption', perfhouse.caption(b))::text FROM base
UNION ALL
SELECT 'flame', row_to_json(f)::text FROM base, perfhouse_internal.flame_diff_boxes(a, b, :metric::text,
	CASE WHEN :everything::boolean THEN 0 ELSE 0.3 / :width::float8 END) f;
