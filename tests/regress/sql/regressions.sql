-- regressions.sql - regressions found, explained, decided upon; commits compared; what to measure next.
-- forty commits, three runs of every other one; "kernel" below main/solve gets slower with the commit 21, which came with another compiler
INSERT INTO perfhouse.commit (commit_id, repository, parents, committed_at, subject, "position", first_parent_position)
	SELECT md5('r' || i), 'regress', CASE WHEN i > 1 THEN ARRAY[md5('r' || (i - 1))] ELSE '{}' END, '2026-01-01'::timestamptz + i * interval '1 day', 'commit ' || i, 1000 + i, i - 1
	FROM generate_series(1, 40) i;
INSERT INTO perfhouse.commit_ref VALUES ('regress', 'HEAD', 'head', md5('r40')), ('regress', 'stable', 'branch', md5('r30'));
INSERT INTO perfhouse.metric (name, unit) VALUES ('time', 's') ON CONFLICT DO NOTHING;
INSERT INTO perfhouse.region (region_id, kind, name) VALUES (-301, 0, 'r main'), (-302, 0, 'solve'), (-303, 0, 'kernel'), (-304, 0, 'exchange'), (-305, 0, 'io');
INSERT INTO perfhouse.callpath VALUES (-401, NULL, -301, 0), (-402, -401, -302, 1), (-403, -402, -303, 2), (-404, -402, -304, 2), (-405, -401, -305, 1);
CREATE TABLE public.reg AS SELECT i, k, row_number() OVER (ORDER BY i, k) AS no FROM generate_series(1, 40) i, generate_series(1, 3) k WHERE i % 2 = 0;
CREATE FUNCTION public.noise(i bigint, seed int) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
	SELECT sum(hashint4extended(i::int * 100 + j, seed)::float8 / 9223372036854775807) / sqrt(4.0) FROM generate_series(1, 12) j $$;
CREATE FUNCTION public.add_run(no bigint, i int, factor float8) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	id bigint;
	kernel float8 := 2 * factor + 0.02 * public.noise(no, 1);
	exchange float8 := 1 + 0.02 * public.noise(no, 2);
	io float8 := 0.5 + 0.02 * public.noise(no, 3);
	m int := (SELECT metric_id FROM perfhouse.metric WHERE (name, unit) = ('time', 's'));
BEGIN
	INSERT INTO perfhouse.run (fingerprint, state, application, format, commit_id, n_ranks, n_units, metrics, metric_ids, started_at, meta, n_hosts)
		VALUES ('reg' || no, 'ready', 'reg', 'sql', md5('r' || i), 4, 4, '{time}', ARRAY[m], '2026-03-01'::timestamptz + no * interval '1 hour',
			jsonb_build_object('compiler', CASE WHEN i < 21 THEN 'gcc 12' ELSE 'gcc 13' END, 'job', no, 'day', no % 2), 2) RETURNING run_id INTO id;
	INSERT INTO perfhouse.location (run_id, location_id, rank, host) SELECT id, l, l, 'node' || l / 2 FROM generate_series(0, 3) l;
	INSERT INTO perfhouse.profile_summary_1 (run_id, callpath_id, metric_id, n, inclusive_sum, exclusive_sum)
		SELECT id, c, m, 4, v * 4, e * 4 FROM (VALUES (-401, kernel + exchange + io + 0.3, 0.1), (-402, kernel + exchange + 0.2, 0.2),
			(-403, kernel, kernel), (-404, exchange, exchange), (-405, io, io)) x (c, v, e);
	INSERT INTO perfhouse.region_summary SELECT id, g, m, 1, v, v, v, v * 1.1 FROM (VALUES (-303, kernel), (-304, exchange), (-305, io)) x (g, v);
	RETURN id;
