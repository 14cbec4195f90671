-- kernels.sql - the dearest kernels with the spread of their durations, as rows (section, JSON object) for the renderer.
--
-- :run, :top, at most so many, :from and :to in ns or null, :ranks or null.
WITH k AS MATERIALIZED (
	SELECT k.*, row_number() OVER (ORDER BY k.total DESC, k.name) AS place, sum(k.total) OVER () AS "all"
	FROM perfhouse.kernels(:run::bigint, :from::bigint, :to::bigint, :ranks::int4[]) k
)
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint
UNION ALL SELECT 'trace', to_jsonb(t)::text FROM perfhouse.trace t WHERE t.run_id = :run::bigint
UNION ALL SELECT 'window', jsonb_build_object('from', coalesce(:from::bigint, 0), 'to', coalesce(:to::bigint, t.duration))::text
FROM perfhouse.trace t WHERE t.run_id = :run::bigint
UNION ALL SELECT 'all', jsonb_build_object('n', count(*), 'total', sum(k.total))::text FROM k
UNION ALL (SELECT 'kernels', to_jsonb(k)::text FROM k WHERE k.place <= :top::int4 ORDER BY k.place);
