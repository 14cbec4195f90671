-- 011-trace-views.sql - views on event traces. Their columns are an API; they show runs in state 'ready' only.
--
-- A chunk without times has no events, so the decoders' argument holds back runs that are not ready. As a
-- condition of the join the state would be looked up for every event, and no worker would share the work.

CREATE OR REPLACE VIEW perfhouse.event WITH (security_invoker = true) AS
SELECT c.run_id, c.location_id AS location, l.rank, l.thread, e."time", e.kind, g.name AS region,
       e.peer, e.tag, e.bytes, e.communicator, e.seq, e.request, e.operation, e.root, e.bytes_received, e.depth
FROM perfhouse.trace_chunk c
JOIN perfhouse.run r ON r.run_id = c.run_id
LEFT JOIN perfhouse.location l ON l.run_id = c.run_id AND l.location_id = c.location_id
CROSS JOIN LATERAL perfhouse_internal.chunk_events(c.location_id, c.chunk_no, c.format, c.n_events, c.n_enter, c.n_message,
    c.first_seq, c.t_prev, c.t_first, c.t_last, c.stack, CASE WHEN r.state = 'ready' THEN c.dt END, c.kind, c.region, c.msg,
        c.extra, NULL, NULL) e
LEFT JOIN perfhouse.trace_region g ON g.run_id = c.run_id AND g.local_id = e.region_id;
COMMENT ON VIEW perfhouse.event IS
    'A row per event of a trace. Large: restrict run_id, and location, rank or time; only chunks of events that those '
    'leave are decoded. For whole runs and for metrics use events(run, ...).';
COMMENT ON COLUMN perfhouse.event.location IS 'location_id of the execution unit';
COMMENT ON COLUMN perfhouse.event.rank IS 'MPI rank; null: none';
COMMENT ON COLUMN perfhouse.event.thread IS 'thread within the rank';
COMMENT ON COLUMN perfhouse.event."time" IS 'ns since the run''s first event';
COMMENT ON COLUMN perfhouse.event.kind IS 'the record''s name, as otf2-print writes it: ENTER, LEAVE, MPI_SEND, ...';
COMMENT ON COLUMN perfhouse.event.region IS 'of ENTER and LEAVE theirs, else the innermost open one; null: outside of all calls';
COMMENT ON COLUMN perfhouse.event.peer IS 'rank of the other end, in the whole run';
COMMENT ON COLUMN perfhouse.event.bytes IS 'sent, or received by MPI_RECV and MPI_IRECV';
COMMENT ON COLUMN perfhouse.event.communicator IS 'local_id in perfhouse.trace_communicator';
COMMENT ON COLUMN perfhouse.event.seq IS 'number of the event within its location, from 0';
COMMENT ON COLUMN perfhouse.event.request IS 'of non-blocking operations; unique within the location only, and reused';
COMMENT ON COLUMN perfhouse.event.operation IS 'of collectives: barrier, allreduce, ...; of MEASUREMENT: on, off';
COMMENT ON COLUMN perfhouse.event.root IS 'rank of a collective''s root, in the whole run';
COMMENT ON COLUMN perfhouse.event.bytes_received IS 'by collectives';
COMMENT ON COLUMN perfhouse.event.depth IS 'calls around the event, or around the call that it enters or leaves';

CREATE OR REPLACE VIEW perfhouse.event_columns WITH (security_invoker = true) AS
SELECT c.run_id, c.location_id AS location, l.rank, l.thread, c.chunk_no, c.t_first, c.t_last, e.n, e."time", e.kind, e.region, e.peer,
       e.bytes
FROM perfhouse.trace_chunk c
JOIN perfhouse.run r ON r.run_id = c.run_id
LEFT JOIN perfhouse.location l ON l.run_id = c.run_id AND l.location_id = c.location_id
CROSS JOIN LATERAL perfhouse_internal.chunk_event_columns(c.location_id, c.chunk_no, c.format, c.n_events, c.n_enter, c.n_message,
    c.first_seq, c.t_prev, c.t_first, c.t_last, c.stack, CASE WHEN r.state = 'ready' THEN c.dt END, c.kind, c.region, c.msg,
    c.extra) e;
