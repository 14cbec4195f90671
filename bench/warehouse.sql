-- warehouse.sql - a warehouse of many runs, straight into the tables, for dashboards and for bench/run.
--
--   perfhouse psql -- -X -q -v runs=10000 -f bench/warehouse.sql
--
-- runs (default 10000), numbered from first on (default 0: more of them need other numbers), of 10 applications "fleet 0" to "fleet 9", four of each commit, a year long, 40 call
-- paths (six MPI functions are everybody's), 8 ranks on as many of 64 hosts a cluster (host 13 is slow), three
-- clusters, five users, tags, metadata, some excluded. One function of each application gets a fifth slower
-- after 60 % of its commits. Everything is drawn from hashes: the same every time. check_run is clean.
\set ON_ERROR_STOP 1
\if :{?runs}
\else
  \set runs 10000
\endif
\if :{?first}
\else
  \set first 0
\endif
SET synchronous_commit = off;
SET search_path = pg_temp, pg_catalog;
SET max_parallel_workers_per_gather = 0;

-- A number in 0..1 that depends on these.
CREATE FUNCTION pg_temp.draw(a bigint, b bigint) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
	SELECT (hashint8extended(a, b) & 1048575)::float8 / 1048576 $$;
CREATE FUNCTION pg_temp.function_name(app int, f int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN f = 0 THEN 'main' WHEN f % 7 = 5 THEN (ARRAY['MPI_Allreduce', 'MPI_Waitall', 'MPI_Isend', 'MPI_Barrier', 'MPI_Bcast', 'MPI_Recv'])[f / 7 + 1]
		ELSE (ARRAY['solve', 'apply', 'exchange', 'assemble', 'update', 'smooth', 'norm'])[f % 7 + 1] || '_' || app || '_' || f END $$;
CREATE FUNCTION pg_temp.tree(app int) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	below jsonb[] := array_fill('[]'::jsonb, ARRAY[40]);
	node jsonb;
BEGIN
	FOR f IN REVERSE 39 .. 0 LOOP
		node := jsonb_build_object('frame', jsonb_build_object('name', pg_temp.function_name(app, f),
			'module', CASE WHEN f % 7 = 5 THEN 'libmpi.so' WHEN f % 3 = 0 THEN 'libfleet' || app || '.so' ELSE 'fleet' || app END), 'metrics', jsonb_build_object('time', 1),
			'children', below[f + 1]);
		EXIT WHEN f = 0;
		below[(f - 1) / 3 + 1] := jsonb_build_array(node) || below[(f - 1) / 3 + 1];
	END LOOP;
	RETURN jsonb_build_array(node);
END $$;

INSERT INTO perfhouse.metric (name, unit) VALUES ('time', 's') ON CONFLICT DO NOTHING;
CREATE TEMP TABLE app AS
SELECT a AS app, 'fleet ' || a AS application, perfhouse.hatchet_literal(pg_temp.tree(a)) AS p, 7 * a % 40 AS slow,
	(SELECT min(metric_id) FROM perfhouse.metric WHERE (name, unit) = ('time', 's')) AS metric_id FROM generate_series(0, 9) a;
CREATE TEMP TABLE path AS
SELECT a.app, f, n.callpath_id, o.callpath_id AS parent_id, n.name, n.module, n.depth, hashtextextended(n.name || ' ' || n.module, 7) AS region_id,
	CASE WHEN f = 0 THEN 0.2 ELSE 0.3 + 3 * pg_temp.draw(a.app, f) END AS own
FROM app a, generate_series(0, 39) f, LATERAL perfhouse.nodes(a.p) n LEFT JOIN LATERAL perfhouse.nodes(a.p) o ON o.node = n.parent
WHERE n.name = pg_temp.function_name(a.app, f);
INSERT INTO perfhouse.region (region_id, kind, name, library) SELECT DISTINCT region_id, 0, name, module FROM path ON CONFLICT DO NOTHING;
INSERT INTO perfhouse.callpath SELECT DISTINCT callpath_id, parent_id, region_id, depth FROM path ON CONFLICT DO NOTHING;
INSERT INTO perfhouse.commit (commit_id, repository, parents, subject, author, authored_at, committed_at, "position", first_parent_position)
SELECT md5(application || c), application, CASE WHEN c > 0 THEN ARRAY[md5(application || (c - 1))] ELSE '{}' END, 'change ' || c, 'author ' || c % 7,
	'2025-01-01'::timestamptz + c * interval '1 year' * 40 / :runs, '2025-01-01'::timestamptz + c * interval '1 year' * 40 / :runs, c, c
FROM app, generate_series(0, :runs / 40) c ON CONFLICT DO NOTHING;

-- Runs: rank factors are the run's, so that vectors are a number times eight.
CREATE TEMP TABLE new_run AS
SELECT nextval(pg_get_serial_sequence('perfhouse.run', 'run_id')) AS run_id, i, i % 10 AS app, i / 40 AS commit_no,
	(SELECT array_agg(1 + 0.05 * pg_temp.draw(i, k) + CASE WHEN (i * 7 + k * 3) % 64 = 13 THEN 0.3 ELSE 0 END ORDER BY k) FROM generate_series(0, 7) k) AS factors
FROM generate_series(0, :runs - 1) i;
INSERT INTO perfhouse.run (run_id, fingerprint, state, application, title, source, format, commit_id, branch, started_at, user_name, cluster, n_ranks,
	n_threads, n_nodes, n_columns, n_units, n_hosts, metrics, metric_ids, meta, tags, excluded_reason, loaded_at)
SELECT n.run_id, md5('fleet' || n.i + :first) || md5('run' || n.i + :first), 'ready', a.application, a.application || ' run ' || n.i + :first, 'bench/warehouse.sql', 'sql', md5(a.application || n.commit_no),
	'main', t.at, 'user' || n.i % 5, 'cluster' || a.app % 3, 8, 1, 40, 8, 8, 8, '{time}', ARRAY[a.metric_id],
	jsonb_build_object('compiler', 'gcc ' || 11 + n.commit_no / 100, 'input', 'deck ' || n.i % 3, 'job', n.i),
	CASE n.i % 50 WHEN 0 THEN '{nightly,release}'::text[] WHEN 7 THEN '{broken}' ELSE '{nightly}' END, CASE WHEN n.i % 500 = 7 THEN 'node failure' END, t.at + interval '10 min'
FROM new_run n JOIN app a USING (app), LATERAL (SELECT '2025-01-01'::timestamptz + n.i * interval '1 year' / :runs AS at) t;
INSERT INTO perfhouse.location (run_id, location_id, rank, thread, host)
SELECT n.run_id, k, k, 0, 'cluster' || n.app % 3 || 'n' || (n.i * 7 + k * 3) % 64 FROM new_run n, generate_series(0, 7) k;
UPDATE perfhouse.run r SET tree_id = t.tree_id, labels_id = t.labels_id
FROM new_run n JOIN (SELECT a.app, perfhouse_internal.intern_tree(perfhouse.skeleton(a.p)) AS tree_id,
	(SELECT perfhouse_internal.intern_labels(array_agg(g.region_id), array_agg(g.local_id), array_agg(NULL::int), array_agg(NULL::text), array_agg(NULL::text), array_agg(NULL::text))
	 FROM (SELECT region_id, min(f) AS local_id FROM path p WHERE p.app = a.app GROUP BY 1) g) AS labels_id FROM app a OFFSET 0) t USING (app) WHERE r.run_id = n.run_id;

CREATE TEMP TABLE cell AS
SELECT n.run_id, p.app, p.f, p.own * (1 + 0.03 * pg_temp.draw(n.i, 100 + p.f)) * CASE WHEN p.f = a.slow AND n.commit_no > 0.6 * :runs / 40 THEN 1.2 ELSE 1 END AS own
FROM new_run n JOIN app a USING (app) JOIN path p USING (app);
CREATE TEMP TABLE above AS
WITH RECURSIVE above (f, top) AS (SELECT f, f FROM generate_series(0, 39) f UNION ALL SELECT f, (top - 1) / 3 FROM above WHERE top > 0) SELECT * FROM above;
CREATE TEMP TABLE total AS
SELECT c.run_id, c.app, a.top AS f, sum(c.own) AS inclusive, min(c.own) FILTER (WHERE c.f = a.top) AS own FROM cell c JOIN above a USING (f) GROUP BY 1, 2, 3;
ANALYZE total, path, new_run;
INSERT INTO perfhouse.profile_values_1 (run_id, callpath_id, metric_id, block, inclusive, exclusive)
SELECT t.run_id, p.callpath_id, a.metric_id, 0,
	ARRAY[t.inclusive * r[1], t.inclusive * r[2], t.inclusive * r[3], t.inclusive * r[4], t.inclusive * r[5], t.inclusive * r[6], t.inclusive * r[7], t.inclusive * r[8]],
	ARRAY[t.own * r[1], t.own * r[2], t.own * r[3], t.own * r[4], t.own * r[5], t.own * r[6], t.own * r[7], t.own * r[8]]
FROM total t JOIN path p USING (app, f) JOIN app a USING (app) JOIN (SELECT run_id, factors AS r FROM new_run) n USING (run_id) ORDER BY t.run_id, p.callpath_id;
CREATE TEMP TABLE spread AS
SELECT n.run_id, sum(x) AS s, sum(x * x) AS q, min(x) AS low, max(x) AS high, (array_agg(k ORDER BY x, k))[1] - 1 AS at_low, (array_agg(k ORDER BY x DESC, k))[1] - 1 AS at_high
FROM new_run n, unnest(n.factors) WITH ORDINALITY u (x, k) GROUP BY 1;
INSERT INTO perfhouse.profile_summary_1
SELECT t.run_id, p.callpath_id, a.metric_id, 8, t.inclusive * s.s, t.inclusive ^ 2 * s.q, t.inclusive * s.low, t.inclusive * s.high, s.at_low, s.at_high,
	t.own * s.s, t.own ^ 2 * s.q, t.own * s.low, t.own * s.high, s.at_low, s.at_high
FROM total t JOIN path p USING (app, f) JOIN app a USING (app) JOIN spread s USING (run_id) ORDER BY t.run_id, p.callpath_id;
INSERT INTO perfhouse.summary_block SELECT n.run_id, b.* FROM new_run n, LATERAL perfhouse_internal.summary_blocks(n.run_id) b;
DELETE FROM perfhouse.profile_summary_1 s USING new_run n WHERE s.run_id = n.run_id;
INSERT INTO perfhouse.region_summary
SELECT t.run_id, p.region_id, min(a.metric_id), count(*), sum(t.inclusive * s.s / 8), sum(t.own * s.s / 8), sum(t.own * s.low), sum(t.own * s.high)
FROM total t JOIN path p USING (app, f) JOIN app a USING (app) JOIN spread s USING (run_id) GROUP BY 1, 2 ORDER BY 1, 2;
INSERT INTO perfhouse.load_log (run_id, source, outcome, bytes, seconds, at) SELECT run_id, source, 'loaded', 20000, 0.1, loaded_at FROM perfhouse.run r JOIN new_run n USING (run_id);
UPDATE perfhouse.run r SET total = t.inclusive * s.s / 8 FROM total t JOIN spread s USING (run_id) WHERE t.run_id = r.run_id AND t.f = 0;
DROP TABLE total, cell, path, new_run, spread, above;
VACUUM ANALYZE perfhouse.run, perfhouse.region, perfhouse.callpath, perfhouse.commit, perfhouse.location, perfhouse.summary_block (run_id, metric_id, block), perfhouse.profile_summary_1, perfhouse.region_summary,
	perfhouse.profile_values_1 (run_id, callpath_id, metric_id, block);
