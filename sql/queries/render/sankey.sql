-- render_sankey.sql - the super graph of one run as rows (section, JSON object) for the renderer.
--
-- $1 run, $2 metric or null, $3 ranks or null, $4 filter share, $5 grouping, $6 module map or null,
-- $7 steps of refine(), $8 width, $9 height, $10 bins
WITH base AS MATERIALIZED (
	SELECT CASE WHEN $4::float8 > 0 THEN perfhouse.filter(p, $4::float8, metric => $2::text) ELSE p END AS profile
	FROM perfhouse.profile($1::bigint, $2::text, $3::int4[]) p
), graph AS MATERIALIZED (
	SELECT perfhouse.refine(perfhouse.supergraph(profile, $5::text, $6::text), $7::jsonb) AS g FROM base
)
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = $1::bigint
UNION ALL
SELECT 'metric', to_jsonb(m)::text FROM base, perfhouse.metrics(profile) m
UNION ALL
SELECT 'caption', jsonb_build_object('caption', perfhouse.caption(g))::text FROM graph
UNION ALL
SELECT 'layout', to_jsonb(l)::text FROM graph, perfhouse.sankey_layout(g, $8::float8, $9::float8, $2::text) l
UNION ALL
SELECT 'supernodes', to_jsonb(s)::text FROM graph, perfhouse.supernodes(g, $2::text) s
UNION ALL -- a run that is rolled up has no values of single ranks
(SELECT 'histograms', jsonb_build_object('node', h.node, 'counts', jsonb_agg(h.count ORDER BY h.bin))::text
	FROM (SELECT g FROM graph WHERE EXISTS (SELECT FROM perfhouse.run r WHERE r.run_id = $1::bigint AND r.rolled_up_at IS NULL)) w,
		perfhouse.mini_histograms(g, $10::int4, $2::text) h GROUP BY h.node ORDER BY h.node)
UNION ALL
SELECT 'entries', to_jsonb(e)::text FROM graph, perfhouse.entry_functions(g, NULL, $2::text) e
UNION ALL
SELECT 'callers', to_jsonb(c)::text FROM graph, perfhouse.entry_callers(g, NULL, $2::text) c;