END $$;
SELECT count(public.add_run(no, i, CASE WHEN i < 21 THEN 1 ELSE 1.1 END)) FROM public.reg WHERE i <= 20;
SELECT path, event FROM update_regressions('reg');
-- two runs of the new level are not enough, the next commits are
SELECT count(public.add_run(no, i, 1.1)) FROM public.reg WHERE i = 22;
SELECT path, event FROM update_regressions('reg');
SELECT count(public.add_run(no, i, 1.1)) FROM public.reg WHERE i BETWEEN 24 AND 26;
SELECT path, commit_id = md5('r22') AS commit, event FROM update_regressions('reg');
SELECT path, event FROM update_regressions('reg');
SELECT count(public.add_run(no, i, 1.1)) FROM public.reg WHERE i BETWEEN 28 AND 30;
SELECT path, event FROM update_regressions('reg');
SELECT state, path, commit_id = md5('r22') AS commit, previous_commit_id = md5('r20') AS previous, subject, round(relative::numeric, 2) AS relative, n_before, n_after,
	round(own_change::numeric, 2) AS own, round(total_change::numeric, 2) AS total, round(lost_node_hours::numeric, 5) AS lost FROM regression_overview WHERE application = 'reg';
SELECT max(regression_id) AS id FROM perfhouse.regression WHERE application = 'reg' \gset
-- what the search itself gave up is new again when it is found again; what people decided is not
BEGIN;
UPDATE perfhouse.run SET excluded_reason = 'broken' WHERE application = 'reg' AND substr(fingerprint, 4)::int > 32;
SELECT path, event FROM update_regressions('reg');
SELECT state, by_search, reason FROM perfhouse.regression WHERE regression_id = :id;
UPDATE perfhouse.run SET excluded_reason = NULL WHERE application = 'reg';
SELECT path, event FROM update_regressions('reg');
SELECT state, by_search, reason FROM perfhouse.regression WHERE regression_id = :id;
SELECT set_regression(:id, 'ignored', 'wanted');
UPDATE perfhouse.run SET excluded_reason = 'broken' WHERE application = 'reg' AND substr(fingerprint, 4)::int > 32;
SELECT path, event FROM update_regressions('reg');
UPDATE perfhouse.run SET excluded_reason = NULL WHERE application = 'reg';
SELECT path, event FROM update_regressions('reg');
SELECT state, by_search, reason FROM perfhouse.regression WHERE regression_id = :id;
ROLLBACK;
-- nor does a search give up what another one found that saw other runs, while some do
BEGIN;
CALL enable_projects();
UPDATE perfhouse.regression SET scope = 'another' WHERE regression_id = :id;
UPDATE perfhouse.run SET excluded_reason = 'broken' WHERE application = 'reg' AND substr(fingerprint, 4)::int > 32;
SELECT path, event FROM update_regressions('reg');
CALL disable_projects();
DELETE FROM perfhouse.regression_watch WHERE application = 'reg';
SELECT path, event FROM update_regressions('reg');
ROLLBACK;
-- it outlives its first runs: excluded, removed one by one, gone before regressions moved on; and is not there twice
BEGIN;
CREATE FUNCTION public.begins() RETURNS TABLE (regression_id bigint, state text, first text, n_after int) LANGUAGE sql AS $$
	SELECT g.regression_id - (SELECT min(o.regression_id) FROM perfhouse.regression o WHERE o.application = 'reg'), g.state, r.fingerprint, g.n_after
	FROM perfhouse.regression g LEFT JOIN perfhouse.run r USING (run_id) WHERE g.application = 'reg' ORDER BY 1 $$;
SELECT set_regression(:id, 'ignored', 'wanted');
SELECT * FROM public.begins();
UPDATE perfhouse.run SET excluded_reason = 'broken' WHERE fingerprint = 'reg31';
SELECT path, event FROM update_regressions('reg');
SELECT * FROM public.begins();
SELECT drop_run(run_id) FROM perfhouse.run WHERE fingerprint = 'reg32';
SELECT * FROM public.begins();
SELECT drop_run(run_id) FROM perfhouse.run WHERE fingerprint = 'reg33';
SELECT path, event FROM update_regressions('reg');
SELECT * FROM public.begins();
SELECT count(*) FILTER (WHERE is_after) > 8 AS explained FROM regression_runs(:id);
UPDATE perfhouse.regression SET run_id = -1 WHERE regression_id = :id;
INSERT INTO perfhouse.regression (application, n_ranks, n_threads, cluster, metric_id, callpath_id, path, commit_id, run_id, mean_before, mean_after, own_change,
	total_change, p_value, q_value, n_before, n_after) SELECT g.application, g.n_ranks, g.n_threads, g.cluster, g.metric_id, g.callpath_id, g.path, g.commit_id, r.run_id,
	g.mean_before, g.mean_after, g.own_change, g.total_change, g.p_value, g.q_value, g.n_before, g.n_after FROM perfhouse.regression g, perfhouse.run r
	WHERE g.regression_id = :id AND r.fingerprint = 'reg34';
