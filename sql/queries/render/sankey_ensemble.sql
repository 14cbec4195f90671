-- render_sankey_ensemble.sql - the super graph of many runs as rows (section, JSON object) for the renderer.
--
-- $1 target run or null, $2 application or null, $3 run filter or null, $4 runs or null, $5 metric or null, $6 ranks or
-- null, $7 filter share, $8 grouping, $9 module map or null, $10 steps of refine(), $11 width, $12 height,
-- $13 bins, $14 cost of gradients and guides. Excluded runs take part only when $4 or $1 names them.
WITH chosen AS MATERIALIZED (
	SELECT r.* FROM perfhouse.run_overview r
	WHERE ($2::text IS NULL OR r.application = $2::text) AND ($4::int8[] IS NULL OR r.run_id = ANY ($4::int8[]))
		AND ($3::text IS NULL OR r.run_id IN (SELECT perfhouse.runs_matching($3::text)))
		AND (r.excluded_reason IS NULL OR $4::int8[] IS NOT NULL) OR r.run_id = $1::bigint
), base AS MATERIALIZED (
	SELECT CASE WHEN $7::float8 > 0 THEN perfhouse.filter(p, $7::float8, metric => $5::text) ELSE p END AS profile
	FROM (SELECT perfhouse.ensemble(perfhouse.profile(run_id, $5::text, $6::int4[]), run_id::text ORDER BY n_ranks, run_id) AS p FROM chosen) e
	WHERE p IS NOT NULL
), graph AS MATERIALIZED (
	SELECT perfhouse.refine(perfhouse.supergraph(profile, $8::text, $9::text), $10::jsonb) AS g FROM base
)
SELECT 'run', to_jsonb(r)::text FROM chosen r WHERE r.run_id = $1::bigint
UNION ALL
(SELECT 'runs', (to_jsonb(r) - 'meta' - 'metrics')::text FROM chosen r ORDER BY r.n_ranks, r.run_id)
UNION ALL
SELECT 'choice', jsonb_build_object('application', $2::text, 'filter', $3::text, 'runs', $4::text)::text
UNION ALL
SELECT 'metric', to_jsonb(m)::text FROM base, perfhouse.metrics(profile) m
UNION ALL
SELECT 'caption', jsonb_build_object('caption', perfhouse.caption(g))::text FROM graph
UNION ALL
SELECT 'layout', to_jsonb(l)::text FROM graph, perfhouse.sankey_layout(g, $11::float8, $12::float8, $5::text) l
UNION ALL
SELECT 'supernodes', to_jsonb(s)::text FROM graph, perfhouse.supernodes(g, $5::text) s
UNION ALL
SELECT 'spread', jsonb_build_object('node', s.node, 'n_present', s.n_present, 'sd', s.sd)::text
FROM graph, perfhouse.supernodes_by_column(g, $5::text) s
UNION ALL
SELECT 'guides', to_jsonb(t)::text FROM graph, perfhouse.text_guides(g, NULL, $13::int4, $14::text, $5::text) t
UNION ALL
SELECT 'target', to_jsonb(t)::text
FROM (SELECT g FROM graph WHERE $1::bigint IS NOT NULL) one, perfhouse.against_ensemble(g, ($1::bigint)::text, $14::text, $13::int4, $5::text) t
UNION ALL
SELECT 'entries', to_jsonb(e)::text FROM graph, perfhouse.entry_functions(g, NULL, $5::text) e
UNION ALL
SELECT 'callers', to_jsonb(c)::text FROM graph, perfhouse.entry_callers(g, NULL, $5::text) c;
