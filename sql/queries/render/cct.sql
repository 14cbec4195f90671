-- render_cct.sql - a call tree with the spread of self cost over columns, as rows (section, JSON object) for the renderer.
--
-- :run, :metric or null, :ranks or null, :filter share, :color_metric or null, :highlight call-path query of what is
-- to stand out, or null
WITH base AS MATERIALIZED (
	SELECT CASE WHEN :filter::float8 > 0 THEN perfhouse.filter(perfhouse.drop_roots(p, :filter::float8),
		:filter::float8) ELSE p END AS profile
	FROM (SELECT CASE WHEN :color_metric::text IS NULL THEN perfhouse.profile(:run::bigint, :metric::text, :ranks::int4[])
		ELSE perfhouse.profile(:run::bigint, ARRAY[
			coalesce(:metric::text, (SELECT m.metric FROM perfhouse.metrics(perfhouse.profile(:run::bigint)) m LIMIT 1)),
				:color_metric::text],
			:ranks::int4[]) END AS p OFFSET 0) one
), node AS MATERIALIZED (
	SELECT n.* FROM base, perfhouse.nodes(profile) n
), spread AS MATERIALIZED (
	SELECT s.* FROM base, perfhouse.node_ranges(profile) s
), colored AS MATERIALIZED (
	SELECT s.* FROM base, perfhouse.node_ranges(profile, 'exclusive', :color_metric::text) s WHERE :color_metric::text IS NOT NULL
), matched AS MATERIALIZED (
	SELECT m.node FROM base, perfhouse.matching_nodes(profile, :highlight::text) m
)
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint
UNION ALL
SELECT 'metric', to_jsonb(m)::text FROM base, perfhouse.metrics(profile) m
UNION ALL
SELECT 'caption', jsonb_build_object('caption', perfhouse.caption(profile))::text FROM base
UNION ALL
SELECT 'columns', jsonb_build_object('n', count(*), 'ranks', count(DISTINCT c.rank), 'threads', count(c.thread))::text
FROM base, perfhouse.columns(profile) c
UNION ALL
SELECT 'highlight', jsonb_build_object('query', :highlight::text)::text WHERE :highlight::text IS NOT NULL
UNION ALL
(SELECT 'tree', jsonb_build_object('node', n.node, 'parent', n.parent, 'name', n.name, 'module', n.module, 'inclusive', n.inclusive,
	'min', s.min, 'max', s.max, 'mean', s.mean, 'n_present', s.n_present, 'max_rank', s.max_rank, 'max_column', s.max_column,
	'color_min', c.min, 'color_max', c.max, 'color_mean', c.mean, 'match', m.node IS NOT NULL)::text
FROM node n JOIN spread s USING (node) LEFT JOIN colored c USING (node) LEFT JOIN matched m USING (node) ORDER BY n.node);
