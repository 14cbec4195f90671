-- render_history.sql - costs of call paths along an application's history as rows (section, JSON object) for the renderer.
--
-- :application, :run_filter or null, :paths call paths or functions as a JSON array (none: the dearest call paths,
-- those with open regressions first), :by what a series is of or null (as the paths say), :metric or null, :cost,
-- :top, at most so many call paths when none is named, :mode of finding change points
WITH runs AS MATERIALIZED (
	SELECT * FROM perfhouse.history_runs(:application::text, :metric::text, :run_filter::text)
), latest AS MATERIALIZED ( -- what there is now, for choosing
	SELECT run_id, metric_id, n_units FROM runs WHERE place >= length - 3
), wanted AS MATERIALIZED (
	SELECT w.name, w.no FROM jsonb_array_elements_text(:paths::jsonb) WITH ORDINALITY w (name, no)
), spelled AS MATERIALIZED ( -- call paths that end as asked for, and that the runs have
	SELECT w.no, w.name, k.callpath_id, p.path
	FROM wanted w JOIN perfhouse.region g ON g.name = w.name OR right(w.name, length(g.name) + 1) = '/' || g.name
	JOIN perfhouse.callpath k USING (region_id), perfhouse.call_path_text(k.callpath_id) p (path)
	WHERE coalesce(:by::text, 'path') = 'path' AND (p.path = w.name OR right(p.path, length(w.name) + 1) = '/' || w.name)
	  AND EXISTS (SELECT FROM runs r JOIN perfhouse.profile_summary s ON s.run_id = r.run_id AND s.metric_id = r.metric_id
	              WHERE s.callpath_id = k.callpath_id)
), exact AS MATERIALIZED (
	SELECT s.* FROM spelled s WHERE s.path = s.name OR NOT EXISTS (SELECT FROM spelled t WHERE t.no = s.no AND t.path = t.name)
), modules AS MATERIALIZED (
	SELECT DISTINCT coalesce(q.module, g.library, '') AS name FROM latest r JOIN perfhouse.region_summary s USING (run_id, metric_id)
	JOIN perfhouse.region g USING (region_id) LEFT JOIN perfhouse.run_region q ON q.run_id = s.run_id AND q.region_id = s.region_id
	WHERE :by::text = 'module'
), functions AS MATERIALIZED (
	SELECT w.no, w.name FROM wanted w
	WHERE coalesce(:by::text, 'function') = 'function'
	  AND EXISTS (SELECT FROM perfhouse.region g JOIN perfhouse.region_summary s USING (region_id) JOIN runs r USING (run_id, metric_id)
	              WHERE g.name = w.name)
), costs AS MATERIALIZED ( -- of the candidates when none is named; own cost, so that wrappers do not win
	SELECT 'path' AS level, s.callpath_id::text AS key, avg(s.exclusive_sum / r.n_units) AS cost, s.callpath_id
	FROM latest r JOIN perfhouse.profile_summary s USING (run_id, metric_id)
	WHERE coalesce(:by::text, 'path') = 'path' AND NOT EXISTS (SELECT FROM wanted) GROUP BY s.callpath_id
	UNION ALL
	SELECT 'function', g.name, sum(s.exclusive), NULL FROM latest r JOIN perfhouse.region_summary s USING (run_id, metric_id)
	JOIN perfhouse.region g USING (region_id) WHERE :by::text = 'function' AND NOT EXISTS (SELECT FROM wanted) GROUP BY g.name
	UNION ALL
	SELECT 'module', coalesce(q.module, g.library, ''), sum(s.exclusive), NULL FROM latest r
	JOIN perfhouse.region_summary s USING (run_id, metric_id)
	JOIN perfhouse.region g USING (region_id) LEFT JOIN perfhouse.run_region q ON q.run_id = s.run_id AND q.region_id = s.region_id
	WHERE :by::text = 'module' AND NOT EXISTS (SELECT FROM wanted) GROUP BY 2
), ranked AS (
	SELECT c.*, row_number() OVER (ORDER BY EXISTS (SELECT FROM perfhouse.regression q WHERE q.application = :application::text
			AND q.callpath_id = c.callpath_id AND q.state IN ('new', 'active')) DESC, c.cost DESC, c.key) AS no
	FROM costs c
), target AS MATERIALIZED (
	SELECT row_number() OVER (ORDER BY t.no, t.label, t.key) AS panel, t.level, t.key, t.label, t.callpath_id
	FROM (
		SELECT r.no, r.level, r.key, CASE WHEN r.level = 'path' THEN perfhouse.call_path_text(r.callpath_id)
			ELSE r.key END AS label, r.callpath_id
		FROM ranked r WHERE r.no <= :top::int4
		UNION ALL
		SELECT e.no, 'path', e.callpath_id::text, e.path, e.callpath_id FROM exact e
		WHERE :by::text IS NOT NULL OR e.name LIKE '%/%' OR (SELECT count(*) FROM exact f WHERE f.no = e.no) = 1
		UNION ALL
		SELECT f.no, 'function', f.name, f.name, NULL FROM functions f
		WHERE :by::text = 'function' OR (SELECT count(*) FROM exact e WHERE e.no = f.no) <> 1
		UNION ALL
		SELECT w.no, 'module', w.name, w.name, NULL FROM wanted w WHERE :by::text = 'module' AND w.name IN (SELECT m.name FROM modules m)
		UNION ALL
		SELECT 1, 'total', 'total', 'whole program', NULL WHERE :by::text = 'total' AND NOT EXISTS (SELECT FROM wanted)
	) t
), missing AS MATERIALIZED (
	SELECT w.name, w.no FROM wanted w
	WHERE NOT EXISTS (SELECT FROM exact e WHERE e.no = w.no) AND NOT EXISTS (SELECT FROM functions f WHERE f.no = w.no)
	  AND NOT (:by::text = 'module' AND w.name IN (SELECT m.name FROM modules m))
	ORDER BY w.no LIMIT 1
), conditions AS MATERIALIZED ( -- one commit is no history; too many panels: the condition with the most runs
	SELECT c.*, c.has_history AND ((SELECT count(*) FROM target) * count(*) FILTER (WHERE c.has_history) OVER () <= 24
		OR row_number() OVER (ORDER BY c.has_history DESC, c.length DESC, c.series) = 1) AS drawn
	FROM (SELECT r.series, r.length, r.n_ranks, r.n_threads, r.cluster, r.metric_id, max(r.commit_no) AS commits,
			max(r.commit_no) > 1 OR max(max(r.commit_no)) OVER () = 1 AS has_history
		FROM runs r GROUP BY 1, 2, 3, 4, 5, 6) c
), drawn AS MATERIALIZED (
	SELECT r.* FROM runs r JOIN conditions c USING (series) WHERE c.drawn AND NOT EXISTS (SELECT FROM missing)
), aliased AS MATERIALIZED (
	SELECT * FROM perfhouse.aliased_callpaths(:application::text)
), members AS MATERIALIZED ( -- the call paths that count as a panel's
	SELECT t.panel, t.callpath_id FROM target t WHERE t.level = 'path'
	UNION SELECT k.panel, k.key FROM (
		SELECT t.panel, a.key FROM target t JOIN aliased a USING (callpath_id) WHERE t.level = 'path') k
	UNION SELECT t.panel, a.callpath_id FROM target t LEFT JOIN aliased b USING (callpath_id)
	JOIN aliased a ON a.key = coalesce(b.key, t.callpath_id) WHERE t.level = 'path'
), renamed AS MATERIALIZED (
	SELECT * FROM perfhouse.aliased_regions(:application::text)
), named AS MATERIALIZED ( -- the regions that count as a panel's function
	SELECT f.panel, g.region_id FROM (
		SELECT t.panel, coalesce((SELECT min(n.to_name) FROM renamed n WHERE n.name = t.key), t.key) AS name FROM target t
			WHERE t.level = 'function') f
	CROSS JOIN LATERAL (
		SELECT r.region_id FROM perfhouse.region r WHERE r.name = f.name UNION SELECT n.region_id FROM renamed n WHERE n.to_name = f.name) g
	WHERE NOT EXISTS (SELECT FROM renamed n WHERE n.region_id = g.region_id AND n.to_name <> f.name)
), cells AS MATERIALIZED (
	SELECT t.panel, r.series, r.place,
		sum(CASE :cost::text WHEN 'exclusive' THEN s.exclusive_sum ELSE s.inclusive_sum END / r.n_units) AS value
	FROM members t CROSS JOIN drawn r
	JOIN perfhouse.profile_summary s ON s.run_id = r.run_id AND s.metric_id = r.metric_id AND s.callpath_id = t.callpath_id
	GROUP BY 1, 2, 3
	UNION ALL
	SELECT t.panel, r.series, r.place, sum(CASE :cost::text WHEN 'exclusive' THEN s.exclusive ELSE s.inclusive END)
	FROM named t JOIN perfhouse.region_summary s USING (region_id)
	JOIN drawn r ON r.run_id = s.run_id AND r.metric_id = s.metric_id GROUP BY 1, 2, 3
	UNION ALL
	SELECT t.panel, r.series, r.place, v.value
	FROM (SELECT k.level, array_agg(r.run_id) AS runs, array_agg(r.metric_id) AS metric_ids
		FROM (SELECT DISTINCT level FROM target WHERE level IN ('module', 'total')) k CROSS JOIN drawn r GROUP BY 1) l
	CROSS JOIN LATERAL perfhouse.history_cells(l.runs, l.metric_ids, l.level, NULL::text, :application::text) v
	JOIN target t ON t.level = l.level AND t.key = v.key JOIN drawn r USING (run_id)
), panels AS MATERIALIZED (
	SELECT c.panel, c.series, perfhouse.dense_series(c.place, c.value, n.length) AS "values"
	FROM cells c JOIN conditions n USING (series) GROUP BY 1, 2
), commits AS (
	SELECT r.series, array_agg(r.commit_no ORDER BY r.place) AS commits FROM drawn r GROUP BY 1
), found AS MATERIALIZED (
	SELECT p.panel, p.series, x.*, row_number() OVER (ORDER BY p.panel, p.series, x.index) AS number,
	       row_number() OVER (PARTITION BY p.panel, p.series ORDER BY x.index) AS nth
	FROM panels p JOIN commits c USING (series), perfhouse.change_point_indexes(p."values", :mode::text, NULL, 0, NULL,
		CASE WHEN :mode::text = 'default' THEN c.commits END) x
), changes AS (
	SELECT f.*, q.rate FROM found f JOIN (
		SELECT u.rate, u.number FROM (
			SELECT perfhouse.false_discovery_rates(array_agg(f.series_p_value ORDER BY f.number),
				((SELECT count(*) FROM panels) + count(*) FILTER (WHERE f.nth > 1))::int4) AS rates FROM found f) a,
			unnest(a.rates) WITH ORDINALITY u (rate, number)) q USING (number)
	WHERE :mode::text = 'otava' OR q.rate <= 0.05
), slots AS MATERIALIZED (
	SELECT s.*, row_number() OVER (ORDER BY s."position" NULLS LAST, s.first_measured, s.key) - 1 AS slot
	FROM (SELECT coalesce(r.commit_id, 'run ' || r.run_id) AS key, r.commit_id, min(r."position") AS "position",
		min(r.measured_at) AS first_measured
		FROM drawn r GROUP BY 1, 2) s
)
SELECT 'error' AS section, jsonb_build_object('message', format('the runs of application %s have no %s "%s"', :application::text,
	CASE :by::text WHEN 'function' THEN 'function' WHEN 'module' THEN 'module' WHEN 'path' THEN 'call path'
		ELSE 'call path or function' END, m.name),
	'word', regexp_replace(m.name, '.*/(?=.)', ''),
	'candidates', CASE WHEN :by::text = 'module' THEN (SELECT jsonb_agg(n.name ORDER BY n.name) FROM modules n)
		ELSE (SELECT jsonb_agg(n.name ORDER BY n.name) FROM (SELECT DISTINCT g.name FROM latest r
			JOIN perfhouse.region_summary s USING (run_id, metric_id) JOIN perfhouse.region g USING (region_id)) n) END)::text
