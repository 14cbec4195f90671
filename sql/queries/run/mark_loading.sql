-- Run $1 is being loaded through several connections, this one first: nobody sees it until it is ready.
UPDATE perfhouse.run SET state = 'loading', loader_pid = pg_backend_pid(), loaded_at = now() WHERE run_id = $1::int8
