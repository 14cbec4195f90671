-- 012-logical-views.sql - the view on logical time. Its columns are an API; it shows runs in state 'ready' only.

CREATE OR REPLACE VIEW perfhouse.logical_event WITH (security_invoker = true) AS
SELECT c.run_id, e.location, e.seq, e.phase, e.step, l.rank, l.thread, g.name AS region, e.kind,
       e.n_messages, e.enter, e.leave, e.peers, e.lateness, e.aggregate_lateness, e.differential_lateness,
       e.aggregate_differential_lateness, e.global_lateness, e.aggregate_global_lateness, e.global_differential_lateness,
       e.aggregate_global_differential_lateness, e.duration, e.aggregate_duration, e.earliest_location,
       e.binding_location, e.binding_seq, e.inferred
FROM perfhouse.logical_chunk c
JOIN perfhouse.run r ON r.run_id = c.run_id AND r.state = 'ready'
CROSS JOIN LATERAL perfhouse_internal.chunk_logical_events(c.location_id, c.chunk_no, c.format, c.n_events, c.n_ends, c.first_seq,
    c.step_first, c.step_last, c.t_first, c.t_last, c.places, c.metrics, c.causes, c.ends,
    coalesce(c.last_location, c.location_id), NULL, NULL, NULL, NULL) e
LEFT JOIN perfhouse.location l ON l.run_id = c.run_id AND l.location_id = e.location AND c.tasks IS NULL
LEFT JOIN perfhouse.trace_region g ON g.run_id = c.run_id AND g.local_id = e.region_id;
COMMENT ON VIEW perfhouse.logical_event IS
    'A row per communication event of a trace whose logical steps are assigned. Large: restrict run_id, and location '
    'or step; only chunks that those leave are decoded. For whole runs use logical_steps(run, ...).';
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
COMMENT ON COLUMN perfhouse.logical_event.inferred IS 'a collective of which no record tells, only its call';

