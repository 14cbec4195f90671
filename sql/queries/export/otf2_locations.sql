-- export-otf2-locations.sql - the processes' locations of a run's trace that have events; $1: run. No rows: it has no trace.
SELECT l.location_id, l.rank, coalesce(l.thread, 0) AS thread, coalesce(nullif(l.name, ''), 'rank ' || l.rank) AS name,
	coalesce(l.host, '') AS host
FROM perfhouse.run r JOIN perfhouse.location l USING (run_id)
WHERE r.run_id = $1::bigint AND r.state = 'ready' AND l.rank >= 0
	AND EXISTS (SELECT FROM perfhouse.trace_chunk c WHERE c.run_id = r.run_id AND c.location_id = l.location_id)
ORDER BY l.location_id;
