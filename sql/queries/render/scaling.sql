-- render_scaling.sql - costs of call paths against a number of the runs, with models, as rows (section, JSON object) for the renderer.
--
-- :application, :run_filter or null, :paths call paths or functions as a JSON array (none: those with the highest own
-- cost), :parameter the number: a column of run_overview or a key of the metadata, :metric or null, :cost, :top, at
-- most so many call paths, :scaling, strong, weak or auto: what the sizes of the runs tell
WITH chosen AS MATERIALIZED (SELECT * FROM perfhouse.runs_by_number(:application::text, :parameter::text, :run_filter::text)
), run AS MATERIALIZED (SELECT c.* FROM chosen c WHERE c.number IS NOT NULL
), ensemble AS MATERIALIZED (
	SELECT perfhouse.ensemble(perfhouse_internal.shown_profile(r.run_id, ARRAY[:metric::text], NULL, 0, means => true),
		r.label ORDER BY r.number, r.run_id) AS e FROM run r WHERE (SELECT count(DISTINCT m.number) > 1 FROM run m) HAVING count(*) > 0
), kind AS MATERIALIZED (
	SELECT k.*, coalesce(nullif(:scaling::text, 'auto'), k.kind) AS scaling
	FROM perfhouse.scaling_kind(ARRAY(SELECT r.run_id FROM run r), :parameter::text) k WHERE EXISTS (SELECT FROM ensemble)
), target AS MATERIALIZED (
	SELECT t.* FROM ensemble, perfhouse.named_nodes(e, ARRAY(SELECT jsonb_array_elements_text(:paths::jsonb)), :metric::text, :top::int4) t
)
SELECT 'error' AS section, jsonb_build_object('message', format('the runs of application %s have no call path "%s"', :application::text,
	t.path), 'word', regexp_replace(t.path, '.*/(?=.)', ''), 'candidates', t.candidates)::text FROM target t WHERE t.panel IS NULL
UNION ALL
SELECT 'error', jsonb_build_object('message', format('the runs of application %s have no number "%s" above 0', :application::text,
	:parameter::text), 'word', :parameter::text, 'candidates', ARRAY(SELECT 'n_ranks' AS key UNION SELECT 'n_threads' UNION SELECT m.key
		FROM perfhouse.chosen_runs(:application::text, :run_filter::text) c, jsonb_each(c.meta) m WHERE jsonb_typeof(m.value) = 'number'
		ORDER BY key))::text WHERE EXISTS (SELECT FROM chosen) AND NOT EXISTS (SELECT FROM run)
UNION ALL
SELECT 'error', jsonb_build_object('message', format('all runs of application %s have %s = %s', :application::text, :parameter::text,
	min(r.label)), 'hint', 'A model needs runs with other numbers: load some, or choose another --parameter or --filter.')::text
FROM run r HAVING count(DISTINCT r.number) = 1
UNION ALL
SELECT 'runs', jsonb_build_object('n', count(*), 'application', :application::text, 'filter', :run_filter::text, 'commits',
	count(DISTINCT r.commit_id), 'numbers', count(DISTINCT r.number), 'without', (SELECT count(*) FROM chosen) - count(*))::text
FROM run r HAVING count(*) > 0
UNION ALL
(SELECT 'metric', to_jsonb(m)::text FROM ensemble, perfhouse.metrics(e) m WHERE :metric::text IS NULL OR m.metric = :metric::text LIMIT 1)
UNION ALL SELECT 'caption', jsonb_build_object('caption', perfhouse.caption(e))::text FROM ensemble
UNION ALL SELECT 'choice', jsonb_build_object('candidates', (SELECT coalesce(max(t.n_candidates), 0) FROM target t),
	'parameter', :parameter::text, 'cost', :cost::text, 'scaling', k.scaling, 'reason', k.reason, 'told', k.kind)::text FROM kind k
UNION ALL
(SELECT 'models', (to_jsonb(m) - 'name' || jsonb_build_object('panel', t.panel, 'leaf', t.name, 'as_good',
	nullif(array_to_string(m.alternatives[1:8], ' or '), '')))::text
	FROM ensemble, perfhouse.scaling_model(e, 'p', :cost::text, :metric::text) m JOIN target t USING (node) ORDER BY t.panel)
UNION ALL
(SELECT 'points', (to_jsonb(s) - '{node,name,path}'::text[] - CASE WHEN k.scaling IS NULL THEN '{speedup,efficiency}' ELSE '{}'::text[] END
	|| jsonb_build_object('panel', t.panel))::text
	FROM ensemble, kind k, perfhouse.speedup(e, coalesce(k.scaling, 'strong'), :cost::text, :metric::text) s JOIN target t USING (node)
	WHERE s.value IS NOT NULL ORDER BY t.panel, s.parameter, s.value);
