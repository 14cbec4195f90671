-- render_history.sql - costs of call paths along an application's history as rows (section, JSON object) for the renderer.
--
-- :application, :run_filter or null, :paths call paths or functions as a JSON array (none: the dearest call paths,
-- those with open regressions first), :by what a series is of or null (as the paths say), :metric or null, :cost,
-- :top, at most so many call paths when none is named, :mode of finding change points
WITH target AS MATERIALIZED (
	SELECT t.* FROM perfhouse.history_targets(:application::text, :metric::text, :run_filter::text,
		ARRAY(SELECT jsonb_array_elements_text(:paths::jsonb)), :by::text, :top::int4) t
), run AS MATERIALIZED (
	SELECT * FROM perfhouse.history_places(:application::text, :metric::text, :run_filter::text, (SELECT count(*) FROM target)::int4)
), panel AS MATERIALIZED (
	SELECT t.panel, r.series, perfhouse_internal.series_with_gaps(perfhouse.dense_series(r.place, v.value, r.length),
		perfhouse.dense_series(r.place, 1, r.length) FILTER (WHERE v.is_quotient)) AS "values"
	FROM (SELECT array_agg(d.run_id) AS runs, array_agg(d.metric_id) AS metric_ids FROM run d WHERE d.slot IS NOT NULL) drawn,
		(SELECT w.level, array_agg(w.key) AS keys FROM target w WHERE w.panel IS NOT NULL GROUP BY w.level) l,
		perfhouse_internal.history_values(:metric::text, l.keys, runs, metric_ids, l.level, :cost::text, :application::text) v
	JOIN run r USING (run_id) JOIN target t USING (key) WHERE t.level = l.level GROUP BY 1, 2
), change AS (
	SELECT p.panel, p.series, x.*, perfhouse.false_discovery_rate(x.series_p_value) OVER () AS q_value
	FROM (SELECT r.series, array_agg(r.commit_no ORDER BY r.place) AS commits FROM run r GROUP BY 1) c JOIN panel p USING (series) LEFT JOIN
		perfhouse.change_point_indexes(p."values", :mode::text, NULL, 0, NULL, CASE :mode::text WHEN 'default' THEN c.commits END) x ON true
)
SELECT 'error' AS section, jsonb_build_object('message', format('the runs of application %s have no %s "%s"', :application::text,
	coalesce(replace(:by::text, 'path', 'call path'), 'call path or function'), t.label), 'word', regexp_replace(t.label, '.*/(?=.)', ''),
	'candidates', t.candidates)::text FROM target t WHERE t.panel IS NULL
UNION ALL
SELECT 'choice', jsonb_build_object('application', :application::text, 'filter', :run_filter::text, 'cost', :cost::text,
	'mode', :mode::text, 'n_runs', (SELECT count(r.slot) FROM run r), 'candidates', (SELECT max(t.n_candidates) FROM target t))::text
UNION ALL
(SELECT 'metric', jsonb_build_object('metric', coalesce(m.name, :metric::text), 'unit', r.unit, 'better', coalesce(m.better, 0))::text
FROM run r LEFT JOIN perfhouse.metric_overview m USING (metric_id) WHERE r.slot IS NOT NULL ORDER BY r.series LIMIT 1)
UNION ALL
(SELECT 'runs', row_to_json(r)::text FROM run r ORDER BY r.series, r.place)
UNION ALL
(SELECT 'panels', jsonb_build_object('panel', t.panel, 'series', p.series, 'level', t.level, 'label', t.label, 'leaf', g.name,
	'values', p."values")::text
FROM panel p JOIN target t USING (panel) LEFT JOIN (perfhouse.callpath c JOIN perfhouse.region g USING (region_id)) USING (callpath_id)
ORDER BY t.panel, p.series)
UNION ALL SELECT 'changes', to_jsonb(c)::text FROM change c WHERE :mode::text = 'otava' AND c.index > 0 OR c.q_value <= 0.05
UNION ALL
(SELECT 'regressions', jsonb_build_object('panel', t.panel, 'series', r.series, 'index', r.place, 'regression', q.regression_id,
	'state', q.state, 'reason', q.reason)::text
FROM perfhouse.regression q JOIN run r USING (run_id) LEFT JOIN (perfhouse.callpath k JOIN perfhouse.region g USING (region_id))
	ON k.callpath_id = q.callpath_id JOIN target t ON t.callpath_id = q.callpath_id OR t.level = 'function' AND t.key = g.name
WHERE q.application = :application::text AND q.metric_id = perfhouse_internal.first_metric(r.metric_id) ORDER BY q.regression_id);
