-- render_functions.sql - the functions of a run and who calls whom, as rows (section, JSON object) for the renderer.
--
-- :run, :metric or null, :ranks or null, :filter share, :node function or null (the one with the highest own cost),
-- :top, at most so many functions: that one, its callers and callees, and the dearest others
WITH base AS MATERIALIZED (
	SELECT CASE WHEN :filter::float8 > 0 THEN perfhouse.filter(p, :filter::float8, metric => :metric::text) ELSE p END AS profile
	FROM perfhouse.profile(:run::bigint, :metric::text, :ranks::int4[]) p
), tree AS MATERIALIZED (
	SELECT n.* FROM base, perfhouse.function_nodes(profile, :metric::text) n
), functions AS MATERIALIZED (
	SELECT t.function AS name, min(t.module) AS module, count(*) FILTER (WHERE t.is_call) AS nodes,
		coalesce(sum(t.inclusive) FILTER (WHERE t.is_outermost), 0) AS inclusive, sum(t.exclusive) AS exclusive,
		sum(t.calls) FILTER (WHERE t.is_call) AS calls
	FROM tree t GROUP BY t.function
), selected AS MATERIALIZED (
	SELECT f.name FROM functions f WHERE :node::text IS NULL OR f.name = :node::text ORDER BY f.exclusive DESC, f.name LIMIT 1
), calls AS MATERIALIZED (
	SELECT t.caller, t.function AS callee, count(*) AS nodes, sum(t.inclusive) AS inclusive, sum(t.calls) AS calls,
		jsonb_agg(t.inclusive ORDER BY t.inclusive DESC, t.node) AS "values"
	FROM tree t WHERE t.is_call AND t.caller IS NOT NULL GROUP BY t.caller, t.function
), related AS MATERIALIZED (
	SELECT c.caller AS name FROM calls c JOIN selected s ON s.name = c.callee UNION SELECT c.callee FROM calls c
	JOIN selected s ON s.name = c.caller
), ranked AS MATERIALIZED (
	SELECT f.*, row_number() OVER (ORDER BY f.name = s.name DESC, :node::text IS NOT NULL AND f.name IN (SELECT r.name FROM related r) DESC,
			f.inclusive DESC, f.name) AS place
	FROM functions f CROSS JOIN selected s
), shown AS MATERIALIZED (
	SELECT * FROM ranked WHERE place <= :top::int4
), contexts AS MATERIALIZED ( -- the nodes of the function and of those around it
	SELECT t.node, t.function, t.caller, t.inclusive, t.exclusive, t.calls,
		row_number() OVER (PARTITION BY t.function ORDER BY t.inclusive DESC, t.node) AS place
	FROM tree t WHERE t.is_call AND (t.function IN (SELECT s.name FROM selected s) OR t.function IN (SELECT r.name FROM related r))
)
SELECT 'error' AS section, jsonb_build_object('message', format('run %s has no function "%s"', :run::bigint, :node::text),
	'word', :node::text,
	'candidates', (SELECT jsonb_agg(f.name ORDER BY f.exclusive DESC, f.name) FROM functions f))::text
WHERE EXISTS (SELECT FROM functions) AND NOT EXISTS (SELECT FROM selected)
UNION ALL
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint
UNION ALL
SELECT 'metric', to_jsonb(m)::text FROM base, perfhouse.metrics(profile) m
UNION ALL
SELECT 'caption', jsonb_build_object('caption', perfhouse.caption(profile))::text FROM base
UNION ALL
SELECT 'selected', jsonb_build_object('name', s.name, 'given', :node::text IS NOT NULL)::text FROM selected s
UNION ALL
SELECT 'others', jsonb_build_object('functions', count(*), 'nodes', sum(r.nodes), 'exclusive', sum(r.exclusive))::text
FROM ranked r WHERE r.place > :top::int4 HAVING count(*) > 0
UNION ALL
(SELECT 'functions', (to_jsonb(s) - 'place')::text FROM shown s ORDER BY s.place)
UNION ALL
(SELECT 'calls', to_jsonb(c)::text FROM calls c JOIN shown a ON a.name = c.caller JOIN shown b ON b.name = c.callee
	ORDER BY c.inclusive DESC, c.caller, c.callee)
UNION ALL
(SELECT 'contexts', (to_jsonb(c) - 'place')::text FROM contexts c WHERE c.place <= 48 ORDER BY c.function, c.place);
