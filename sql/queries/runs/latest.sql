-- The run that was loaded last, of those for which the run filter $1 holds (null: of all).
SELECT run_id FROM perfhouse.run
 WHERE state = 'ready' AND ($1::text IS NULL OR run_id IN (SELECT perfhouse.runs_matching($1)))
 ORDER BY run_id DESC LIMIT 1
