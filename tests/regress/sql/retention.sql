-- retention.sql - sketches, runs rolled up to distributions, dropped events, policies.
-- sketches: exact up to 16 numbers, near beyond, the same whatever the parts
SELECT * FROM sketch_moments(sketch(ARRAY[3, 1, NULL, 2, 'NaN'::float8]));
SELECT * FROM sketch_moments(sketch(ARRAY[3, 1, 2]), 1);
SELECT * FROM sketch_moments(sketch('{}'));
SELECT sketch_quantiles(sketch(ARRAY[3, 1, 2, 10]), '{0,0.25,0.5,1}'), sketch_quantiles(sketch('{}'), '{0.5}');
SELECT n, min, max, mean, round(sd::numeric, 6) AS sd, round(relative_error::numeric, 6) AS relative_error FROM sketch_moments((SELECT sketch(array_agg(i)) FROM generate_series(1, 1000) i));
SELECT bool_and(abs(q[2] - p) <= 0.005 * p) AS near, bool_and(q[1] = 1 AND q[3] = 1000) AS extremes
	FROM (SELECT sketch_quantiles((SELECT sketch(array_agg(i)) FROM generate_series(1, 1000) i), ARRAY[0, f, 1]) AS q,
		(SELECT percentile_cont(f) WITHIN GROUP (ORDER BY i) FROM generate_series(1, 1000) i) AS p FROM generate_series(0.01, 0.99, 0.07) f) s;
SELECT sketch_quantiles(merge_sketches(s ORDER BY i), '{0.1,0.5,0.9}') = sketch_quantiles((SELECT sketch(array_agg(i)) FROM generate_series(1, 1000) i), '{0.1,0.5,0.9}') AS same
	FROM (SELECT i, (SELECT sketch(array_agg(j)) FROM generate_series(i * 10 + 1, i * 10 + 10) j) AS s FROM generate_series(0, 99) i) p;
SELECT * FROM sketch_histogram(sketch(ARRAY[1, 2, 3, 4, 4]), 3);
SELECT count(*) FROM sketch_histogram(sketch('{}'));
SELECT sum(count) FROM sketch_histogram((SELECT sketch(array_agg(i)) FROM generate_series(1, 1000) i), 7, 3);
SELECT f.code, f.message FROM unnest(ARRAY[$$SELECT sketch_moments('\x01')$$, $$SELECT sketch(ARRAY['inf'::float8])$$, $$SELECT sketch_quantiles(sketch('{1}'), '{2}')$$,
	$$SELECT sketch_moments(sketch('{1}'), -1)$$, $$SELECT sketch_histogram(sketch('{1}'), 0)$$]) s, public.fails(s) f;

-- runs: one of 100 ranks, one of 3 units with 2 iterations each, and run 1 of two ranks
CREATE FUNCTION public.ranks(n int) RETURNS jsonb LANGUAGE sql AS $$ SELECT jsonb_agg(2 + (i * 37 % 101) / 100.0) FROM generate_series(1, n) i $$;
SELECT public.store_profile(hatchet_literal(jsonb_build_array(jsonb_build_object('frame', jsonb_build_object('name', 'main'), 'metrics', jsonb_build_object('time', public.ranks(100)),
	'children', jsonb_build_array(jsonb_build_object('frame', jsonb_build_object('name', 'solve'), 'metrics', jsonb_build_object('time', public.ranks(100))))))), 'wide') AS wide \gset
SELECT public.store_profile(hatchet_literal('[{"frame": {"name": "main"}, "metrics": {"time": [1, 2, 3, 10, 20, 30]}, "children": [
	{"frame": {"name": "late"}, "metrics": {"time": [null, null, 5, null, 7, 9]}}]}]'), 'steps') AS steps \gset
