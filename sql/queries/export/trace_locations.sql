-- export-trace-locations.sql - the locations of a run's trace; $1: run. No rows: the run has no trace. Streams of devices stand as
-- threads of the process that owns them, behind its own: their numbers are those of locations.
SELECT l.location_id, coalesce(l.rank, l.location_id) AS rank, coalesce(l.thread, 0) AS thread, coalesce(l.name, '') AS name,
	coalesce(l.host, '') AS host
FROM perfhouse.trace t JOIN perfhouse.run r USING (run_id), LATERAL (
	SELECT o.location_id, o.rank, o.thread, o.name, o.host FROM perfhouse.location o WHERE o.run_id = t.run_id
	UNION ALL
	SELECT s.location_id, s.rank, s.location_id, s.name, s.host FROM perfhouse.trace_stream s WHERE s.run_id = t.run_id) l
WHERE t.run_id = $1::bigint AND r.state = 'ready'
ORDER BY l.location_id;
