-- The run that holds content $1: of several repeats the first.
SELECT run_id FROM perfhouse.run
 WHERE fingerprint = $1 AND state = 'ready'
 ORDER BY repeat LIMIT 1