UPDATE perfhouse.location SET iteration = location_id / 3, rank = location_id % 3, name = NULL WHERE run_id = :steps;
DELETE FROM perfhouse.region_summary WHERE run_id = :steps;
INSERT INTO perfhouse.region_summary SELECT :steps, g.region_id, r.metric_ids[1], g.n_nodes, g.inclusive, g.exclusive, g.min, g.max
	FROM perfhouse.run r, perfhouse_internal.run_region_summaries(r.run_id, r.metrics[1]) g WHERE r.run_id = :steps;
UPDATE perfhouse.run SET n_units = 3 WHERE run_id = :steps;
SELECT public.summaries_as_rows(:steps);
UPDATE perfhouse.profile_summary_1 SET n = CASE n WHEN 6 THEN 3 ELSE 2 END, inclusive_min = NULL, inclusive_max = NULL, exclusive_min = NULL, exclusive_max = NULL WHERE run_id = :steps;
UPDATE perfhouse.run SET tags = '{night}' WHERE run_id = :wide;
SELECT run_id, title, n_columns, n_units, (SELECT bool_and(ok) FROM check_run(run_id)) AS sound FROM run_overview WHERE run_id IN (1, :wide, :steps) ORDER BY title;
CREATE VIEW public.answers AS
	SELECT r.title, n.path, n.inclusive, n.exclusive, d.mean, d.sd, d.min, d.p05, d.median, d.p95, d.max, d.n, d.relative_error,
		(SELECT array_agg(h.count ORDER BY h.bin) FROM run_histogram(r.run_id, n.callpath_id, 5) h) AS bins
	FROM run_overview r, nodes(profile(r.run_id)) n JOIN run_distribution(r.run_id) d USING (callpath_id) WHERE r.run_id IN (1, :wide, :steps);
CREATE TABLE public.before AS SELECT * FROM public.answers;
SELECT title, path, inclusive, exclusive, sd, median, max, n, relative_error > 0 AS near, bins FROM public.before ORDER BY title DESC, path;
SELECT run_id = 1 AS one, count(*) > 3 AS many FROM measurement WHERE run_id IN (1, :wide) GROUP BY 1 ORDER BY 1;
BEGIN;
SELECT roll_up_run(1) AS a, roll_up_run(:wide) AS wide, roll_up_run(:steps) AS steps;
SELECT roll_up_run(1) AS again;
SELECT title, check_name, detail FROM run_overview r, check_run(r.run_id) WHERE r.run_id IN (1, :wide, :steps) AND NOT ok;
SELECT title, rolled_up_at IS NOT NULL AS rolled_up, n_units FROM run_overview WHERE run_id IN (1, :wide, :steps) ORDER BY title;
-- every answer stays, also percentiles
SELECT count(*), count(*) FILTER (WHERE abs(a.inclusive - b.inclusive) > 1e-12 OR abs(a.exclusive - b.exclusive) > 1e-12
	OR (b.mean, b.sd, b.min, b.p05, b.median, b.p95, b.max, b.n, b.relative_error, b.bins) IS DISTINCT FROM (a.mean, a.sd, a.min, a.p05, a.median, a.p95, a.max, a.n, a.relative_error, a.bins)) AS differ
	FROM public.before b FULL JOIN public.answers a USING (title, path);
SELECT caption(profile(:wide)) LIKE '%· mean of 100 units ·%' AS caption;
SELECT kind, rank, name FROM columns(profile(:wide));
SELECT count(*) FROM measurement WHERE run_id = :wide;
-- profiles compose as before
SELECT round(sum(delta_exclusive)::numeric, 6) AS delta FROM nodes_diff(diff(profile(1), profile(2)));
SELECT caption(ensemble(profile(r), 'r' || r ORDER BY r)) FROM unnest(ARRAY[1, 2]) r;
SELECT node, inclusive_max, imbalance_ratio FROM supernodes(supergraph(profile(1), 'module')) LIMIT 1;
-- what needs single ranks says so
SELECT f.code, f.message, regexp_replace(f.hint, '\d+', 'N', 'g') AS hint FROM unnest(ARRAY[$$SELECT histogram(supergraph(profile(1)), 'x')$$, $$SELECT box_plot(g, (SELECT min(node) FROM supernodes(g))) FROM (SELECT supergraph(profile(1)) AS g) s$$,
	$$SELECT histogram(g, (SELECT min(node) FROM supernodes(g))) FROM (SELECT supergraph(profile(1)) AS g) s$$,
	$$SELECT mini_histograms(supergraph(profile(1)))$$, $$SELECT imbalance(profile(1))$$, $$SELECT node_statistics(profile(1))$$, $$SELECT profile(1, 'time', ARRAY[0])$$,
	$$SELECT profile(1, 'time', iterations => true)$$]) s, public.fails(s) f;
