-- export-event-columns.sql - chunks of a run's events as columns; $1: run, $2 and $3: from and to in ns or null.
SELECT e.location, e.rank, e.n, e."time", e.kind, e.region, e.peer, e.bytes
FROM perfhouse.event_columns e
WHERE e.run_id = $1::bigint AND ($2::bigint IS NULL OR e.t_last >= $2::bigint) AND ($3::bigint IS NULL OR e.t_first < $3::bigint)
ORDER BY e.location, e.chunk_no;
