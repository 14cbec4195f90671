-- history.sql - 1000 runs of 500 commits, 60 functions and as many call paths each, straight into the tables; three get slower.
-- For bench/run: what the history queries cost does not depend on how the rows came.
INSERT INTO perfhouse.commit (commit_id, repository, parents, committed_at, "position", first_parent_position)
SELECT md5('bench' || i), 'bench', CASE WHEN i > 0 THEN ARRAY[md5('bench' || (i - 1))] ELSE '{}' END, '2025-01-01'::timestamptz + i * interval '1 hour', i, i
  FROM generate_series(0, 499) i;
INSERT INTO perfhouse.metric (name, unit) VALUES ('time', 's') ON CONFLICT DO NOTHING;
INSERT INTO perfhouse.region (region_id, kind, name) SELECT -1000 - f, 0, 'bench function ' || f FROM generate_series(0, 59) f;
INSERT INTO perfhouse.callpath SELECT -2000 - f, CASE WHEN f > 0 THEN -2000 - (f - 1) / 3 END, -1000 - f, 1 FROM generate_series(0, 59) f;
INSERT INTO perfhouse.run (fingerprint, state, application, format, commit_id, n_ranks, n_units, metrics, metric_ids, started_at, meta)
SELECT 'bench history ' || i, 'ready', 'bench history', 'sql', md5('bench' || i / 2), 64, 64, '{time}',
       ARRAY[(SELECT metric_id FROM perfhouse.metric WHERE (name, unit) = ('time', 's') LIMIT 1)], '2025-01-01'::timestamptz + i * interval '30 min',
       jsonb_build_object('compiler', 'gcc ' || 12 + i / 600)
  FROM generate_series(0, 999) i;
CREATE TEMP TABLE cell AS
SELECT r.run_id, r.metric_ids[1] AS metric_id, f,
       1 + CASE WHEN f IN (7, 23, 51) AND r.run_id - min(r.run_id) OVER () >= 12 * f THEN 0.2 ELSE 0 END
       + 0.02 * (SELECT sum(hashint8extended(r.run_id * 64 + f, j)::float8) / 9223372036854775807 FROM generate_series(1, 3) j) AS own
  FROM perfhouse.run r, generate_series(0, 59) f WHERE r.application = 'bench history';
INSERT INTO perfhouse.region_summary SELECT run_id, -1000 - f, metric_id, 1, own, own, own * 0.9, own * 1.1 FROM cell;
WITH RECURSIVE above (f, top) AS (SELECT f, f FROM generate_series(0, 59) f UNION ALL SELECT f, (top - 1) / 3 FROM above WHERE top > 0)
INSERT INTO perfhouse.profile_summary_1 (run_id, callpath_id, metric_id, n, inclusive_sum, exclusive_sum)
SELECT c.run_id, -2000 - a.top, c.metric_id, 64, 64 * sum(c.own), 64 * sum(c.own) FILTER (WHERE a.top = c.f)
  FROM cell c JOIN above a USING (f) GROUP BY c.run_id, c.metric_id, a.top;
ANALYZE perfhouse.run, perfhouse.region_summary, perfhouse.profile_summary_1, perfhouse.commit, perfhouse.callpath, perfhouse.region;