FROM missing m WHERE EXISTS (SELECT FROM runs)
UNION ALL
SELECT 'runs', jsonb_build_object('n', count(*), 'application', :application::text, 'filter', :run_filter::text,
	'commits', count(DISTINCT r.commit_id),
	'unknown', count(*) FILTER (WHERE r."position" IS NULL), 'unnamed', count(*) FILTER (WHERE r.commit_id IS NULL))::text
		FROM drawn r HAVING count(*) > 0
UNION ALL
SELECT 'metric', jsonb_build_object('metric', m.name, 'unit', m.unit, 'better', m.better)::text
FROM perfhouse.metric m WHERE m.metric_id = (SELECT r.metric_id FROM drawn r ORDER BY r.series, r.place LIMIT 1)
UNION ALL
SELECT 'choice', jsonb_build_object('candidates', (SELECT count(*) FROM costs), 'cost', :cost::text, 'mode', :mode::text)::text
UNION ALL
(SELECT 'conditions', to_jsonb(c)::text FROM conditions c ORDER BY c.series)
UNION ALL
(SELECT 'slots', jsonb_build_object('slot', s.slot, 'commit', s.commit_id, 'subject', c.subject, 'author', c.author,
	'committed_at', c.committed_at,
	'main_line', c.first_parent_position IS NOT NULL, 'known', s."position" IS NOT NULL)::text
	FROM slots s LEFT JOIN perfhouse.commit c USING (commit_id) ORDER BY s.slot)
