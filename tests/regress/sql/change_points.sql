-- change_points.sql - change points of series, and of stored runs along a history of commits.
SELECT index, magnitude, p_value FROM change_point_indexes(ARRAY[0.3,2.4,1.5,-0.9,-0.5,99.7,98.3,99.1,149.0,149.7,149.5,149.1,148.8,150.0], mode => 'otava');
-- a level of fewer than four values is an outlier
SELECT index, round(mean_before::numeric, 3) AS mean_before, mean_after, n_before, n_after FROM change_point_indexes(
	ARRAY[1, 1.1, 0.9, 1, 0.95, 1.1, 0.9, 9, 1.05, 0.95, NULL, 1, 1.1, 0.95, 1, 1.05, 2, 2.1, 1.9, 2, 1.95, 2.1, 2.05, 7, 7]);
SELECT index FROM change_point_indexes(ARRAY[1,1,1,1,1,1,2,2,2,2,2,2], groups => ARRAY[1,1,1,1,1,1,1,2,2,2,2,2]);
SELECT count(*) FROM change_point_indexes(NULL);
SELECT count(*) FROM change_point_indexes('{}');
SELECT f.* FROM (VALUES ($$'{1,2}', 'best'$$), ($$'{1,2}', max_p_value => 0$$), ($$'{1,inf}'$$), ($$'{{1,2},{3,4}}'$$),
	($$'{1,2}', "window" => -5$$), ($$'{1,2}', groups => '{1}'$$), ($$'{1,2}', min_magnitude => -1$$)) v (arguments),
	public.fails('SELECT change_point_indexes(' || arguments || ')') f;
SELECT false_discovery_rates('{0.01, 0.04, 0.03, 0.005}'), false_discovery_rates('{0.01}', 10), false_discovery_rates(NULL), false_discovery_rates('{}');
SELECT f.* FROM (VALUES ($$'{2}'$$), ($$'{0.5,0.5}', 1$$)) v (arguments), public.fails('SELECT false_discovery_rates(' || arguments || ')') f;
-- in a window: the rates of the array, whatever the order; a null counts as a test
SELECT p, false_discovery_rate(p) OVER () AS of_four, false_discovery_rate(p) OVER (PARTITION BY p IS NULL ORDER BY p DESC) AS of_given
	FROM unnest(ARRAY[0.03, NULL, 0.01, 1]) WITH ORDINALITY u (p, no) ORDER BY no;
SELECT bool_and(r.q = a.q) AS as_the_array FROM (SELECT x.no, false_discovery_rate(x.p) OVER () AS q FROM (SELECT i AS no, abs(sin(i)) ^ 6 AS p
		FROM generate_series(1, 500) i) x) r JOIN unnest(false_discovery_rates((SELECT array_agg(abs(sin(i)) ^ 6 ORDER BY i)
		FROM generate_series(1, 500) i))) WITH ORDINALITY a (q, no) USING (no);
SELECT f.* FROM public.fails('SELECT perfhouse.false_discovery_rate(p) OVER () FROM unnest(ARRAY[0.5, 1.5]) p') f;
SELECT dense_series(i, i * 2, 6) FROM unnest(ARRAY[4, 0, NULL]) i;
SELECT dense_series(i, i * 2, 6) FROM unnest('{}'::int[]) i;
SELECT * FROM public.fails('SELECT dense_series(6, 1, 6)');

-- run filters
SELECT predicate, arguments FROM run_filter_sql($$n_ranks = 64 AND NOT (cluster LIKE 'q%' OR tag IN ('a', 'it''s')) AND meta.size > 5$$);
SELECT f.* FROM (VALUES ('n_ranks = 1; DROP TABLE perfhouse.run'), ('true'), ('n_ranks = (SELECT 1)'), ('title = or'), ('pg_sleep(1) = 1'),
	('title = ''a'' UNION SELECT 1'), ('title = ''a'' --')) v (filter), public.fails(format('SELECT perfhouse.runs_matching(%L)', filter)) f;

-- twenty commits in a line with a side branch, three runs each on 4 ranks and one on 8; "slow" gets slower with the thirteenth
INSERT INTO perfhouse.commit (commit_id, repository, parents, committed_at, "position", first_parent_position)
	SELECT md5(i::text), 'history', CASE WHEN i > 1 THEN ARRAY[md5((i - 1)::text)] ELSE '{}' END, '2026-01-01'::timestamptz + i * interval '1 day', i - 1, i - 1
	FROM generate_series(1, 20) i;
