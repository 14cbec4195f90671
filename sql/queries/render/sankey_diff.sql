-- render_sankey_diff.sql - two runs, or a run and the mean of others, on one super graph as rows (section, JSON object)
-- for the renderer.
--
-- $1 run, $2 run to compare with, or 'ensemble', $3 application or null, $4 run filter or null, $5 runs or null,
-- $6 metric or null, $7 ranks or null, $8 filter share, $9 grouping, $10 module map or null, $11 steps as in
-- render_sankey.sql, $12 width, $13 height, $14 whether functions go under the names that aliases give them. Two runs: A is $1, B is $2. With 'ensemble', A is the mean of the other runs
-- that $3, $4 and $5 choose, B is $1. The graph is that of both sides together, each a column: heights are their means.
WITH others AS MATERIALIZED (
	SELECT r.* FROM perfhouse.run_overview r
	WHERE $2::text = 'ensemble' AND r.run_id <> $1::bigint
		AND ($3::text IS NULL OR r.application = $3::text) AND ($5::int8[] IS NULL OR r.run_id = ANY ($5::int8[]))
		AND ($4::text IS NULL OR r.run_id IN (SELECT perfhouse.runs_matching($4::text)))
		AND (r.excluded_reason IS NULL OR $5::int8[] IS NOT NULL)
), plain_side (name, run, p) AS MATERIALIZED (
	SELECT CASE WHEN $2::text = 'ensemble' THEN 'B' ELSE 'A' END, $1::bigint, perfhouse.profile($1::bigint, $6::text, $7::int4[])
	UNION ALL
	SELECT 'B', v.run, perfhouse.profile(v.run, $6::text, $7::int4[])
	FROM (SELECT nullif($2::text, 'ensemble')::bigint AS run) v WHERE v.run IS NOT NULL
	UNION ALL
	SELECT 'A', NULL, perfhouse.ensemble(p, run_id::text ORDER BY run_id)
	FROM (SELECT o.run_id, CASE WHEN $14::boolean THEN perfhouse.apply_aliases(x) ELSE x END AS p
		FROM others o, perfhouse.profile(o.run_id, $6::text, $7::int4[]) x) o HAVING count(*) > 0
), side AS MATERIALIZED (
	SELECT name, run, CASE WHEN $14::boolean AND run IS NOT NULL THEN perfhouse.apply_aliases(p) ELSE p END AS p FROM plain_side
), base AS MATERIALIZED (
	SELECT CASE WHEN $8::float8 > 0 THEN perfhouse.filter(p, $8::float8, metric => $6::text) ELSE p END AS profile
	FROM (SELECT perfhouse.ensemble(p, name ORDER BY name) AS p FROM side HAVING count(*) = 2) e
), graph AS MATERIALIZED (
	SELECT perfhouse.refine(perfhouse.supergraph(profile, $9::text, $10::text), $11::jsonb) AS g FROM base
)
SELECT CASE s.name WHEN 'A' THEN 'run' ELSE 'run_b' END, to_jsonb(r)::text
FROM side s JOIN perfhouse.run_overview r ON r.run_id = s.run
UNION ALL
(SELECT 'runs', (to_jsonb(r) - 'meta' - 'metrics')::text FROM others r ORDER BY r.run_id)
UNION ALL
SELECT 'metric', to_jsonb(m)::text FROM base, perfhouse.metrics(profile) m
UNION ALL
SELECT 'caption', jsonb_build_object('caption', perfhouse.caption(g))::text FROM graph
UNION ALL
SELECT 'layout', to_jsonb(l)::text FROM graph, perfhouse.sankey_layout(g, $12::float8, $13::float8, $6::text) l
UNION ALL
SELECT 'supernodes', to_jsonb(s)::text FROM graph, perfhouse.supernodes(g, $6::text) s
UNION ALL
SELECT 'sides', jsonb_build_object('node', s.node, 'a', s.run_values[1], 'b', s.run_values[2],
	'a_exclusive', s.exclusive_values[1], 'b_exclusive', s.exclusive_values[2])::text
FROM graph, perfhouse.supernodes_by_column(g, $6::text) s
UNION ALL
SELECT 'entries', to_jsonb(e)::text FROM graph, perfhouse.entry_functions(g, NULL, $6::text) e
UNION ALL
SELECT 'callers', to_jsonb(c)::text FROM graph, perfhouse.entry_callers(g, NULL, $6::text) c;
