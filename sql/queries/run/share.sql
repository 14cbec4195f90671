-- A connection that writes rows of run $1: it must not go meanwhile. No row: it has gone.
SELECT run_id FROM perfhouse.run WHERE run_id = $1::int8 FOR KEY SHARE
