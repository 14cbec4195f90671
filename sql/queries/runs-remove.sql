-- The runs $1 go with everything that belongs to them. The rows are locked in one order, so that two
-- who remove the same runs wait for each other instead of both failing.
WITH found AS (
    SELECT run_id, title FROM perfhouse.run
     WHERE run_id = ANY ($1::int8[]) AND state = 'ready' ORDER BY run_id FOR UPDATE)
SELECT run_id, coalesce(title, '') FROM found WHERE perfhouse.drop_run(run_id) ORDER BY run_id