INSERT INTO perfhouse.commit (commit_id, repository, parents, committed_at, "position")
	SELECT md5('side'), 'history', ARRAY[md5('5')], '2026-02-01', 20;
INSERT INTO perfhouse.commit_ref VALUES ('history', 'main', 'branch', md5('20')), ('history', 'HEAD', 'head', md5('20')), ('history', 'side', 'branch', md5('side'));
INSERT INTO perfhouse.metric (name, unit) VALUES ('time', 's') ON CONFLICT DO NOTHING;
INSERT INTO perfhouse.region (region_id, kind, name) VALUES (-101, 0, 'top of history'), (-102, 0, 'slow'), (-103, 0, 'steady');
INSERT INTO perfhouse.callpath VALUES (-201, NULL, -101, 0), (-202, -201, -102, 1), (-203, -201, -103, 1);
CREATE TABLE public.hist AS SELECT i, k, n_ranks, row_number() OVER () AS no, (hashint4(i * 10 + k + n_ranks * 1000)::float8 / 2147483648) AS noise
	FROM generate_series(1, 20) i, generate_series(1, 3) k, unnest(ARRAY[4, 8]) n_ranks WHERE n_ranks = 4 OR k = 1;
INSERT INTO perfhouse.run (fingerprint, state, application, format, commit_id, n_ranks, n_units, metrics, metric_ids, started_at, meta, tags)
	SELECT 'hist' || no, 'ready', 'hist', 'sql', left(md5(i::text), CASE WHEN k = 1 THEN 40 ELSE 9 END), n_ranks, n_ranks, '{time}',
		ARRAY[(SELECT metric_id FROM perfhouse.metric WHERE (name, unit) = ('time', 's'))], '2026-03-01'::timestamptz - no * interval '1 hour',
		jsonb_build_object('compiler', CASE WHEN i < 13 THEN 'gcc 12' ELSE 'gcc 13' END, 'day', i % 3), CASE WHEN k = 2 THEN '{second}'::text[] ELSE '{}' END
	FROM public.hist;
CREATE VIEW public.hist_value AS SELECT r.run_id, r.metric_ids[1] AS metric_id, r.n_units, h.noise * 0.02 AS noise,
		CASE WHEN h.i >= 13 AND h.n_ranks = 4 THEN 1.5 ELSE 1 END AS level
	FROM public.hist h JOIN perfhouse.run r ON r.fingerprint = 'hist' || h.no;
INSERT INTO perfhouse.region_summary SELECT run_id, g, metric_id, 1, v, v, v, v FROM public.hist_value,
	LATERAL (VALUES (-102, level + noise), (-103, 2 - noise)) x (g, v);
INSERT INTO perfhouse.profile_summary_1 (run_id, callpath_id, metric_id, n, inclusive_sum, exclusive_sum)
	SELECT run_id, c, metric_id, n_units, v * n_units, e * n_units FROM public.hist_value,
	LATERAL (VALUES (-201, 3 + level, 1 - 0), (-202, level + noise, level + noise), (-203, 2 - noise, 2 - noise)) x (c, v, e);

SELECT count(*), count("position"), count(DISTINCT commit_id) FROM run_history WHERE application = 'hist';
SELECT path, commit_id = md5('13') AS thirteenth, previous_commit_id = md5('12') AS after_twelfth, round(mean_before::numeric, 3) AS before,
	round(mean_after::numeric, 3) AS after, p_value < 1e-9 AS sure, q_value < 1e-6 AS sure_too, index, "position", n_before, n_after, n_ranks
	FROM change_points('hist', metric => 'time', by => 'function', filter => 'n_ranks = 4');
SELECT path, n_ranks, index FROM change_points('hist', by => 'path') ORDER BY path;

