-- Runs that are stored as releases before 0.2.0 did.
SELECT run_id FROM perfhouse.run WHERE storage IS DISTINCT FROM 2 AND state = 'ready' ORDER BY run_id
