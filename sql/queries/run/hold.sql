-- Whoever loads run $1 holds its row until it is ready: others who want the same content wait for that.
SELECT run_id FROM perfhouse.run WHERE run_id = $1::int8 AND state = 'loading' FOR NO KEY UPDATE
