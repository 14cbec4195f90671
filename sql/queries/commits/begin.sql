-- Commits of one repository at a time ($1): what its branches and tags were when they were last read.
WITH turn AS MATERIALIZED (SELECT pg_advisory_xact_lock(hashtextextended('perfhouse commits', 0)))
SELECT DISTINCT f.commit_id
  FROM turn, perfhouse.commit_ref f
  JOIN perfhouse.commit c ON c.commit_id = f.commit_id AND c."position" IS NOT NULL
 WHERE f.repository = $1
 ORDER BY 1
