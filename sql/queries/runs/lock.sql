-- Locks the rows of the runs $1 that are ready, in the order in which loaders replace runs, so that nobody waits for each other
-- in a circle.
SELECT run_id FROM perfhouse.run
 WHERE run_id = ANY ($1::int8[]) AND state = 'ready' ORDER BY fingerprint COLLATE "C", run_id FOR NO KEY UPDATE