DELETE FROM perfhouse.regression_watch WHERE application = 'reg';
SELECT path, event FROM update_regressions('reg');
SELECT * FROM public.begins();
ROLLBACK;
SELECT part, round(change::numeric, 3) AS change, round(share::numeric, 3) AS share FROM regression_parts(:id);
SELECT round(sum(change)::numeric, 9) = round((SELECT mean_after - mean_before FROM perfhouse.regression WHERE regression_id = :id)::numeric, 9) AS adds_up FROM regression_parts(:id);
-- the job's number differs in every run and tells nothing
SELECT key, before_values, after_values, round(bits::numeric, 2) AS bits FROM explain_change(:id);
SELECT set_regression(:id, 'active', 'known, see the tracker');
SELECT state, reason, changed_by = current_user AS who FROM perfhouse.regression WHERE regression_id = :id;
SELECT f.* FROM (VALUES ('SELECT perfhouse.set_regression(-1, ''active'')'), ('SELECT perfhouse.set_regression(1, ''open'')'), ('SELECT * FROM perfhouse.explain_change(-1)'),
	('SELECT * FROM perfhouse.regression_parts(-1)')) v (statement), public.fails(statement) f;
-- what to measure: only commit 21 is between and has no run
SELECT commit_id = md5('r21') AS middle, expected_bits, subject, n_candidates FROM next_commit('reg');
SELECT subject, round(expected_bits::numeric, 3) AS bits, n_candidates FROM next_commit('reg', good => md5('r30'), bad => md5('r40')) LIMIT 3;
-- comparing
SELECT path, n_a, n_b, round(relative::numeric, 2) AS relative, verdict, runs_needed FROM compare_commits('reg', md5('r20'), md5('r22'));
SELECT path, verdict, q_value < 0.05 AS sure FROM compare_commits('reg', md5('r20'), 'stable', by => 'function');
SELECT path, n_a, verdict, runs_needed FROM compare_commits('reg', md5('r2'), md5('r4'), by => 'total', min_runs => 5);
SELECT * FROM public.fails($$SELECT * FROM perfhouse.compare_commits('reg', 'nowhere', 'stable')$$);
-- faster again
SELECT count(public.add_run(no, i, 1)) FROM public.reg WHERE i > 30;
SELECT path, event FROM update_regressions('reg');
SELECT state, reason = 'faster again with ' || md5('r32') AS reason FROM perfhouse.regression WHERE regression_id = :id;
SELECT application, cause, what, round(node_hours::numeric, 4) AS node_hours, runs FROM lost_node_hours(of_application => 'reg');
SELECT count(*) FROM host_residual(of_application => 'reg');
-- a host that computes twice as long; its wait is not counted, and values in rows say the same
BEGIN;
SELECT public.store_profile(hatchet_literal('[{"frame": {"name": "main"}, "metrics": {"time": [1, 1.1, 1.2, 1, 1.1, 1]}, "children": [
	{"frame": {"name": "work"}, "metrics": {"time": [4, 4, 4.1, 3.9, 9, 4]}},
	{"frame": {"name": "MPI_Wait"}, "metrics": {"time": [5, 5, 5, 5, null, 5]}}]}]'), 'hosts') AS hosts_run \gset
