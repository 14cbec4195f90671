-- Applications whose history the runs $1 belong to.
SELECT DISTINCT r.application FROM perfhouse.run r
 WHERE r.run_id = ANY ($1::int8[]) AND r.state = 'ready' AND r.application IS NOT NULL AND r.commit_id IS NOT NULL
   AND r.excluded_reason IS NULL
 ORDER BY 1
