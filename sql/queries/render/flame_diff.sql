-- render_flame_diff.sql - two runs' call trees united, as rows (section, JSON object) for the renderer.
--
-- $1 run A, $2 run B, $3 metric or null, $4 ranks or null, $5 filter share, $6 whether
-- functions go under the names that aliases give them
WITH base AS MATERIALIZED (
	SELECT CASE WHEN $5::float8 > 0 THEN perfhouse.filter(p, $5::float8, metric => $3::text) ELSE p END AS a,
		CASE WHEN $5::float8 > 0 THEN perfhouse.filter(q, $5::float8, metric => $3::text) ELSE q END AS b
	FROM (SELECT CASE WHEN $6::boolean THEN perfhouse.apply_aliases(x) ELSE x END AS p FROM perfhouse.profile($1::bigint, $3::text, $4::int4[]) x) a,
		(SELECT CASE WHEN $6::boolean THEN perfhouse.apply_aliases(x) ELSE x END AS q FROM perfhouse.profile($2::bigint, $3::text, $4::int4[]) x) b
)
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = $1::bigint
UNION ALL
SELECT 'run_b', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = $2::bigint
UNION ALL
SELECT 'metric', to_jsonb(m)::text FROM base, perfhouse.metrics(a) m
UNION ALL
SELECT 'caption', jsonb_build_object('caption', perfhouse.caption(a))::text FROM base
UNION ALL
SELECT 'caption_b', jsonb_build_object('caption', perfhouse.caption(b))::text FROM base
UNION ALL
SELECT 'flame', to_jsonb(f)::text FROM base, perfhouse.flame_diff(a, b, $3::text) f;
