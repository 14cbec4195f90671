-- render_cct.sql - a call tree with the spread of self cost over columns, as rows (section, JSON object) for the renderer.
--
-- :run, :metric or null, :ranks or null, :filter share, :color_metric or null, :highlight call-path query of what is
-- to stand out, or null
-- :given: the profile of a query instead of that of a run, or null
SELECT s.*
FROM (SELECT coalesce(:given::perfhouse.profile, perfhouse_internal.shown_profile(:run::bigint,
	ARRAY[CASE WHEN :color_metric::text IS NULL THEN :metric::text ELSE coalesce(
		:metric::text, (SELECT r.metrics[1] FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint)) END, :color_metric::text],
	:ranks::int4[], :filter::float8)) AS profile OFFSET 0) base,
LATERAL (
WITH node AS MATERIALIZED (
	SELECT n.* FROM perfhouse.nodes(profile) n
), spread AS MATERIALIZED (
	SELECT s.* FROM perfhouse.node_ranges(profile) s
), colored AS MATERIALIZED (
	SELECT s.* FROM perfhouse.node_ranges(profile, 'exclusive', :color_metric::text) s WHERE :color_metric::text IS NOT NULL
), matched AS MATERIALIZED (
	SELECT m.node FROM perfhouse.matching_nodes(profile, :highlight::text) m
)
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint
UNION ALL
SELECT 'metric', to_jsonb(m)::text FROM perfhouse.metrics(profile) m
UNION ALL
SELECT 'caption', jsonb_build_object('caption', perfhouse.caption(profile))::text
UNION ALL
SELECT 'columns', jsonb_build_object('n', count(*), 'ranks', count(DISTINCT c.rank), 'threads', count(c.thread), 'filtered',
	(SELECT max(substring(o.value FROM '^filter: share ([0-9.e-]+) of inclusive')::float8) FROM perfhouse.provenance(profile) o
		WHERE NOT EXISTS (SELECT FROM perfhouse.metrics(profile) m WHERE m.is_signed)))::text
FROM perfhouse.columns(profile) c
UNION ALL
SELECT 'highlight', jsonb_build_object('query', :highlight::text)::text WHERE :highlight::text IS NOT NULL
UNION ALL
(SELECT 'tree', jsonb_build_object('node', n.node, 'parent', n.parent, 'name', n.name, 'module', n.module, 'inclusive', n.inclusive,
	'min', s.min, 'max', s.max, 'mean', s.mean, 'n_present', s.n_present, 'max_rank', s.max_rank, 'max_column', s.max_column,
	'color_min', c.min, 'color_max', c.max, 'color_mean', c.mean, 'match', m.node IS NOT NULL, 'file_ratio', f.imbalance_ratio,
	'others', o.paths, 'absorbed', CASE WHEN o.paths > 0 THEN n.absorbed END)::text
FROM node n JOIN spread s USING (node)
	LEFT JOIN perfhouse_internal.absorbed_paths(profile) o USING (node) LEFT JOIN colored c USING (node) LEFT JOIN matched m USING (node)
	LEFT JOIN (SELECT i.* FROM perfhouse.imbalance(profile) i WHERE i.basis = 'file') f USING (node) ORDER BY n.node)
) s;
