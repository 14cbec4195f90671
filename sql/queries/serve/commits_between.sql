-- serve_commits_between.sql - the commits that run B measured and run A did not, the newest first, with their authors. Section total:
-- how many.
--
-- :a, :b runs, :limit
WITH found AS MATERIALIZED (
    SELECT c.commit_id, c.subject, c.author, c.committed_at, c."position"
      FROM perfhouse.run a, perfhouse.run b, perfhouse.commit c
     WHERE a.run_id = :a::int8 AND b.run_id = :b::int8
       AND EXISTS (SELECT FROM perfhouse.commit k WHERE k.commit_id = a.commit_id)
       AND EXISTS (SELECT FROM perfhouse.commit k WHERE k.commit_id = b.commit_id)
       AND c.commit_id IN (SELECT perfhouse.commits_between(a.commit_id, b.commit_id))
)
SELECT 'rows' AS section, to_json(f) AS row
  FROM (SELECT f.commit_id, f.subject, f.author, f.committed_at FROM found f ORDER BY f."position" DESC, f.commit_id LIMIT :limit::int4) f
UNION ALL
SELECT 'total', json_build_object('commits', count(*)) FROM found;
