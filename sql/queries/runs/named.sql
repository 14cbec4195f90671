SELECT run_id, coalesce(title, '') FROM perfhouse.run WHERE run_id = ANY ($1::int8[]) AND state = 'ready' ORDER BY run_id