-- derived metrics: a change that only the quotient has, of functions that count as one; values of the sums, not sums of values
BEGIN;
INSERT INTO perfhouse.metric (metric_id, name, unit) VALUES (-301, 'instructions', 'count'), (-302, 'cycles', 'count');
UPDATE perfhouse.run SET metrics = metrics || '{instructions,cycles}', metric_ids = metric_ids || '{-301,-302}' WHERE application = 'hist' AND n_ranks = 4;
INSERT INTO perfhouse.region (region_id, kind, name) VALUES (-104, 0, 'part');
INSERT INTO perfhouse.callpath VALUES (-204, -201, -104, 1);
INSERT INTO perfhouse.region_summary SELECT r.run_id, x.g, x.m, 1, x.v, x.v, x.v, x.v FROM public.hist h JOIN perfhouse.run r ON r.fingerprint = 'hist' || h.no,
	LATERAL (VALUES (-102, -301, 100 + h.noise), (-102, -302, 100), (-103, -301, CASE WHEN h.i < 9 THEN 300 ELSE 150 END + h.noise), (-103, -302, 100),
		(-104, -301, 50), (-104, -302, 300)) x (g, m, v) WHERE r.n_ranks = 4 AND (x.g <> -104 OR h.k = 1);
INSERT INTO perfhouse.profile_summary_1 (run_id, callpath_id, metric_id, n, inclusive_sum, exclusive_sum)
	SELECT run_id, region_id - 100, s.metric_id, n_units, s.exclusive * n_units, s.exclusive * n_units FROM perfhouse.region_summary s JOIN perfhouse.run r USING (run_id) WHERE s.metric_id < -300;
INSERT INTO perfhouse.profile_summary_1 (run_id, callpath_id, metric_id, n, inclusive_sum, exclusive_sum)
	SELECT run_id, -201, metric_id, min(n), sum(inclusive_sum), 0 FROM perfhouse.profile_summary_1 WHERE metric_id < -300 GROUP BY 1, 3;
SELECT define_metric('ipc', 'instructions / cycles'), define_metric('percent', '100 * instructions', 'percent');
SELECT path, commit_id = md5('9') AS ninth, round(mean_before::numeric, 1) AS before, round(mean_after::numeric, 1) AS after, metric_id, unit = '' AS no_unit
	FROM change_points('hist', 'ipc') ORDER BY 1;
SELECT key, cardinality("values") AS n, count(v) AS n_values, round(min(v)::numeric, 1) AS least, round(max(v)::numeric, 1) AS greatest
	FROM history_series('hist', 'ipc') s, unnest(s."values") v GROUP BY 1, 2 ORDER BY 1;
SELECT key, array_position("values", NULL) IS NULL AS whole, array_position("values", 0) IS NOT NULL AS zeros, w.unit FROM history_series('hist', 'percent') s
	JOIN history_runs('hist', 'percent') w USING (series) WHERE w.place = 0 ORDER BY 1;
SELECT bool_and(abs(u.v - s.i / s.c) < 1e-12) AS of_the_roots, count(*) FROM history_series('hist', 'ipc', 'total') t, unnest(t.runs, t."values") u (run_id, v)
	JOIN (SELECT run_id, sum(inclusive_sum) FILTER (WHERE metric_id = -301) AS i, sum(inclusive_sum) FILTER (WHERE metric_id = -302) AS c
		FROM perfhouse.profile_summary_1 WHERE callpath_id = -201 GROUP BY 1) s USING (run_id);
SELECT path, round(mean_a::numeric, 1) AS a, round(mean_b::numeric, 1) AS b, verdict, unit = '' AS no_unit FROM compare_commits('hist', md5('8'), md5('9'), 'function', metric => 'ipc') ORDER BY 1;
SELECT add_alias('part', 'steady', 'hist') IS NOT NULL AS added;
SELECT key, count(v) AS n, round(min(v)::numeric, 3) AS least, round(max(v)::numeric, 3) AS greatest
	FROM history_series('hist', 'ipc') s, unnest(s."values") v GROUP BY 1 ORDER BY 1;
SELECT bool_and(h.value = u.v) AS same, count(*) FROM history('hist', 'part', 'ipc') h JOIN (SELECT u.* FROM history_series('hist', 'ipc') s, unnest(s.runs, s."values") u (run_id, v)
	WHERE key = 'steady') u USING (run_id);
SELECT f.* FROM (VALUES ($$history_series('hist', 'ipc', cost => 'imbalance')$$), ($$find_regressions('hist', 'ipc')$$), ($$history_runs('hist', 'ipx')$$)) v (call),
	public.fails('SELECT * FROM ' || call) f;
ROLLBACK;

