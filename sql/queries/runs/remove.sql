-- The runs $1 go with everything that belongs to them. Their rows are locked in the order in which loaders
-- replace runs, so that nobody waits for each other in a circle.
WITH found AS (
    SELECT run_id, title FROM perfhouse.run
     WHERE run_id = ANY ($1::int8[]) AND state = 'ready' ORDER BY fingerprint COLLATE "C", run_id FOR UPDATE)
SELECT run_id, coalesce(title, '') FROM found WHERE perfhouse.drop_run(run_id) ORDER BY run_id
