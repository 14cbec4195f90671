-- render_iterations.sql - what call paths cost in each iteration, as rows (section, JSON object) for the renderer.
--
-- :run, :metric or null, :ranks or null, :cost, :top, at most so many call paths, the dearest ones, :color, cost or change (against
-- the mean over iterations, in percent), :width, under 2 units of which neighbouring iterations share a cell: the greatest of them
-- Section apart: iterations in which a rank took twice as long as the mean, if that is a tenth of what is dearest.
-- :given: the profile of a query instead of that of a run, or null
SELECT s.*
FROM (SELECT coalesce(:given::perfhouse.profile, perfhouse.profile(:run::bigint, :metric::text, :ranks::int4[], true)) AS profile
	OFFSET 0) base,
LATERAL (
WITH cost AS MATERIALIZED (
	SELECT b.*, dense_rank() OVER (ORDER BY b.iteration) - 1 AS place, sum(b.mean) OVER (PARTITION BY b.node) AS whole,
		avg(b.mean) OVER (PARTITION BY b.node) AS level
	FROM perfhouse.by_iteration(profile, :cost::text, :metric::text) b
), dear AS MATERIALIZED (
	SELECT c.node, c.whole, CASE WHEN count(*) OVER (PARTITION BY c.name) > 1 THEN c.path ELSE c.name END AS label
	FROM (SELECT DISTINCT node, name, path, whole FROM cost WHERE whole <> 0) c ORDER BY abs(c.whole) DESC, c.node LIMIT :top::int4
), per AS MATERIALIZED (
	SELECT ceil(count(DISTINCT iteration) / greatest(1, floor(:width::float8 / 2)))::bigint AS n, count(DISTINCT iteration) AS iterations
	FROM cost
), metric AS MATERIALIZED (
	SELECT m.* FROM perfhouse.metrics(profile) WITH ORDINALITY m (metric, unit, kind, is_signed, place)
	WHERE m.metric = :metric::text OR :metric::text IS NULL ORDER BY m.place LIMIT 1
)
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint
UNION ALL SELECT 'metric', to_jsonb(m)::text FROM perfhouse.metrics(profile) m
UNION ALL SELECT 'caption', jsonb_build_object('caption', perfhouse.caption(profile))::text
UNION ALL SELECT 'grid', jsonb_build_object('per', p.n, 'iterations', p.iterations,
	'paths', (SELECT count(DISTINCT node) FROM cost WHERE whole <> 0))::text FROM per p
UNION ALL SELECT 'given_columns', jsonb_build_object('column', v.name, 'name', v.title, 'kind', v.kind)::text
FROM (SELECT concat(:cost::text, ' ', m.metric, nullif(' [' || m.unit || ']', ' []')) AS title FROM metric m) t,
	(VALUES ('x', 'iteration', 'number'), ('y', 'call path', 'text'), ('value', NULL, 'number')) c (name, title, kind),
	LATERAL (SELECT c.name, c.kind,
		coalesce(c.title, CASE :color::text WHEN 'change' THEN 'against the mean [%]' ELSE t.title END) AS title) v
UNION ALL
(SELECT 'given', jsonb_build_object('x', min(c.iteration), 'y', d.label, 'value', CASE WHEN :color::text <> 'change' THEN max(c.mean)
		WHEN max(c.level) <> 0 THEN 100 * (max(c.mean) / max(c.level) - 1) END)::text
	FROM dear d JOIN cost c USING (node), per p WHERE c.n_present > 0 GROUP BY d.whole, d.node, d.label, c.place / p.n
	ORDER BY abs(d.whole) DESC, d.node, min(c.iteration))
UNION ALL SELECT 'changes', jsonb_build_object('x', h.iteration, 'y', d.label, 'before', h.before, 'after', h.after)::text
FROM perfhouse.iteration_changes(profile, :cost::text, :metric::text) h JOIN dear d USING (node)
UNION ALL (SELECT 'apart', jsonb_build_object('x', c.iteration - c.place % p.n, 'y', d.label, 'rank', c.worst_rank,
	'value', c.max, 'mean', c.mean)::text
	FROM dear d JOIN cost c USING (node), per p, (SELECT max(abs(mean)) AS mean FROM cost) most
	WHERE c.mean > 0 AND c.max >= 2 * c.mean AND c.max - c.mean >= most.mean / 10 ORDER BY abs(d.whole) DESC, d.node, c.iteration)
) s;