-- check_run can fail
SAVEPOINT sound;
UPDATE perfhouse.profile_sketch SET inclusive = sketch(ARRAY[1, 2]) WHERE run_id = 1;
SELECT public.summaries_as_rows(:wide);
UPDATE perfhouse.profile_summary_1 SET exclusive_sum = exclusive_sum + 1 WHERE run_id = :wide;
INSERT INTO perfhouse.profile_values_1 SELECT :steps, callpath_id, metric_id, 0, '{1}', '{1}' FROM perfhouse.profile_sketch WHERE run_id = :steps;
SELECT title, check_name, regexp_replace(detail, '-?\d{6,}', 'ID') AS detail FROM run_overview r, check_run(r.run_id) WHERE r.run_id IN (1, :wide, :steps) AND NOT ok ORDER BY title, check_name;
ROLLBACK TO sound;
ROLLBACK;
-- a run that is not sound stays as it is
BEGIN;
SELECT public.summaries_as_rows(1);
UPDATE perfhouse.profile_summary_1 SET n = 1 WHERE run_id = 1;
SELECT code, message FROM public.fails('SELECT roll_up_run(1)');
SELECT count(*) FROM perfhouse.profile_sketch;
ROLLBACK;
SELECT code, message FROM public.fails('SELECT roll_up_run(12345)');
SELECT code, message FROM public.fails('SELECT drop_trace_events(12345)');
SELECT code, message FROM public.fails($$SELECT * FROM run_distribution(1, 'cycles')$$);
SELECT code, message FROM public.fails($$SELECT * FROM run_distribution(1, cost => 'dear')$$);
SELECT code, message FROM public.fails($$SELECT * FROM run_histogram(1, 4)$$);