UNION ALL
(SELECT 'places', jsonb_build_object('series', r.series, 'run', r.run_id, 'slot', s.slot,
	'time', extract(epoch FROM r.measured_at)::float8)::text
	FROM drawn r JOIN slots s ON s.key = coalesce(r.commit_id, 'run ' || r.run_id) ORDER BY r.series, r.place)
UNION ALL
(SELECT 'panels', jsonb_build_object('panel', t.panel, 'series', p.series, 'level', t.level, 'label', t.label, 'leaf', g.name,
	'values', p."values")::text
	FROM target t JOIN panels p USING (panel) LEFT JOIN perfhouse.callpath c ON c.callpath_id = t.callpath_id
	LEFT JOIN perfhouse.region g ON g.region_id = c.region_id ORDER BY t.panel, p.series)
UNION ALL
(SELECT 'changes',
	(jsonb_build_object('panel', c.panel, 'series', c.series, 'index', c.index, 'magnitude', c.magnitude, 'p_value', c.p_value,
	'q_value', c.rate))::text FROM changes c ORDER BY c.number)
UNION ALL
(SELECT DISTINCT ON (t.panel, r.series, r.place) 'regressions',
	jsonb_build_object('panel', t.panel, 'series', r.series, 'index', r.place, 'regression', q.regression_id,
	'state', q.state, 'reason', q.reason, 'path', q.path)::text
	FROM perfhouse.regression q JOIN drawn r ON r.run_id = q.run_id AND r.metric_id = q.metric_id
	LEFT JOIN perfhouse.callpath k ON k.callpath_id = q.callpath_id LEFT JOIN perfhouse.region g USING (region_id)
	JOIN target t ON t.callpath_id = q.callpath_id OR t.level = 'function' AND t.key = g.name
	WHERE q.application = :application::text ORDER BY t.panel, r.series, r.place, q.regression_id);
