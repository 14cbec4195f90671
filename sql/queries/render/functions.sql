-- render_functions.sql - the functions of a run and who calls whom, as rows (section, JSON object) for the renderer.
--
-- :run, :metric or null, :ranks or null, :filter share, :node function or null (the one with the highest own cost),
-- :top, at most so many functions: that one, its callers and callees, and the dearest others
-- :given: the profile of a query instead of that of a run, or null
SELECT s.*
FROM (SELECT coalesce(:given::perfhouse.profile, perfhouse_internal.shown_profile(:run::bigint, ARRAY[coalesce(:metric::text,
		(SELECT r.metrics[1] FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint)), perfhouse.calls_metric(:run::bigint)],
	:ranks::int4[], :filter::float8, :metric::text, means => true)) AS profile OFFSET 0) base,
LATERAL (
WITH graph AS MATERIALIZED (
	SELECT g.* FROM perfhouse_internal.drawn_functions(profile, :metric::text, :node::text, :top::int4) g
)
SELECT 'error' AS section, jsonb_build_object(
	'message', format('%s has no function "%s"', coalesce('run ' || :run::bigint, 'the profile'), :node::text), 'word', :node::text,
	'candidates', jsonb_agg(g.function ORDER BY g.place))::text
FROM graph g WHERE g.element = 'candidate' HAVING count(*) > 0
UNION ALL
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint
UNION ALL
SELECT 'metric', to_jsonb(m)::text FROM perfhouse.metrics(profile) m
UNION ALL
SELECT 'caption', jsonb_build_object('caption', perfhouse.caption(profile))::text
UNION ALL
SELECT 'selected', jsonb_build_object('name', g.function, 'given', :node::text IS NOT NULL)::text FROM graph g WHERE g.element = 'selected'
UNION ALL
SELECT 'others', jsonb_build_object('functions', g.place, 'nodes', g.nodes, 'exclusive', g.exclusive)::text
FROM graph g WHERE g.element = 'others'
UNION ALL
(SELECT 'functions', jsonb_build_object('name', g.function, 'module', g.module, 'nodes', g.nodes, 'inclusive', g.inclusive,
	'exclusive', g.exclusive, 'calls', g.calls)::text FROM graph g WHERE g.element IN ('selected', 'function') ORDER BY g.place)
UNION ALL
(SELECT 'calls', jsonb_build_object('caller', g.caller, 'callee', g.function, 'nodes', g.nodes, 'inclusive', g.inclusive, 'calls', g.calls,
	'values', g."values")::text FROM graph g WHERE g.element = 'call' ORDER BY g.place)
UNION ALL
(SELECT 'contexts', jsonb_build_object('node', g.node_id, 'function', g.function, 'caller', g.caller, 'inclusive', g.inclusive,
	'exclusive', g.exclusive, 'calls', g.calls)::text FROM graph g WHERE g.element = 'context' ORDER BY g.place)
) s;
