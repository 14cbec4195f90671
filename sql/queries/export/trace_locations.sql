-- export-trace-locations.sql - the locations of a run's trace; $1: run. No rows: the run has no trace.
SELECT l.location_id, coalesce(l.rank, l.location_id) AS rank, coalesce(l.thread, 0) AS thread,
	coalesce(l.name, '') AS name, coalesce(l.host, '') AS host
FROM perfhouse.trace t JOIN perfhouse.run r USING (run_id) JOIN perfhouse.location l USING (run_id)
WHERE t.run_id = $1::bigint AND r.state = 'ready'
ORDER BY l.location_id;
