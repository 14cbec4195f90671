-- render_sankey.sql - the super graph of one run as rows (section, JSON object) for the renderer.
--
-- :run, :metric or null, :ranks or null, :filter share, :group_by, :module_map or null, :refinement of refine(),
-- :width, :height, :bins
WITH base AS MATERIALIZED (
	SELECT CASE WHEN :filter::float8 > 0 THEN perfhouse.filter(perfhouse.drop_roots(p, :filter::float8, :metric::text), :filter::float8,
		metric => :metric::text) ELSE p END AS profile
	FROM perfhouse.profile(:run::bigint, :metric::text, :ranks::int4[]) p
), graph AS MATERIALIZED (
	SELECT perfhouse.refine(perfhouse.supergraph(profile, :group_by::text, :module_map::text), :refinement::jsonb) AS g FROM base
)
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint
UNION ALL
SELECT 'metric', to_jsonb(m)::text FROM base, perfhouse.metrics(profile) m
UNION ALL
SELECT 'caption', jsonb_build_object('caption', perfhouse.caption(g))::text FROM graph
UNION ALL
SELECT 'layout', to_jsonb(l)::text FROM graph, perfhouse.sankey_layout(g, :width::float8, :height::float8, :metric::text) l
UNION ALL
SELECT 'supernodes', to_jsonb(s)::text FROM graph, perfhouse.supernodes(g, :metric::text) s
UNION ALL -- a run that is rolled up has no values of single ranks
(SELECT 'histograms', jsonb_build_object('node', h.node, 'counts', jsonb_agg(h.count ORDER BY h.bin))::text
	FROM (SELECT g FROM graph WHERE EXISTS (SELECT FROM perfhouse.run r WHERE r.run_id = :run::bigint AND r.rolled_up_at IS NULL)) w,
		perfhouse.mini_histograms(g, :bins::int4, :metric::text) h GROUP BY h.node ORDER BY h.node)
UNION ALL
SELECT 'entries', to_jsonb(e)::text FROM graph, perfhouse.entry_functions(g, NULL, :metric::text) e
UNION ALL
SELECT 'callers', to_jsonb(c)::text FROM graph, perfhouse.entry_callers(g, NULL, :metric::text) c;
