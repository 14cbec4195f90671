-- 012-logical-views.sql - the view on logical time. Its columns are an API; it shows runs in state 'ready' only.

CREATE OR REPLACE VIEW perfhouse.logical_event AS
SELECT c.run_id, c.location_id AS location, e.seq, e.phase, e.step, l.rank, l.thread, g.name AS region, e.kind,
       e.n_messages, e.enter, e.leave, e.peers, e.lateness, e.aggregate_lateness, e.differential_lateness,
       e.aggregate_differential_lateness, e.global_lateness, e.aggregate_global_lateness, e.global_differential_lateness,
       e.aggregate_global_differential_lateness, e.duration, e.aggregate_duration, e.earliest_location,
       e.binding_location, e.binding_seq
FROM perfhouse.logical_chunk c
JOIN perfhouse.run r ON r.run_id = c.run_id AND r.state = 'ready'
LEFT JOIN perfhouse.location l ON l.run_id = c.run_id AND l.location_id = c.location_id AND c.tasks IS NULL
CROSS JOIN LATERAL perfhouse_internal.chunk_logical_events(c.location_id, c.chunk_no, c.format, c.n_events, c.n_ends, c.first_seq,
    c.step_first, c.step_last, c.t_first, c.t_last, c.places, c.metrics, c.causes, NULL, NULL) e
LEFT JOIN perfhouse.trace_region g ON g.run_id = c.run_id AND g.local_id = e.region_id;
COMMENT ON VIEW perfhouse.logical_event IS
    'A row per communication event of a trace whose logical steps are assigned. Large: restrict run_id, and location, '
    'rank or step; only chunks that those leave are decoded. For whole runs use logical_steps(run, ...).';
COMMENT ON COLUMN perfhouse.logical_event.location IS 'location_id of the execution unit; of tasks location in logical_locations(run)';
COMMENT ON COLUMN perfhouse.logical_event.seq IS 'number of the communication event within its location, from 0';
COMMENT ON COLUMN perfhouse.logical_event.phase IS 'number of its phase in phases(run)';
COMMENT ON COLUMN perfhouse.logical_event.step IS 'logical time: even numbers; step - 1 is the time before the event; of tasks any number';
COMMENT ON COLUMN perfhouse.logical_event.rank IS 'MPI rank; null: none';
COMMENT ON COLUMN perfhouse.logical_event.thread IS 'thread within the rank';
COMMENT ON COLUMN perfhouse.logical_event.region IS 'the function that communicates; null: not recorded';
COMMENT ON COLUMN perfhouse.logical_event.kind IS 'send, receive or collective';
COMMENT ON COLUMN perfhouse.logical_event.n_messages IS 'sent or received by it';
COMMENT ON COLUMN perfhouse.logical_event.enter IS 'ns since the run''s first event';
COMMENT ON COLUMN perfhouse.logical_event.leave IS 'ns since the run''s first event';
COMMENT ON COLUMN perfhouse.logical_event.peers IS 'events of its phase and step, itself counted';
COMMENT ON COLUMN perfhouse.logical_event.lateness IS 'ns that it left after the first of its peers; like its relatives, 0 of tasks';
COMMENT ON COLUMN perfhouse.logical_event.aggregate_lateness IS 'ns that it was entered after the first of its peers';
COMMENT ON COLUMN perfhouse.logical_event.differential_lateness IS
    'ns of lateness that it did not begin with and its messages did not bring';
COMMENT ON COLUMN perfhouse.logical_event.aggregate_differential_lateness IS 'ns of lateness that came up since the event before';
COMMENT ON COLUMN perfhouse.logical_event.global_lateness IS 'lateness among all events of its step, of any phase';
COMMENT ON COLUMN perfhouse.logical_event.duration IS
    'ns that it took longer than the shortest of its peers; of tasks differential duration';
COMMENT ON COLUMN perfhouse.logical_event.aggregate_duration IS 'ns that the time before it was longer than the shortest among its peers';
COMMENT ON COLUMN perfhouse.logical_event.earliest_location IS 'location of the peer that left first';
COMMENT ON COLUMN perfhouse.logical_event.binding_location IS 'location of the event from which its step was computed; null: none';
COMMENT ON COLUMN perfhouse.logical_event.binding_seq IS 'seq of the event from which its step was computed';