-- policies: age, filter, tags, baselines
SELECT set_retention('nightly', 'roll up', '30 days', 'title <> ''steps''', '{night}');
SELECT set_retention('all', 'roll up', '90 days');
SELECT set_retention('off', 'roll up', '0', enabled => false);
SELECT code, message FROM public.fails($$SELECT set_retention('x', 'remove', '1 day')$$);
SELECT code FROM public.fails($$SELECT set_retention('x', 'roll up', '1 day', 'no filter')$$);
SELECT code FROM public.fails($$SELECT set_retention('x', 'roll up', '-1 day')$$);
SELECT policy, title FROM retention_due();
BEGIN;
UPDATE perfhouse.run SET loaded_at = now() - interval '31 days' WHERE title IN ('a', 'b', 'wide', 'steps');
SELECT policy, action, title FROM retention_due() ORDER BY 1, 3;
UPDATE perfhouse.run SET loaded_at = now() - interval '91 days' WHERE title = 'wide';
UPDATE perfhouse.run SET commit_id = 'abcdef12' WHERE title = 'b';
INSERT INTO perfhouse.baseline (application, name, commit_id) VALUES ('test', 'release', 'abcdef1234');
SELECT policy, title, rows_removed FROM apply_retention(dry_run => true);
SELECT policy, title, rows_removed FROM apply_retention(of_policy => 'all');
SELECT policy, title, rows_removed FROM apply_retention();
SELECT policy, title, rows_removed FROM apply_retention();
ROLLBACK;
-- what was due when runs were listed is looked at again when it is a run's turn
BEGIN;
UPDATE perfhouse.run SET loaded_at = now() - interval '31 days' WHERE title IN ('a', 'b', 'wide', 'steps');
SELECT title, perfhouse_internal.apply_policy('nightly', run_id) AS removed FROM perfhouse.run WHERE title IN ('steps', 'wide') ORDER BY 1;
SELECT policy, title FROM retention_due() WHERE title = 'a';
SAVEPOINT listed;
UPDATE perfhouse.run SET loaded_at = now() WHERE title = 'a';
SELECT perfhouse_internal.apply_policy('nightly', run_id) AS loaded_again FROM perfhouse.run WHERE title = 'a';
ROLLBACK TO listed;
UPDATE perfhouse.run SET tags = '{night}' WHERE title = 'a';
SELECT perfhouse_internal.apply_policy('nightly', run_id) AS kept FROM perfhouse.run WHERE title = 'a';
ROLLBACK TO listed;
UPDATE perfhouse.retention_policy SET enabled = false WHERE name = 'nightly';
SELECT perfhouse_internal.apply_policy('nightly', run_id) AS disabled FROM perfhouse.run WHERE title = 'a';
ROLLBACK TO listed;
SELECT perfhouse_internal.apply_policy('nightly', run_id) AS due FROM perfhouse.run WHERE title = 'a';
SELECT perfhouse_internal.apply_policy('nightly', run_id) AS done, perfhouse_internal.apply_policy('nightly', -1) AS gone FROM perfhouse.run WHERE title = 'a';
ROLLBACK;
-- events
\set ECHO none
\set QUIET on
\i regress/data/traces.sql
\set ECHO all
BEGIN;
SELECT set_retention('traces', 'drop trace', '0');
SELECT bool_and(ok) AS sound FROM check_run(901) WHERE check_name LIKE 'trace%';
UPDATE perfhouse.run SET loaded_at = now() - interval '1 day' WHERE run_id IN (901, 902);
SELECT policy, run_id, rows_removed FROM apply_retention(of_policy => 'traces');
SELECT has_trace, n_events, events_dropped_at IS NOT NULL AS dropped FROM run_overview WHERE run_id = 901;
SELECT check_name, ok FROM check_run(901) WHERE check_name LIKE 'trace%';
SELECT f.code, f.message, f.hint FROM unnest(ARRAY['SELECT events(901)', 'SELECT comm_matrix(901)', 'SELECT trace_profile(901)']) s, public.fails(s) f;
SELECT drop_trace_events(901) AS again;
INSERT INTO perfhouse.message_chunk VALUES (901, 0, 0, 0, 0, 0, '');
SELECT detail FROM check_run(901) WHERE check_name = 'trace chunks';
ROLLBACK;
DO $$ BEGIN PERFORM drop_run(901), drop_run(902); END $$;
-- who may
SET ROLE perfhouse_reader;
SELECT code, message FROM public.fails('SELECT perfhouse.roll_up_run(1)');
RESET ROLE;
SET ROLE perfhouse_loader;
SELECT perfhouse.roll_up_run(12) FROM generate_series(1, 0);
SELECT count(*) >= 0 AS may FROM perfhouse.apply_retention(true);
SELECT code, message FROM public.fails($$SELECT perfhouse.set_retention('x', 'roll up', '1 day')$$);
BEGIN;
SELECT perfhouse.roll_up_run(1) > 0 AS rolled_up;
ROLLBACK;
RESET ROLE;
SET ROLE perfhouse_admin;
BEGIN;
SELECT perfhouse.set_retention('x', 'roll up', '1 day');
DELETE FROM perfhouse.retention_policy WHERE name = 'x';
ROLLBACK;
RESET ROLE;
DROP VIEW public.answers;
DROP TABLE public.before;
DROP FUNCTION public.ranks(int);
DELETE FROM perfhouse.retention_policy;
SELECT drop_run(:wide) AND drop_run(:steps) AS dropped;
