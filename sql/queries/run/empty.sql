-- Run $1 will be written anew: its row is locked and no longer ready, so that clear_run takes it. No row: it has gone.
UPDATE perfhouse.run SET state = 'loading' WHERE run_id = $1::int8 AND fingerprint = $2 RETURNING run_id
