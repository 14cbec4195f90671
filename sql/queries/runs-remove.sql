-- What belongs to the runs goes with them by foreign key.
WITH gone AS (DELETE FROM perfhouse.run WHERE run_id = ANY ($1::int8[]) AND state = 'ready' RETURNING run_id, title)
SELECT run_id, coalesce(title, '') FROM gone ORDER BY run_id