SELECT path, n_ranks, index FROM change_points('hist', by => 'total');
SELECT path, n_ranks, index FROM change_points('hist', by => 'module', mode => 'otava', filter => $$NOT tag = 'second' AND meta.compiler LIKE 'gcc%' AND meta.day < 3$$);
-- names that nothing has; names that something has, but not here
SELECT f.* FROM (VALUES ($$change_points('hits')$$), ($$change_points('something else altogether')$$), ($$history_series('hist', 'tme')$$), ($$history('hist', 'sloww')$$),
	($$find_regressions('hits')$$), ($$compare_commits('hits', 'main', 'main')$$), ($$baseline_runs('hits', 'main')$$), ($$history('hist', 'slow', 'tme')$$)) v (call),
	public.fails('SELECT perfhouse.' || call) f;
SELECT (SELECT count(*) FROM change_points('hist', filter => 'n_ranks = 1000000')) + (SELECT count(*) FROM history('hist', 'slow', filter => 'n_ranks = 1000000'))
	+ (SELECT count(*) FROM change_points('')) + (SELECT count(*) FROM history('hist', '', '')) + (SELECT count(*) FROM change_points(NULL)) AS nothing;
SELECT f.* FROM (VALUES ($$by => 'colour'$$), ($$cost => 'max', by => 'path'$$), ($$filter => 'x = 1'$$), ($$mode => 'x'$$)) v (arguments),
	public.fails('SELECT perfhouse.change_points(''hist'', ' || arguments || ')') f;
SELECT count(*), count(*) FILTER (WHERE n_ranks = 8), min(n_ranks) FROM chosen_runs('hist');
SELECT (SELECT count(*) FROM chosen_runs('hist', 'n_ranks = 8')) AS filtered, (SELECT count(*) FROM chosen_runs(runs => (SELECT array_agg(run_id)
	FROM run_overview WHERE application = 'hist' AND n_ranks = 4), filter => 'n_ranks > 4')) AS none;
-- runs by a number: of a column, of the metadata, of neither
SELECT p AS parameter, count(*), count(number), min(number), max(number), bool_and(number::text = label) AS as_written
	FROM unnest('{n_ranks,position,application,nope}'::text[]) WITH ORDINALITY u (p, no), runs_by_number('hist', p, 'n_ranks > 4') GROUP BY no, p ORDER BY no;
-- what pictures of histories show: the dearest, what names mean, the runs on one axis
SELECT by, count(*), max(key) AS greatest, round(sum(cost)::numeric, 1) AS cost FROM unnest(ARRAY['function', 'module', 'path']) by,
	history_costs('hist', by => by) GROUP BY 1 ORDER BY 1;
SELECT * FROM history_targets('hist', most => 2);
SELECT panel, level, key, label, n_candidates FROM history_targets('hist', by => 'function', filter => 'n_ranks = 4');
SELECT panel, level, key, label FROM history_targets('hist', by => 'total');
SELECT panel, level, key, label, candidates FROM history_targets('hist', names => '{steady, top of history/slow, top of history, nothing, none}');
SELECT panel, level, label, candidates FROM history_targets('hist', names => '{steady, "", elsewhere}', by => 'module');
SELECT panel, level, label FROM history_targets('hist', names => '{slow, top of history}', by => 'function');
SELECT count(*) FROM history_targets('hist', names => '{slow}', filter => 'n_ranks = 1000000');
SELECT series, n_ranks, count(*), count(slot), max(slot), bool_and(slot = place / (CASE n_ranks WHEN 4 THEN 3 ELSE 1 END)) AS by_commit
	FROM history_places('hist', panels => 12) GROUP BY 1, 2 ORDER BY 1;
SELECT series, count(slot) FROM history_places('hist', panels => 13) GROUP BY 1 ORDER BY 1;
SELECT c.by, bool_and((o.value = c.value) IS TRUE) AS as_history_cells, count(*) FROM (
	SELECT array_agg(run_id) AS runs, array_agg(metric_id) AS metric_ids FROM history_runs('hist')) r,
	(VALUES ('function', '{slow}'::text[]), ('path', '{-202,-203}'), ('module', '{""}'), ('total', '{total}')) k (by, keys),
	LATERAL (SELECT k.by, h.* FROM perfhouse_internal.history_cells(r.runs, r.metric_ids, k.by, 'exclusive') h WHERE h.key = ANY (k.keys)) c
	FULL JOIN LATERAL (SELECT k.by, h.* FROM perfhouse_internal.history_cells_of(k.keys, r.runs, r.metric_ids, k.by, 'exclusive') h) o
	USING (by, run_id, key) GROUP BY 1 ORDER BY 1;
