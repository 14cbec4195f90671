-- render_sankey.sql - the super graph of one run as rows (section, JSON object) for the renderer.
--
-- $1 run, $2 metric or null, $3 ranks or null, $4 filter share, $5 grouping, $6 module map or null,
-- $7 steps: [{"op": "split-entry"|"split-caller"|"drill", "node": ..., "functions": [...], "level": ...}],
-- $8 width, $9 height, $10 bins
WITH RECURSIVE base AS MATERIALIZED (
	SELECT CASE WHEN $4::float8 > 0 THEN perfhouse.filter(p, $4::float8, metric => $2::text) ELSE p END AS profile
	FROM perfhouse.profile($1::bigint, $2::text, $3::int4[]) p
), step (n, graph) AS (
	SELECT 0::bigint, perfhouse.supergraph(profile, $5::text, $6::text) FROM base
	UNION ALL
	SELECT s.n + 1, CASE o.step->>'op'
		WHEN 'split-entry' THEN perfhouse.split_by_entry(s.graph, o.step->>'node',
			CASE WHEN jsonb_array_length(o.step->'functions') > 0
				THEN ARRAY(SELECT jsonb_array_elements_text(o.step->'functions')) END)
		WHEN 'split-caller' THEN perfhouse.split_by_caller(s.graph, o.step->>'node')
		ELSE perfhouse.drill_down(s.graph, o.step->>'node', o.step->>'level') END
	FROM step s JOIN jsonb_array_elements($7::jsonb) WITH ORDINALITY AS o(step, n) ON o.n = s.n + 1
), graph AS MATERIALIZED (
	SELECT graph AS g FROM step ORDER BY n DESC LIMIT 1
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
UNION ALL
(SELECT 'histograms', jsonb_build_object('node', h.node, 'counts', jsonb_agg(h.count ORDER BY h.bin))::text
	FROM graph, perfhouse.mini_histograms(g, $10::int4, $2::text) h GROUP BY h.node ORDER BY h.node)
UNION ALL
SELECT 'entries', to_jsonb(e)::text FROM graph, perfhouse.entry_functions(g, NULL, $2::text) e
UNION ALL
SELECT 'callers', to_jsonb(c)::text FROM graph, perfhouse.entry_callers(g, NULL, $2::text) c;