CREATE OR REPLACE FUNCTION perfhouse_internal.logical_locations_of(run bigint, ranks int4[]) RETURNS int4[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(array_agg(coalesce(t.location_id, l.location_id) ORDER BY t.location_id, l.location_id), '{}')
    FROM perfhouse.location l LEFT JOIN perfhouse.logical_timeline t ON t.run_id = l.run_id AND t.first_location = l.location_id
    WHERE l.run_id = $1 AND l.rank = ANY ($2)
      AND (t.location_id IS NOT NULL OR NOT EXISTS (SELECT 1 FROM perfhouse.logical_timeline o WHERE o.run_id = $1))
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
        FROM perfhouse.phases($1) p
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

CREATE OR REPLACE FUNCTION perfhouse.locations_of_ranks(run bigint, ranks int4[]) RETURNS int4[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(array_agg(l.location_id ORDER BY l.location_id), '{}')
    FROM (SELECT run_id, location_id, rank FROM perfhouse.location
        UNION ALL SELECT run_id, location_id, rank FROM perfhouse.trace_stream) l WHERE l.run_id = $1 AND l.rank = ANY ($2)
$$;
COMMENT ON FUNCTION perfhouse.locations_of_ranks(bigint, int4[]) IS
    'The locations of these ranks as functions on traces take them, streams of their devices with them; of tasks the '
    'processors. Null, for all, of null.';

CREATE OR REPLACE FUNCTION perfhouse.task_block_parts(run bigint, locations int4[] DEFAULT NULL)
RETURNS TABLE (location int4, processor int4, serial_block int4, seq int8, kind text, part_from int8, part_to int8, enter int8,
    leave int8, step int4, phase int4, differential_duration int8, idle_experienced int8, imbalance int8)
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 100000 SET search_path = pg_catalog, pg_temp AS $$
    SELECT p.at, p.processor, p.serial_block, p.seq, p.kind, p."end" - p.block_share, p."end", p.enter, p.leave, p.step, p.phase,
        p.differential_duration, p.idle_experienced, p.imbalance
    FROM (SELECT m.*, b.location AS at, CASE WHEN m.kind = 'receive' OR (bool_and(m.kind = 'send') OVER block
                AND row_number() OVER (PARTITION BY m.processor, m.serial_block ORDER BY m.enter DESC, m.seq DESC) = 1)
            THEN b.leave ELSE m.leave END AS "end"
        FROM perfhouse.task_metrics($1) m
        JOIN perfhouse.serial_blocks($1, NULL, NULL, $2) b ON b.processor = m.processor AND b.block = m.serial_block
        WINDOW block AS (PARTITION BY m.processor, m.serial_block)) p
$$;
COMMENT ON FUNCTION perfhouse.task_block_parts(bigint, int4[]) IS
    'The events of a task-based run within serial blocks of these processors'' locations (null: all), each with the part '
    'of its block that task_metrics gives it: from part_from to part_to (ns), as long as its block_share. What no event '
    'ends is the receive''s that started the block, else its last event''s. seq counts within the event''s chare; enter, '
    'leave and the rest are those of task_metrics. Errors: as task_metrics.';

CREATE OR REPLACE FUNCTION perfhouse.timeline_steps(run bigint, metric text DEFAULT NULL, bins int4 DEFAULT 1000,
    t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL, locations int4[] DEFAULT NULL, max_rows int4 DEFAULT 500)
RETURNS TABLE ("row" int4, bin int4, n_bins int4, value float8, rank int4, step int4, phase int4)
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 10000 SET search_path = pg_catalog, pg_temp AS $$
    WITH kind AS MATERIALIZED (
        SELECT CASE WHEN NOT of_tasks THEN $1 END AS of_processes, CASE WHEN of_tasks THEN $1 END AS of_tasks
        FROM (SELECT EXISTS (SELECT 1 FROM perfhouse.task_trace t WHERE t.run_id = $1) AS of_tasks) k
    ), calls AS (
        SELECT c.location, c.rank, c.seq, c.step, c.phase, c.enter, c.leave, c.value
        FROM kind, perfhouse.logical_cells(kind.of_processes, $2, NULL, NULL, $6, NULL, NULL) c
        UNION ALL
        SELECT p.location, p.processor, p.seq, p.step, p.phase, p.part_from, p.part_to, CASE $2
            WHEN 'duration' THEN p.differential_duration WHEN 'idle_experienced' THEN p.idle_experienced
            WHEN 'imbalance' THEN p.imbalance WHEN 'enter' THEN p.enter WHEN 'leave' THEN p.leave ELSE p.phase END::float8
        FROM kind, perfhouse.task_block_parts(kind.of_tasks, $6) p
    ), placed AS (
        SELECT r."row", greatest(0, floor((c.enter - w.first) * $3::float8 / (w.last - w.first)))::int4 AS bin,
            least($3 - 1, floor((c.leave - w.first) * $3::float8 / (w.last - w.first)))::int4 AS last_bin,
            c.location, c.seq, c.value, c.rank, c.step, c.phase
        FROM (SELECT coalesce($4, 0) AS first, coalesce($5, t.duration) AS last FROM perfhouse.trace t WHERE t.run_id = $1) w,
            calls c
        JOIN (SELECT unnest(r.locations) AS location, r."row" FROM perfhouse.timeline_rows($1, $6, $7) r) r USING (location)
        WHERE w.last > w.first AND c.leave >= w.first AND c.enter < w.last
    )
    SELECT DISTINCT ON (p."row", p.bin) p."row", p.bin, max(p.last_bin) OVER (PARTITION BY p."row", p.bin) - p.bin + 1, p.value,
        p.rank, p.step, p.phase
    FROM placed p ORDER BY p."row", p.bin, p.value DESC NULLS FIRST, p.location, p.seq, p.step DESC, p.phase DESC
$$;
COMMENT ON FUNCTION perfhouse.timeline_steps(bigint, text, int4, int8, int8, int4[], int4) IS
    'The communication calls of a timeline by row and bin, with the metric of logical time: rows, bins, window and '
    'locations as in timeline; metric as in logical_cells. Of tasks every event has its part of its serial block '
    '(task_block_parts), and there are duration, idle_experienced, imbalance, enter and leave; any other metric is the '
    'phase. Calls of one row that begin in one bin are one row of the answer, over n_bins bins until the last of them '
    'ends: value, rank (of tasks the processor), step and phase are of the one with the greatest value; an unknown value '
    'is greater than all, among equals the first location and event count. Errors: as timeline and logical_cells.';

CREATE OR REPLACE FUNCTION perfhouse.trace_diff_changes(run_a bigint, run_b bigint, phases_a int4[], steps_a int4[],
    phases_b int4[], steps_b int4[])
RETURNS TABLE (pair int4, location int4, rank int4, name text, step_a int4, step_b int4, change int8)
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 10000 SET search_path = pg_catalog, pg_temp AS $$
    WITH kinds AS MATERIALIZED (
        SELECT CASE WHEN NOT a_has AND NOT b_has THEN $1 END AS a, CASE WHEN NOT a_has AND NOT b_has THEN $2 END AS b,
            CASE WHEN a_has AND b_has THEN $1 END AS tasks_a, CASE WHEN a_has AND b_has THEN $2 END AS tasks_b
        FROM (SELECT EXISTS (SELECT 1 FROM perfhouse.task_trace t WHERE t.run_id = $1) AS a_has,
            EXISTS (SELECT 1 FROM perfhouse.task_trace t WHERE t.run_id = $2) AS b_has) k
    ), pairs AS MATERIALIZED (
        SELECT p.n::int4 AS pair, p.phase_a, p.step_a, p.phase_b, p.step_b
        FROM unnest($3, $4, $5, $6) WITH ORDINALITY p (phase_a, step_a, phase_b, step_b, n)
    )
    SELECT p.pair, a.location, a.rank, NULL::text, p.step_a, p.step_b, b.lateness - a.lateness
    FROM pairs p
    JOIN perfhouse.logical_steps((SELECT k.a FROM kinds k)) a ON a.phase = p.phase_a AND a.step = p.step_a
    JOIN perfhouse.logical_steps((SELECT k.b FROM kinds k)) b ON b.phase = p.phase_b AND b.step = p.step_b
        AND b.rank = a.rank AND b.thread = a.thread
    UNION ALL
    SELECT p.pair, a.location, NULL, a.chare, p.step_a, p.step_b, b.block_share - a.block_share
    FROM pairs p
    JOIN perfhouse.task_metrics((SELECT k.tasks_a FROM kinds k)) a ON a.phase = p.phase_a AND a.step = p.step_a
    JOIN perfhouse.task_metrics((SELECT k.tasks_b FROM kinds k)) b ON b.phase = p.phase_b AND b.step = p.step_b
        AND b.chare = a.chare
$$;
COMMENT ON FUNCTION perfhouse.trace_diff_changes(bigint, bigint, int4[], int4[], int4[], int4[]) IS
    'What changed at pairs of steps that trace_diff aligned (its phases and steps, an element a pair; those with a null '
    'are of one run only and have no rows), event by event: of processes, matched by rank and thread, lateness, of '
    'tasks, matched by the chare''s name, the share of the serial block; run_b''s less run_a''s, ns. pair: which, from 1; '
    'location: run_a''s; rank of processes, name of chares. Of interest where rank_alignment is rank. Nothing of a run of '
    'tasks and one of processes. Errors: as trace_diff.';

-- ------------------------------------------------------------------------------------- phases of many runs
CREATE OR REPLACE FUNCTION perfhouse.phase_classes(run bigint)
RETURNS TABLE (phase int4, phase_class int8, occurrence int4, occurrences int4, pattern text, regions text, n_locations int4,
    t_first int8, t_last int8, max_lateness int8)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
    SELECT p.phase, c.phase_class, CASE WHEN c.phase_class IS NOT NULL THEN row_number() OVER w END::int4,
        CASE WHEN c.phase_class IS NOT NULL THEN count(*) OVER (PARTITION BY c.phase_class) END::int4, p.pattern, p.regions,
        p.n_locations, p.t_first, p.t_last, p.max_lateness
    FROM perfhouse.phases($1) p JOIN perfhouse_internal.stored_phase_classes($1) c USING (phase)
    WINDOW w AS (PARTITION BY c.phase_class ORDER BY p.phase)
    ORDER BY p.phase
$$;
COMMENT ON FUNCTION perfhouse.phase_classes(bigint) IS
    'Which phases of a run are the same, by phase: phase_class is equal in all iterations, runs and numbers of ranks in which '
    'a phase has one exchange pattern and the same roles, which are sequences of calls (by call path) of single locations, in '
    'which what repeats stands once; of tasks, in which its entry methods are the same. occurrence: the how manieth of '
    'its class it is, of so many occurrences. The rest as in '
    'phases. phase_class is null for runs whose steps were assigned before there were classes: '
    'assign_logical_steps gives them some. Errors: those of phases.';
