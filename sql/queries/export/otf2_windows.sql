-- export-otf2-windows.sql - the number of the first window of a run's trace, null: it has none; $1: run. Windows follow the
-- communicators, and are known by the records that refer to them; only traces with communicators that are not MPI's may have some.
SELECT min(e.communicator) AS first_window
FROM perfhouse.trace_chunk c CROSS JOIN LATERAL perfhouse_internal.chunk_events(c.location_id, c.chunk_no, c.format, c.n_events,
	c.n_enter, c.n_message, c.first_seq, c.t_prev, c.t_first, c.t_last, c.stack, c.dt, c.kind, c.region, c.msg, c.extra) e
WHERE c.run_id = $1::bigint AND e.kind LIKE 'RMA\_%'
	AND EXISTS (SELECT 1 FROM perfhouse.trace_communicator w WHERE w.run_id = $1::bigint AND NOT w.is_mpi);
