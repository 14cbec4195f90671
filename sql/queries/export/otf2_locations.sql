-- export-otf2-locations.sql - the locations of a run's trace, those without calls, too; $1: run. No rows: it has no trace.
SELECT n AS location, coalesce(l.rank, s.rank, -1) AS rank, coalesce(l.thread, 0) AS thread,
	coalesce(nullif(l.name, ''), s.name, 'rank ' || l.rank, '') AS name,
	coalesce(l.host, s.host, '') AS host, l.location_id IS NOT NULL AS has_calls,
	EXISTS (SELECT 1 FROM perfhouse.trace_chunk c WHERE c.run_id = t.run_id AND c.location_id = n) AS has_events,
	s.location_id IS NOT NULL AS is_stream, coalesce(s.device, 0) AS device, coalesce(s.context, 0) AS context,
	coalesce(s.stream, 0) AS stream, coalesce(s.lane, 0) AS lane
FROM perfhouse.run r JOIN perfhouse.trace t USING (run_id) CROSS JOIN generate_series(0, t.n_locations - 1) AS n
LEFT JOIN perfhouse.location l ON l.run_id = t.run_id AND l.location_id = n
LEFT JOIN perfhouse.trace_stream s ON s.run_id = t.run_id AND s.location_id = n
WHERE r.run_id = $1::bigint AND r.state = 'ready'
ORDER BY n;
