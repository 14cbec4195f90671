-- run_list.sql - rows of perfhouse.run only, as many as wanted, for measuring lists of runs.
--
--   perfhouse psql -- -X -q -v runs=1000000 -f bench/run_list.sql
--
-- Twenty applications, three clusters, ranks that are powers of two, a title and a source each; one run in seven has no
-- start time, one in eleven no total. No profiles: nothing else can be asked of these runs.
\set ON_ERROR_STOP 1
SET synchronous_commit = off;
INSERT INTO perfhouse.metric (name, unit) VALUES ('time', 's') ON CONFLICT DO NOTHING;
INSERT INTO perfhouse.run (fingerprint, state, application, title, source, format, commit_id, branch, started_at, user_name, cluster, n_ranks,
	n_threads, n_nodes, n_columns, n_units, metrics, metric_ids, meta, tags, loaded_at, total)
SELECT md5('list' || i) || md5('run' || i), 'ready', 'list ' || i % 20, 'list ' || i % 20 || ' run ' || md5(i::text), '/archive/' || i % 1000 || '/' || i || '.cali',
	'caliper', md5('commit' || i / 4), 'main', CASE WHEN i % 7 > 0 THEN '2020-01-01'::timestamptz + i * interval '2 minutes' END, 'user' || i % 50,
	'cluster' || i % 3, 1 << (i % 14)::int, 1, 40, 8, 8, '{time}',
	ARRAY[(SELECT min(metric_id) FROM perfhouse.metric WHERE (name, unit) = ('time', 's'))],
	jsonb_build_object('compiler', 'gcc ' || 11 + i % 4, 'input', 'deck ' || i % 30, 'job', i), '{nightly}',
	'2020-01-01'::timestamptz + i * interval '2 minutes', CASE WHEN i % 11 > 0 THEN 100 + 50 * sin(i) END
FROM generate_series((SELECT coalesce(max(run_id), 0) + 1 FROM perfhouse.run), (SELECT coalesce(max(run_id), 0) + :runs FROM perfhouse.run)) i;
VACUUM ANALYZE perfhouse.run;
