-- render_scaling.sql - costs of call paths against a number of the runs, with models, as rows (section, JSON object) for the renderer.
--
-- :application, :run_filter or null, :paths call paths or functions as a JSON array (none: those with the highest own
-- cost), :parameter the number: a column of run_overview or a key of the metadata, :metric or null, :cost, :top, at
-- most so many call paths, :scaling, strong or weak
WITH chosen AS MATERIALIZED (
	SELECT r.run_id, r.commit_id, coalesce(to_jsonb(r)->>:parameter::text, r.meta->>:parameter::text) AS label, r.meta
	FROM perfhouse.run_overview r
	WHERE r.application = :application::text AND r.excluded_reason IS NULL
	  AND (:run_filter::text IS NULL OR r.run_id IN (SELECT perfhouse.runs_matching(:run_filter::text)))
), runs AS MATERIALIZED (
	SELECT c.run_id, c.commit_id, c.label, c.label::float8 AS parameter FROM chosen c
	WHERE CASE WHEN c.label ~ '^[0-9]{1,15}(\.[0-9]{1,9})?$' THEN c.label::float8 > 0 ELSE false END
), enough AS MATERIALIZED (
	SELECT count(DISTINCT r.parameter) > 1 AS yes FROM runs r
), ensemble AS MATERIALIZED (
	SELECT perfhouse.ensemble(perfhouse.profile(r.run_id, :metric::text), r.label ORDER BY r.parameter, r.run_id) AS e
	FROM runs r WHERE (SELECT yes FROM enough) HAVING count(*) > 0
), wanted AS MATERIALIZED (
	SELECT w.name, w.no FROM jsonb_array_elements_text(:paths::jsonb) WITH ORDINALITY w (name, no)
), tree AS MATERIALIZED (
	SELECT n.* FROM ensemble, perfhouse.nodes(e, :metric::text) n
), target AS MATERIALIZED (
	SELECT row_number() OVER (ORDER BY t.no, t.exclusive DESC, t.node) AS panel, t.node, t.path
	FROM (
		(SELECT 1 AS no, n.node, n.path, n.exclusive FROM tree n WHERE NOT EXISTS (SELECT FROM wanted)
			ORDER BY n.exclusive DESC, n.node LIMIT :top::int4)
		UNION ALL
		SELECT w.no, n.node, n.path, n.exclusive FROM wanted w JOIN tree n
			ON CASE WHEN EXISTS (SELECT FROM tree m WHERE m.path = w.name) THEN n.path = w.name
			        ELSE right(n.path, length(w.name) + 1) = '/' || w.name END
	) t
), missing AS (
	SELECT w.name FROM wanted w WHERE EXISTS (SELECT FROM tree)
	  AND NOT EXISTS (SELECT FROM tree n WHERE n.path = w.name OR right(n.path, length(w.name) + 1) = '/' || w.name)
	ORDER BY w.no LIMIT 1
)
SELECT 'error' AS section,
	jsonb_build_object('message', format('the runs of application %s have no call path "%s"', :application::text, m.name),
	'word', regexp_replace(m.name, '.*/(?=.)', ''),
	'candidates', (SELECT jsonb_agg(n.name ORDER BY n.name) FROM (SELECT DISTINCT t.name FROM tree t) n))::text
FROM missing m
UNION ALL
SELECT 'error',
	jsonb_build_object('message', format('the runs of application %s have no number "%s" above 0', :application::text,
	:parameter::text), 'word', :parameter::text,
	'candidates', (SELECT jsonb_agg(k.key ORDER BY k.key) FROM (SELECT 'n_ranks' AS key UNION SELECT 'n_threads' UNION
		SELECT m.key FROM chosen c, jsonb_each(c.meta) m WHERE jsonb_typeof(m.value) = 'number') k))::text
WHERE EXISTS (SELECT FROM chosen) AND NOT EXISTS (SELECT FROM runs)
UNION ALL
SELECT 'error',
	jsonb_build_object('message', format('all runs of application %s have %s = %s', :application::text, :parameter::text, min(r.label)),
	'hint', 'A model needs runs with other numbers: load some, or choose another --parameter or --filter.')::text
FROM runs r HAVING count(DISTINCT r.parameter) = 1
UNION ALL
SELECT 'runs', jsonb_build_object('n', count(*), 'application', :application::text, 'filter', :run_filter::text,
	'commits', count(DISTINCT r.commit_id),
	'numbers', count(DISTINCT r.parameter), 'without', (SELECT count(*) FROM chosen) - count(*))::text FROM runs r HAVING count(*) > 0
UNION ALL
(SELECT 'metric', to_jsonb(m)::text FROM ensemble, perfhouse.metrics(e) m WHERE :metric::text IS NULL OR m.metric = :metric::text LIMIT 1)
UNION ALL
SELECT 'caption', jsonb_build_object('caption', perfhouse.caption(e))::text FROM ensemble
UNION ALL
SELECT 'choice', jsonb_build_object('candidates', CASE WHEN EXISTS (SELECT FROM wanted) THEN 0 ELSE (SELECT count(*) FROM tree) END,
	'parameter', :parameter::text,
	'cost', :cost::text, 'scaling', :scaling::text)::text
UNION ALL
(SELECT 'models',
	(to_jsonb(m) - 'name' || jsonb_build_object('panel', t.panel, 'leaf', (SELECT n.name FROM tree n WHERE n.node = t.node)))::text
	FROM ensemble CROSS JOIN LATERAL perfhouse.scaling_model(e, 'p', :cost::text, :metric::text) m JOIN target t USING (node)
		ORDER BY t.panel)
UNION ALL
(SELECT 'points', jsonb_build_object('panel', t.panel, 'parameter', s.parameter, 'value', s.value, 'speedup', s.speedup,
	'efficiency', s.efficiency)::text
	FROM ensemble CROSS JOIN LATERAL perfhouse.speedup(e, :scaling::text, :cost::text, :metric::text) s JOIN target t USING (node)
	WHERE s.value IS NOT NULL ORDER BY t.panel, s.parameter, s.value);