UPDATE perfhouse.run SET application = 'hosts' WHERE run_id = :hosts_run;
UPDATE perfhouse.metric SET unit = 'ms' WHERE metric_id = (SELECT metric_ids[1] FROM perfhouse.run WHERE run_id = :hosts_run);
UPDATE perfhouse.location SET host = 'node' || location_id % 5 WHERE run_id = :hosts_run;
SELECT host, round(z::numeric, 3) AS z, round(relative::numeric, 4) AS relative, mean FROM host_residual(of_application => 'hosts');
SELECT public.as_old_release(:hosts_run);
UPDATE perfhouse.region SET name = 'MPI_Wait' WHERE name = 'of MPI_Wait';
SELECT host, round(relative::numeric, 4) AS relative, mean FROM host_residual(of_application => 'hosts') WHERE host = 'node4';
-- what other runs have is not read for it
INSERT INTO perfhouse.region (region_id, kind, name) SELECT i, 0, 'planted ' || i FROM generate_series(1, 3000) i;
INSERT INTO perfhouse.callpath (callpath_id, region_id, depth) SELECT i, i, 1 FROM generate_series(1, 3000) i;
INSERT INTO perfhouse.location (run_id, location_id, rank, thread, host) SELECT 1000000 + i, 0, 0, 0, 'node4' FROM generate_series(1, 3000) i;
ANALYZE perfhouse.region, perfhouse.callpath, perfhouse.location;
SELECT sum(seq_scan) AS scans FROM pg_stat_xact_user_tables
	WHERE schemaname = 'perfhouse' AND relname IN ('callpath', 'location', 'region') \gset
SELECT count(*) FROM host_residual(of_application => 'hosts');
SELECT sum(seq_scan) - :scans AS read_as_a_whole FROM pg_stat_xact_user_tables
	WHERE schemaname = 'perfhouse' AND relname IN ('callpath', 'location', 'region');
-- nor are the values of runs on too few hosts, or none
SELECT idx_scan + seq_scan AS before FROM pg_stat_xact_user_tables WHERE relid = 'perfhouse.profile_values_1'::regclass \gset
UPDATE perfhouse.run SET n_hosts = 3 WHERE run_id = :hosts_run;
SELECT count(*) FROM host_residual(of_application => 'hosts');
UPDATE perfhouse.run SET n_hosts = NULL WHERE run_id = :hosts_run;
UPDATE perfhouse.location SET host = NULL WHERE run_id = :hosts_run;
SELECT count(*) FROM host_residual(of_application => 'hosts');
SELECT idx_scan + seq_scan - :before AS times_read FROM pg_stat_xact_user_tables WHERE relid = 'perfhouse.profile_values_1'::regclass;
ROLLBACK;
-- statistics of vectors
SELECT n_a, mean_b, round(difference::numeric, 3) AS difference, round(t::numeric, 4) AS t, round(degrees::numeric, 4) AS degrees, round(p_value::numeric, 6) AS p, verdict
	FROM repeat_test('{27.5,21.0,19.0,23.6,17.0,17.9,16.9,20.1,21.9,22.6,23.1,19.6,19.0,21.7,21.4}', '{27.1,22.0,20.8,23.4,23.4,23.5,25.8,22.0,24.8,20.2,21.9,22.1,22.9,30.5,24.4}');
SELECT verdict, runs_needed, p_value FROM repeat_test('{1,2}', '{1,2}');
SELECT * FROM mann_whitney('{1.1,2.2,3.3}', '{4.4,5.5,0.6,7.7}');
SELECT u, round(p_value::numeric, 6) AS p_value, is_exact FROM mann_whitney('{1,2,2,3}', '{2,4,5,NULL}');
SELECT n, round(pearson::numeric, 6) AS r, round(pearson_p_value::numeric, 6) AS p, round(spearman::numeric, 6) AS rho, round(spearman_p_value::numeric, 6) AS rho_p
	FROM correlation('{1,2,3,4,5,NULL}', '{2,1,4,3,7,9}');
SELECT f.* FROM (VALUES ('SELECT * FROM perfhouse.repeat_test(''{1}'', ''{2}'', -1)'), ('SELECT * FROM perfhouse.correlation(''{1}'', ''{2,3}'')')) v (statement), public.fails(statement) f;

DELETE FROM perfhouse.regression WHERE application = 'reg';
DELETE FROM perfhouse.regression_watch WHERE application = 'reg';
SELECT count(drop_run(run_id)) FROM perfhouse.run WHERE application = 'reg';
SELECT setval(pg_get_serial_sequence('perfhouse.run', 'run_id'), max(run_id)) > 0 AS again FROM perfhouse.run;
DROP FUNCTION public.add_run, public.noise;
DROP TABLE public.reg;
