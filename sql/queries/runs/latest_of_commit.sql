-- The run of the application $1 that was loaded last, of those whose commit begins with $2.
SELECT run_id FROM perfhouse.run
 WHERE state = 'ready' AND application = $1 AND starts_with(commit_id, lower($2::text))
 ORDER BY run_id DESC LIMIT 1
