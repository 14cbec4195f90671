-- serve_source.sql - a file and the commit of a run, if the run's profile names that file, word for word.
--
-- :run, :file
SELECT f.file, r.commit_id
  FROM perfhouse.run r, LATERAL (
    SELECT n.file FROM perfhouse.nodes(perfhouse_internal.mean_profile(r.run_id, '{}')) n WHERE n.file = :file::text LIMIT 1) f
 WHERE r.run_id = :run::int8;