SELECT place, left(commit_id, 4) AS commit_id, "position", round(value::numeric, 3) AS value FROM history('hist', 'slow', filter => 'n_ranks = 8') ORDER BY place LIMIT 3;
SELECT count(*), bool_and((h.series, h.place, h.commit_id) = (r.series, r.place, r.commit_id)) AS as_history_runs
	FROM history('hist', 'slow') h FULL JOIN history_runs('hist') r USING (run_id);

-- places in a window without partitions, beside those of partitions; of ties both take the order of the last key
WITH row_of AS MATERIALIZED (
	SELECT i AS id, abs(hashint8extended(i, 5)) % 4 AS series, nullif(abs(hashint8extended(i, 6)) % 20, 0)::int AS pos FROM generate_series(1, 300) i),
named AS MATERIALIZED (SELECT r.*, CASE WHEN pos % 5 > 0 THEN 'commit ' || pos / 2 END AS commit_id FROM row_of r),
counted AS (
	SELECT n.*, perfhouse_internal.place_in_series(series) OVER w AS place, perfhouse_internal.commit_in_series(series, commit_id) OVER w AS commit_no
	FROM named n WINDOW w AS (ORDER BY perfhouse_internal.series_position(series, pos), id)),
begun AS (
	SELECT c.*, row_number() OVER p - 1 AS plain_place, (commit_id IS NULL OR commit_id IS DISTINCT FROM lag(commit_id) OVER p)::int AS begins
	FROM counted c WINDOW p AS (PARTITION BY series ORDER BY pos NULLS LAST, id)),
plain AS (SELECT b.*, sum(begins) OVER (PARTITION BY series ORDER BY pos NULLS LAST, id) AS plain_no FROM begun b)
SELECT count(*) AS rows, count(DISTINCT series) AS series, count(*) FILTER (WHERE commit_id IS NULL) > 0 AS some_without,
	count(*) FILTER (WHERE (place, commit_no) IS DISTINCT FROM (plain_place, plain_no)) AS wrong FROM plain;
SELECT f.code, f.message FROM public.fails('SELECT perfhouse_internal.place_in_series(NULL) OVER ()') f;
SELECT perfhouse_internal.series_position(1, NULL) > perfhouse_internal.series_position(1, 2147483647) AS without_come_last,
	perfhouse_internal.series_position(1, NULL) < perfhouse_internal.series_position(2, 0) AS next_series_after;

-- the commit graph
SELECT find_commit('HEAD') = md5('20') AS head, find_commit('main~3') = md5('17') AS third_parent, find_commit(left(md5('7'), 6)) = md5('7') AS beginning,
	find_commit('main~99') AS before_the_first;
SELECT * FROM public.fails($$SELECT find_commit('nowhere')$$);
SELECT merge_base('main', 'side') = md5('5') AS fork, merge_base('main', 'main~2') = md5('18') AS own;
SELECT count(*) FROM commits_between('main~4', 'main');
SELECT count(*) FROM runs_between('hist', 'main~4', 'main');
SELECT array_agg(DISTINCT distance) AS distance, count(*) FROM baseline_runs('hist', 'side', 'merge base main');
SELECT array_agg(DISTINCT distance) AS distances, count(*) FROM baseline_runs('hist', 'main', 'previous 3', n_ranks => 4);
INSERT INTO perfhouse.baseline VALUES ('hist', 'release', md5('10'));
SELECT count(*), bool_and(commit_id = md5('10')) AS tenth FROM baseline_runs('hist', 'main', 'baseline release');
SELECT f.* FROM (VALUES ('baseline none'), ('next')) v (rule), public.fails(format('SELECT baseline_runs(''hist'', ''main'', %L)', rule)) f;

SELECT count(drop_run(run_id)) FROM perfhouse.run WHERE application = 'hist';
SELECT setval(pg_get_serial_sequence('perfhouse.run', 'run_id'), max(run_id)) > 0 AS again FROM perfhouse.run;

DROP VIEW public.hist_value;
DROP TABLE public.hist;
