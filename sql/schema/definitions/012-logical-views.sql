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

CREATE OR REPLACE FUNCTION perfhouse_internal.logical_locations_of(run bigint, ranks int4[]) RETURNS int4[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(array_agg(coalesce(t.location_id, l.location_id) ORDER BY t.location_id, l.location_id), '{}')
    FROM perfhouse.location l LEFT JOIN perfhouse.logical_timeline t ON t.run_id = l.run_id AND t.first_location = l.location_id
    WHERE l.run_id = $1 AND l.rank = ANY ($2)
      AND (t.location_id IS NOT NULL OR NOT EXISTS (SELECT FROM perfhouse.logical_timeline o WHERE o.run_id = $1))
$$;
COMMENT ON FUNCTION perfhouse_internal.logical_locations_of(bigint, int4[]) IS
    'The locations of these ranks in logical time: of tasks the chares that were seen first on these processors, and '
    'their run times. Null for null.';

CREATE OR REPLACE FUNCTION perfhouse_internal.reordered_options(run bigint, wanted boolean) RETURNS jsonb
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT l.options || jsonb_build_object(CASE WHEN l.options ? 'reorder' THEN 'reorder' ELSE 'reorder_receives' END, true)
    FROM perfhouse.logical l WHERE l.run_id = $1 AND wanted
$$;
COMMENT ON FUNCTION perfhouse_internal.reordered_options(bigint, boolean) IS
    'The options that assigned the logical steps of a run, and that events of a phase come in order of their causes, '
    'for functions that compute steps anew; null unless wanted.';

CREATE OR REPLACE FUNCTION perfhouse_internal.cluster_rows(run bigint, phase int4, metric text, centre int4, radius int4, members int4[],
    clusters int4[])
RETURNS TABLE ("row" int4, location int4, hops int4, cluster int4, rank int4, name text, n_locations int4, all_around int8,
    most_hops int4)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 30 SET search_path = pg_catalog, pg_temp AS $$
    WITH around AS MATERIALIZED (
        SELECT f.location, f.hops, count(*) OVER () AS n, max(f.hops) OVER () AS most
        FROM perfhouse.focus_processes($1, $2, $5, $4, $3) f
    )
    SELECT (row_number() OVER (ORDER BY p.cluster NULLS FIRST, p.location) - 1)::int4, p.location, p.hops, p.cluster,
        CASE WHEN t.location_id IS NULL THEN l.rank END, t.name, 1, p.n, p.most
    FROM ((SELECT a.location, a.hops, NULL::int4 AS cluster, a.n, a.most FROM around a ORDER BY a.hops, a.location LIMIT 24)
        UNION ALL SELECT min(m.location), NULL, m.cluster, NULL, NULL FROM unnest($6, $7) m (location, cluster)
            GROUP BY m.cluster HAVING count(*) = 1) p
    LEFT JOIN perfhouse.location l ON l.run_id = $1 AND l.location_id = p.location
    LEFT JOIN perfhouse.logical_timeline t ON t.run_id = $1 AND t.location_id = p.location
$$;
COMMENT ON FUNCTION perfhouse_internal.cluster_rows(bigint, int4, text, int4, int4, int4[], int4[]) IS
    'The processes of a phase that a picture of its clusters shows one by one, by row: the 24 nearest of those that '
    'focus_processes finds around the centre (hops; cluster is null), by location; then those that are a cluster of '
    'their own; members and their clusters: all processes of the phase. all_around and most_hops: how many the focus '
    'has, and how far.';

CREATE OR REPLACE FUNCTION perfhouse_internal.cluster_messages(run bigint, phase int4, focus int4[], members int4[], clusters int4[],
    most int8)
RETURNS TABLE (kind text, from_row int4, to_row int4, send_step int4, receive_step int4, bytes int8, "row" int4, step int4, sent int4,
    up int4, from_cluster int4, to_cluster int4)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
    WITH members AS MATERIALIZED (
        SELECT m.location, m.cluster, count(*) OVER (PARTITION BY m.cluster) = 1 AS is_alone, p.first_event, p.last_event
        FROM unnest($4, $5) m (location, cluster) JOIN perfhouse.phase_members($1, $2) p USING (location)
    ), rows AS MATERIALIZED (
        SELECT f.location, (f.n - 1)::int4 AS "row" FROM unnest($3) WITH ORDINALITY f (location, n)
    ), messages AS MATERIALIZED (
        SELECT m.*, s.cluster AS from_cluster, r.cluster AS to_cluster, s.is_alone OR r.is_alone AS is_alone, f."row" AS from_row,
            t."row" AS to_row
        FROM perfhouse.exchange_patterns($1) p
        CROSS JOIN perfhouse.logical_messages($1, p.first_step, p.last_step + 1,
            $3 || ARRAY(SELECT o.location FROM members o WHERE o.is_alone)) m
        JOIN members s ON s.location = m.sender_location AND m.send_seq BETWEEN s.first_event AND s.last_event
        JOIN members r ON r.location = m.receiver_location
        LEFT JOIN rows f ON f.location = m.sender_location LEFT JOIN rows t ON t.location = m.receiver_location
        WHERE p.phase = $2 LIMIT most
    )
    (SELECT 'messages', m.from_row, m.to_row, m.send_step, m.receive_step, m.bytes, NULL::int4, NULL::int4, NULL::int4, NULL::int4,
        NULL::int4, NULL::int4
     FROM messages m WHERE m.from_row IS NOT NULL AND m.to_row IS NOT NULL ORDER BY m.send_step, m.from_row, m.send_seq, m.to_row)
    UNION ALL
    (SELECT 'stubs', NULL, NULL, NULL, NULL, NULL, s."row", s.step, s.sent, s.up, NULL, NULL
     FROM (SELECT DISTINCT coalesce(m.from_row, m.to_row) AS "row",
            CASE WHEN m.to_row IS NULL THEN m.send_step ELSE m.receive_step END AS step, (m.to_row IS NULL)::int4 AS sent,
            ((m.receiver_location < m.sender_location) = (m.to_row IS NULL))::int4 AS up
        FROM messages m WHERE (m.from_row IS NULL) <> (m.to_row IS NULL)) s ORDER BY s."row", s.step, s.sent, s.up)
    UNION ALL
    (SELECT 'links', NULL, NULL, l.send_step, l.receive_step, NULL, NULL, NULL, NULL, NULL, l.from_cluster, l.to_cluster
     FROM (SELECT DISTINCT m.from_cluster, m.to_cluster, m.send_step, m.receive_step FROM messages m WHERE m.is_alone) l
     ORDER BY l.from_cluster, l.to_cluster, l.send_step, l.receive_step)
$$;
COMMENT ON FUNCTION perfhouse_internal.cluster_messages(bigint, int4, int4[], int4[], int4[], int8) IS
    'Messages of a phase as a picture of its clusters draws them; focus: the processes on top, by row of the '
    'picture; members and their clusters: all processes of the phase. kind messages: between processes on top '
    '(from_row, to_row, steps, bytes); stubs: ends of messages of processes on top to others (row, step; sent: 1, '
    'received: 0; up: to a process of a lesser location); links: between clusters (from_cluster, to_cluster, steps), '
    'one of which is a single process. Made from the first `most` messages.';
