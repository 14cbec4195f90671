-- export-otf2-events.sql - all events of a run's trace as they are stored, by location and in order; $1: run.
SELECT c.location_id, e."time", e.kind, e.region_id, e.peer, e.tag, e.bytes, e.communicator, e.request, e.operation_id, e.root,
	e.bytes_received, array_to_string(e."values", ' ') AS "values"
FROM perfhouse.trace_chunk c CROSS JOIN LATERAL perfhouse_internal.chunk_events(c.location_id, c.chunk_no, c.format, c.n_events,
	c.n_enter, c.n_message, c.first_seq, c.t_prev, c.t_first, c.t_last, c.stack, c.dt, c.kind, c.region, c.msg, c.extra) e
WHERE c.run_id = $1::bigint
ORDER BY c.location_id, c.chunk_no, e.seq;