COMMENT ON VIEW perfhouse.event_columns IS
    'The events of traces as columns, for data frames: a row is a chunk of one location, up to 16384 events in their order, and each of '
    'time, kind, region, peer and bytes an array of n little-endian numbers, as they lie in memory. 10 million events are 610 rows '
    '(as rows of perfhouse.event they take a hundred times as long). Restrict run_id, and t_first, t_last, location or rank.';
COMMENT ON COLUMN perfhouse.event_columns.location IS 'location_id of the execution unit';
COMMENT ON COLUMN perfhouse.event_columns.t_first IS 'time of the chunk''s first event';
COMMENT ON COLUMN perfhouse.event_columns.t_last IS 'time of its last event';
COMMENT ON COLUMN perfhouse.event_columns.n IS 'events';
COMMENT ON COLUMN perfhouse.event_columns."time" IS 'int64: ns since the run''s first event';
COMMENT ON COLUMN perfhouse.event_columns.kind IS 'uint8: a code of event_kinds()';
COMMENT ON COLUMN perfhouse.event_columns.region IS 'int32: local_id in perfhouse.trace_region; -1: outside of all calls';
COMMENT ON COLUMN perfhouse.event_columns.peer IS 'int32: rank of the other end, in the whole run; -1: none';
COMMENT ON COLUMN perfhouse.event_columns.bytes IS 'int64: sent, or received by MPI_RECV and MPI_IRECV; -1: none';

CREATE OR REPLACE VIEW perfhouse.message WITH (security_invoker = true) AS
SELECT c.run_id, m.sender, l.rank AS receiver, m.send_time, m.receive_time, m.tag, m.bytes, m.communicator,
       m.sender_location, c.location_id AS receiver_location, m.send_seq, m.receive_seq, g.name AS receive_region
FROM perfhouse.trace_chunk c
JOIN perfhouse.run r ON r.run_id = c.run_id
LEFT JOIN perfhouse.location l ON l.run_id = c.run_id AND l.location_id = c.location_id
LEFT JOIN perfhouse.message_chunk k ON k.run_id = c.run_id AND k.location_id = c.location_id AND k.chunk_no = c.chunk_no
CROSS JOIN LATERAL perfhouse_internal.chunk_messages(c.location_id, c.chunk_no, c.format, c.n_events, c.n_enter, c.n_message,
    c.first_seq, c.t_prev, c.t_first, c.t_last, c.stack, CASE WHEN r.state = 'ready' THEN c.dt END, c.kind, c.region, c.msg, c.extra,
    l.rank, k.links, k.t_send_min, k.t_send_max, NULL, NULL, NULL, NULL) m
LEFT JOIN perfhouse.trace_region g ON g.run_id = c.run_id AND g.local_id = m.receive_region_id
WHERE c.n_message > 0;
COMMENT ON VIEW perfhouse.message IS
    'A row per message that was received. Large: restrict run_id, and receiver, receiver_location, send_time or '
    'receive_time; only chunks that those leave are decoded. Messages that nobody received and the senders'' regions '
    'are in messages(run, ...).';
COMMENT ON COLUMN perfhouse.message.sender IS 'rank that sent it';
COMMENT ON COLUMN perfhouse.message.receiver IS 'rank that received it';
COMMENT ON COLUMN perfhouse.message.send_time IS 'ns since the run''s first event; null: its send was not recorded';
COMMENT ON COLUMN perfhouse.message.receive_time IS 'ns since the run''s first event, when the receive completed';
COMMENT ON COLUMN perfhouse.message.bytes IS 'as received';
COMMENT ON COLUMN perfhouse.message.communicator IS 'local_id in perfhouse.trace_communicator';
COMMENT ON COLUMN perfhouse.message.sender_location IS 'location_id of the sending execution unit; null: its send was not recorded';
COMMENT ON COLUMN perfhouse.message.receiver_location IS 'location_id of the receiving execution unit';
COMMENT ON COLUMN perfhouse.message.send_seq IS 'number of the sending event within its location';
COMMENT ON COLUMN perfhouse.message.receive_seq IS 'number of the receiving event within its location';
COMMENT ON COLUMN perfhouse.message.receive_region IS 'innermost region in which it was received';
