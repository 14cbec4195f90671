-- serve_changed_lines.sql - the file of a function of run B, word for word as the run's profile names it, and the commits of A and B.
--
-- :a, :b runs, :name
SELECT f.file, a.commit_id, b.commit_id
  FROM perfhouse.run a, perfhouse.run b, LATERAL (
    SELECT n.file FROM perfhouse.nodes(perfhouse_internal.mean_profile(b.run_id, '{}')) n
     WHERE n.name = :name::text AND n.file <> '' ORDER BY n.exclusive DESC NULLS LAST, n.node LIMIT 1) f
 WHERE a.run_id = :a::int8 AND b.run_id = :b::int8;
