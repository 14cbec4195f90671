-- == definitions/010-views.sql
-- 010-views.sql - the views for people. Their columns are an API; they show runs in state 'ready' only.

CREATE OR REPLACE VIEW perfhouse.run_overview AS
SELECT r.run_id, r.application, r.title, r.n_ranks, r.n_threads, r.commit_id, r.branch, r.started_at,
       r.user_name, r.cluster, r.format, r.n_nodes, r.n_columns, r.n_units, r.metrics, r.residual_cells,
       r.missing_columns, r.tags, r.excluded_reason, r.repeat, r.source, r.loaded_at, r.meta, r.fingerprint,
       t.run_id IS NOT NULL AND t.events_dropped_at IS NULL AS has_trace, t.n_events, r.rolled_up_at, t.events_dropped_at
FROM perfhouse.run r
LEFT JOIN perfhouse.trace t ON t.run_id = r.run_id
WHERE r.state = 'ready';
COMMENT ON VIEW perfhouse.run_overview IS
    'Every run that is completely loaded, one row each, with its promoted metadata. Start here.';
COMMENT ON COLUMN perfhouse.run_overview.run_id IS 'number of the run; the argument of profile()';
COMMENT ON COLUMN perfhouse.run_overview.application IS 'application, from the file, the environment or --set';
COMMENT ON COLUMN perfhouse.run_overview.title IS 'what people call the run; the file''s name by default';
COMMENT ON COLUMN perfhouse.run_overview.n_ranks IS 'processes of the run';
COMMENT ON COLUMN perfhouse.run_overview.n_threads IS 'threads per process';
COMMENT ON COLUMN perfhouse.run_overview.commit_id IS 'commit of the code that ran';
COMMENT ON COLUMN perfhouse.run_overview.branch IS 'branch of the code that ran';
COMMENT ON COLUMN perfhouse.run_overview.started_at IS 'when the run began, as the file says';
COMMENT ON COLUMN perfhouse.run_overview.user_name IS 'who ran it';
COMMENT ON COLUMN perfhouse.run_overview.cluster IS 'machine it ran on';
COMMENT ON COLUMN perfhouse.run_overview.format IS 'reader that loaded it';
COMMENT ON COLUMN perfhouse.run_overview.n_nodes IS 'call-tree nodes';
COMMENT ON COLUMN perfhouse.run_overview.n_columns IS 'columns of the stored vectors: execution units x iterations';
COMMENT ON COLUMN perfhouse.run_overview.n_units IS 'execution units: processes or threads';
COMMENT ON COLUMN perfhouse.run_overview.metrics IS 'names of its metrics, the primary one first';
COMMENT ON COLUMN perfhouse.run_overview.residual_cells IS 'cells whose inclusive and exclusive values disagreed in the source';
COMMENT ON COLUMN perfhouse.run_overview.missing_columns IS 'ranks that the run had but the files did not';
COMMENT ON COLUMN perfhouse.run_overview.tags IS 'labels given by people';
COMMENT ON COLUMN perfhouse.run_overview.excluded_reason IS 'why people left the run out of comparisons; null: not excluded';
COMMENT ON COLUMN perfhouse.run_overview.repeat IS '0, or k for the k-th load of the same content with --if-exists append';
COMMENT ON COLUMN perfhouse.run_overview.source IS 'path as given to load';
COMMENT ON COLUMN perfhouse.run_overview.loaded_at IS 'when it was loaded';
COMMENT ON COLUMN perfhouse.run_overview.meta IS 'all metadata';
COMMENT ON COLUMN perfhouse.run_overview.fingerprint IS 'SHA-256 over names and contents of its files';
COMMENT ON COLUMN perfhouse.run_overview.has_trace IS 'an event trace is stored with it: events(), messages(), ... answer';
COMMENT ON COLUMN perfhouse.run_overview.n_events IS 'events of its trace; null: it has none';
COMMENT ON COLUMN perfhouse.run_overview.rolled_up_at IS 'when its values per unit were rolled up to distributions; null: they are there';
COMMENT ON COLUMN perfhouse.run_overview.events_dropped_at IS 'when the events of its trace were dropped; null: they are there, or it has none';

CREATE OR REPLACE VIEW perfhouse.profile_row AS
SELECT s.run_id, s.callpath_id, m.name AS metric, m.unit, g.name, c.depth,
       CASE g.kind WHEN 0 THEN 'function' WHEN 1 THEN 'region' WHEN 2 THEN 'loop' WHEN 3 THEN 'statement' ELSE 'root' END AS kind,
       coalesce(rr.module, g.library) AS module, g.file, coalesce(g.line, rr.line) AS line, c.parent_id, s.n,
       s.inclusive_sum / r.n_units AS inclusive, s.exclusive_sum / r.n_units AS exclusive,
       s.inclusive_sum, s.exclusive_sum, s.inclusive_min, s.inclusive_max, s.exclusive_min, s.exclusive_max,
       sqrt(greatest(s.inclusive_sumsq - s.inclusive_sum * s.inclusive_sum / r.n_units, 0) / nullif(r.n_units - 1, 0)) AS inclusive_sd,
       sqrt(greatest(s.exclusive_sumsq - s.exclusive_sum * s.exclusive_sum / r.n_units, 0) / nullif(r.n_units - 1, 0)) AS exclusive_sd,
       s.inclusive_max / nullif(s.inclusive_sum / r.n_units, 0) AS imbalance_ratio,
       s.inclusive_max / nullif(s.inclusive_sum / r.n_units, 0) - 1 AS imbalance_excess,
       s.inclusive_max - CASE WHEN s.n < r.n_units THEN least(s.inclusive_min, 0) ELSE s.inclusive_min END AS imbalance_range,
       s.inclusive_argmin, s.inclusive_argmax, s.exclusive_argmin, s.exclusive_argmax
FROM perfhouse.profile_summary s
JOIN perfhouse.run r ON r.run_id = s.run_id AND r.state = 'ready'
JOIN perfhouse.metric m USING (metric_id)
JOIN perfhouse.callpath c USING (callpath_id)
JOIN perfhouse.region g USING (region_id)
LEFT JOIN perfhouse.run_region rr ON rr.run_id = s.run_id AND rr.region_id = c.region_id;
COMMENT ON VIEW perfhouse.profile_row IS
    'A row per run, call path and metric with names and statistics over the run''s execution units. Always restrict run_id, or callpath_id and metric.';
COMMENT ON COLUMN perfhouse.profile_row.n IS 'execution units that have the call path';
COMMENT ON COLUMN perfhouse.profile_row.inclusive IS 'mean over all units of the inclusive value, absent = 0, in unit';
COMMENT ON COLUMN perfhouse.profile_row.exclusive IS 'mean over all units of the exclusive value, absent = 0, in unit';
COMMENT ON COLUMN perfhouse.profile_row.inclusive_sd IS 'standard deviation (n - 1) over all units, absent = 0; null for one unit';
COMMENT ON COLUMN perfhouse.profile_row.exclusive_sd IS 'standard deviation (n - 1) over all units, absent = 0; null for one unit';
COMMENT ON COLUMN perfhouse.profile_row.imbalance_ratio IS 'max / mean of the inclusive value';
COMMENT ON COLUMN perfhouse.profile_row.imbalance_excess IS '(max - mean) / mean of the inclusive value';
COMMENT ON COLUMN perfhouse.profile_row.imbalance_range IS 'max - min of the inclusive value, absent = 0';
COMMENT ON COLUMN perfhouse.profile_row.inclusive_argmax IS 'location_id of a unit with the largest inclusive value';
COMMENT ON COLUMN perfhouse.profile_row.exclusive_argmax IS 'location_id of a unit with the largest exclusive value';
COMMENT ON COLUMN perfhouse.profile_row.module IS 'module given by a map, else the load module';

CREATE OR REPLACE VIEW perfhouse.measurement AS
SELECT v.run_id, v.callpath_id, m.name AS metric, m.unit, g.name,
       l.location_id, l.rank, l.thread, l.host, l.iteration, x.inclusive, x.exclusive
FROM perfhouse.profile_values v
JOIN perfhouse.run r ON r.run_id = v.run_id AND r.state = 'ready'
JOIN perfhouse.metric m USING (metric_id)
JOIN perfhouse.callpath c USING (callpath_id)
JOIN perfhouse.region g USING (region_id)
CROSS JOIN LATERAL unnest(v.inclusive, v.exclusive) WITH ORDINALITY AS x (inclusive, exclusive, position)
JOIN perfhouse.location l ON l.run_id = v.run_id AND l.location_id = v.block * 4096 + x.position - 1
WHERE x.inclusive IS NOT NULL;
COMMENT ON VIEW perfhouse.measurement IS
    'A row per run, call path, metric and location (rank, thread, iteration) that has the call path. Large: restrict run_id, and callpath_id or name.';
COMMENT ON COLUMN perfhouse.measurement.inclusive IS 'inclusive value of this location, in unit';
COMMENT ON COLUMN perfhouse.measurement.exclusive IS 'exclusive value of this location, in unit';
COMMENT ON COLUMN perfhouse.measurement.iteration IS 'loop iteration or time step; null: the run has no such axis';
-- == definitions/011-trace-views.sql
-- 011-trace-views.sql - views on event traces. Their columns are an API; they show runs in state 'ready' only.
--
-- A chunk without times has no events, so the decoders' argument holds back runs that are not ready. As a
-- condition of the join the state would be looked up for every event, and no worker would share the work.

CREATE OR REPLACE VIEW perfhouse.event AS
SELECT c.run_id, c.location_id AS location, l.rank, l.thread, e."time", e.kind, g.name AS region,
       e.peer, e.tag, e.bytes, e.communicator, e.seq, e.request, e.operation, e.root, e.bytes_received, e.depth
FROM perfhouse.trace_chunk c
JOIN perfhouse.run r ON r.run_id = c.run_id
LEFT JOIN perfhouse.location l ON l.run_id = c.run_id AND l.location_id = c.location_id
CROSS JOIN LATERAL perfhouse.chunk_events(c.location_id, c.chunk_no, c.format, c.n_events, c.n_enter, c.n_message,
    c.first_seq, c.t_prev, c.t_first, c.t_last, c.stack, CASE WHEN r.state = 'ready' THEN c.dt END, c.kind, c.region, c.msg, c.extra, NULL, NULL) e
LEFT JOIN perfhouse.trace_region g ON g.run_id = c.run_id AND g.local_id = e.region_id;
COMMENT ON VIEW perfhouse.event IS
    'A row per event of a trace. Large: restrict run_id, and location, rank or time; only chunks of events that those leave are decoded. For whole runs and for metrics use events(run, ...).';
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

CREATE OR REPLACE VIEW perfhouse.message AS
SELECT c.run_id, m.sender, l.rank AS receiver, m.send_time, m.receive_time, m.tag, m.bytes, m.communicator,
       m.sender_location, c.location_id AS receiver_location, m.send_seq, m.receive_seq, g.name AS receive_region
FROM perfhouse.trace_chunk c
JOIN perfhouse.run r ON r.run_id = c.run_id
LEFT JOIN perfhouse.location l ON l.run_id = c.run_id AND l.location_id = c.location_id
LEFT JOIN perfhouse.message_chunk k ON k.run_id = c.run_id AND k.location_id = c.location_id AND k.chunk_no = c.chunk_no
CROSS JOIN LATERAL perfhouse.chunk_messages(c.location_id, c.chunk_no, c.format, c.n_events, c.n_enter, c.n_message,
    c.first_seq, c.t_prev, c.t_first, c.t_last, c.stack, CASE WHEN r.state = 'ready' THEN c.dt END, c.kind, c.region, c.msg, c.extra,
    l.rank, k.links, k.t_send_min, k.t_send_max, NULL, NULL, NULL, NULL) m
LEFT JOIN perfhouse.trace_region g ON g.run_id = c.run_id AND g.local_id = m.receive_region_id
WHERE c.n_message > 0;
COMMENT ON VIEW perfhouse.message IS
    'A row per message that was received. Large: restrict run_id, and receiver, receiver_location, send_time or receive_time; only chunks that those leave are decoded. Messages that nobody received and the senders'' regions are in messages(run, ...).';
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
-- == definitions/012-logical-views.sql
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
CROSS JOIN LATERAL perfhouse.chunk_logical_events(c.location_id, c.chunk_no, c.format, c.n_events, c.n_ends, c.first_seq,
    c.step_first, c.step_last, c.t_first, c.t_last, c.places, c.metrics, c.causes, NULL, NULL) e
LEFT JOIN perfhouse.trace_region g ON g.run_id = c.run_id AND g.local_id = e.region_id;
COMMENT ON VIEW perfhouse.logical_event IS
    'A row per communication event of a trace whose logical steps are assigned. Large: restrict run_id, and location, rank or step; only chunks that those leave are decoded. For whole runs use logical_steps(run, ...).';
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
COMMENT ON COLUMN perfhouse.logical_event.differential_lateness IS 'ns of lateness that it did not begin with and its messages did not bring';
COMMENT ON COLUMN perfhouse.logical_event.aggregate_differential_lateness IS 'ns of lateness that came up since the event before';
COMMENT ON COLUMN perfhouse.logical_event.global_lateness IS 'lateness among all events of its step, of any phase';
COMMENT ON COLUMN perfhouse.logical_event.duration IS 'ns that it took longer than the shortest of its peers; of tasks differential duration';
COMMENT ON COLUMN perfhouse.logical_event.aggregate_duration IS 'ns that the time before it was longer than the shortest among its peers';
COMMENT ON COLUMN perfhouse.logical_event.earliest_location IS 'location of the peer that left first';
COMMENT ON COLUMN perfhouse.logical_event.binding_location IS 'location of the event from which its step was computed; null: none';
COMMENT ON COLUMN perfhouse.logical_event.binding_seq IS 'seq of the event from which its step was computed';
-- == definitions/013-costs.sql
-- 013-costs.sql - what runs and functions cost, in seconds and hours, over all applications.

CREATE OR REPLACE FUNCTION perfhouse.seconds_of(unit text) RETURNS float8
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE lower(unit) WHEN 's' THEN 1 WHEN 'sec' THEN 1 WHEN 'seconds' THEN 1 WHEN 'ms' THEN 1e-3 WHEN 'us' THEN 1e-6
                            WHEN 'usec' THEN 1e-6 WHEN 'ns' THEN 1e-9 END
$$;
COMMENT ON FUNCTION perfhouse.seconds_of(text) IS 'Seconds that one of a unit of time is; null for other units.';

CREATE OR REPLACE FUNCTION perfhouse.nodes_of(run bigint) RETURNS int
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce((SELECT r.n_hosts FROM perfhouse.run r WHERE r.run_id = run), 1)
$$;
COMMENT ON FUNCTION perfhouse.nodes_of(bigint) IS 'Hosts of a run; 1 when its file does not say.';

-- OFFSET 0: the seconds of a unit are looked up once a metric, not once a row.
CREATE OR REPLACE VIEW perfhouse.run_cost AS
SELECT r.run_id, r.application, r.title, r.commit_id, r.branch, r.cluster, r.user_name, r.n_ranks, r.n_threads, r.n_units, r.n_hosts,
       r.started_at, r.loaded_at, r.tags, r.excluded_reason, r.metrics[1] AS metric, r.total, m.unit,
       r.total * m.seconds AS seconds, r.total * m.seconds * coalesce(r.n_hosts, 1) / 3600 AS node_hours,
       r.total * m.seconds * greatest(r.n_units, r.n_ranks) / 3600 AS unit_hours, coalesce(r.started_at, r.loaded_at) AS measured_at
FROM perfhouse.run r
LEFT JOIN (SELECT metric_id, unit, perfhouse.seconds_of(unit) AS seconds FROM perfhouse.metric OFFSET 0) m ON m.metric_id = r.metric_ids[1]
WHERE r.state = 'ready';
COMMENT ON VIEW perfhouse.run_cost IS
    'What every run cost as a whole: its primary metric, mean over execution units (total, in unit; as seconds when it is a time), and the node-hours (one node when the file names no hosts) and hours of processes or threads (unit_hours) that it took.';

CREATE OR REPLACE VIEW perfhouse.function_cost AS
SELECT s.run_id, r.application, r.n_ranks, coalesce(r.started_at, r.loaded_at) AS measured_at, s.region_id, g.name, g.library, g.file,
       s.exclusive, s.inclusive, m.unit, s.exclusive * m.seconds * greatest(r.n_units, r.n_ranks) / 3600 AS unit_hours
FROM perfhouse.region_summary s
JOIN perfhouse.run r ON r.run_id = s.run_id AND r.state = 'ready' AND s.metric_id = r.metric_ids[1]
JOIN (SELECT metric_id, unit, perfhouse.seconds_of(unit) AS seconds FROM perfhouse.metric OFFSET 0) m ON m.metric_id = s.metric_id
LEFT JOIN perfhouse.region g ON g.region_id = s.region_id; -- always there; a query that asks for no name need not look
COMMENT ON VIEW perfhouse.function_cost IS
    'A row per run and function: its exclusive and inclusive cost, mean over execution units, in unit, and the hours of processes or threads that it took itself. For sums over many runs; restrict application or measured_at.';
-- == definitions/014-aliases.sql
-- 014-aliases.sql - aliases of regions: kept, applied to profiles and to histories; groups of runs by metadata.

CREATE OR REPLACE FUNCTION perfhouse.aliases_of(application text DEFAULT NULL) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('name', a.name, 'library', a.library, 'file', a.file, 'is_pattern', a.is_pattern,
               'to_name', a.to_name, 'to_library', a.to_library, 'to_file', a.to_file)) ORDER BY a.alias_id), '[]')
    FROM perfhouse.region_alias a WHERE a.application IS NULL OR a.application = $1
$$;
COMMENT ON FUNCTION perfhouse.aliases_of(text) IS
    'The aliases of an application and those of all applications, as rename_regions takes them, the oldest first.';

CREATE OR REPLACE FUNCTION perfhouse.add_alias(name text, to_name text, application text DEFAULT NULL, library text DEFAULT NULL,
    file text DEFAULT NULL, to_library text DEFAULT NULL, to_file text DEFAULT NULL, is_pattern boolean DEFAULT false, reason text DEFAULT NULL)
RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    id bigint;
BEGIN
    IF coalesce($1, $4, $5) IS NULL OR coalesce($2, $6, $7) IS NULL OR $2 = '' OR $8 IS NULL THEN
        RAISE EXCEPTION 'an alias needs what it is about and what that counts as' USING ERRCODE = '22023',
            HINT = 'Give name, library or file, and to_name, to_library or to_file.';
    END IF;
    INSERT INTO perfhouse.region_alias AS a (application, name, library, file, is_pattern, to_name, to_library, to_file, reason)
    VALUES ($3, $1, $4, $5, $8, $2, $6, $7, $9)
    ON CONFLICT ON CONSTRAINT region_alias_once
    DO UPDATE SET reason = coalesce(excluded.reason, a.reason) RETURNING a.alias_id INTO id;
    -- wrong patterns and circles show when the rules are applied to their own targets
    PERFORM perfhouse.alias_target(perfhouse.aliases_of(o.application), 0::int2, coalesce(r.to_name, r.name, ''), coalesce(r.to_library, r.library),
                coalesce(r.to_file, r.file), NULL)
    FROM (SELECT DISTINCT x.application FROM perfhouse.region_alias x) o, perfhouse.region_alias r
    WHERE NOT r.is_pattern AND (r.application IS NULL OR r.application = o.application)
       OR r.alias_id = id;
    RETURN id;
END $$;
COMMENT ON FUNCTION perfhouse.add_alias(text, text, text, text, text, text, text, boolean, text) IS
    'From now on regions with this name (library, file; is_pattern: regular expressions) count as to_name (to_library, to_file) in the histories of an application (null: all), and in profiles that went through apply_aliases. Says the alias''s id; who, when and why are kept in perfhouse.region_alias. From candidates: SELECT add_alias(name, candidate_name, ''lulesh'', reason => array_to_string(reasons, '', '')) FROM match_candidates(a, b, most => 1) WHERE is_top AND name <> candidate_name AND score > 0.8. Errors: 22023 without condition or target, for a wrong pattern or a circle.';

CREATE OR REPLACE FUNCTION perfhouse.remove_alias(id bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM perfhouse.region_alias a WHERE a.alias_id = id;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no alias %', id USING ERRCODE = 'PH002', HINT = 'perfhouse.region_alias lists them.';
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse.remove_alias(bigint) IS 'Forget an alias: its regions are their own again. Errors: PH002 for an unknown one.';
REVOKE ALL ON FUNCTION perfhouse.add_alias(text, text, text, text, text, text, text, boolean, text), perfhouse.remove_alias(bigint) FROM PUBLIC;

CREATE OR REPLACE FUNCTION perfhouse.apply_aliases(p perfhouse.profile, application text DEFAULT NULL) RETURNS perfhouse.profile
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 SET search_path = pg_catalog, pg_temp AS $$
    SELECT perfhouse.rename_regions($1, perfhouse.aliases_of(coalesce($2, (
        SELECT min(r.application) FROM perfhouse.run r WHERE r.run_id IN (SELECT c.run_id FROM perfhouse.columns($1) c)))))
$$;
COMMENT ON FUNCTION perfhouse.apply_aliases(perfhouse.profile, text) IS
    'A profile under the names of the warehouse''s aliases for an application (null: that of the profile''s runs), to be compared: diff(apply_aliases(profile(1)), apply_aliases(profile(2))), ensemble(apply_aliases(profile(run_id)), title). Provenance and caption name what was renamed. See rename_regions.';

-- ------------------------------------------------------------------------------------------ histories
-- A region counts as another only when a rule is about it directly; rules that name their regions need no scan.
CREATE OR REPLACE FUNCTION perfhouse.aliased_regions(application text)
RETURNS TABLE (region_id bigint, name text, target_id bigint, to_name text, to_library text)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    rules jsonb := perfhouse.aliases_of($1);
    names text[];
BEGIN
    IF rules = '[]' THEN
        RETURN;
    END IF;
    IF NOT EXISTS (SELECT FROM jsonb_array_elements(rules) r WHERE r ->> 'name' IS NULL OR (r ->> 'is_pattern')::boolean) THEN
        names := ARRAY(SELECT r ->> 'name' FROM jsonb_array_elements(rules) r);
        RETURN QUERY SELECT g.region_id, g.name, t.region_id, t.to_name, t.to_library
            FROM perfhouse.region g, perfhouse.alias_target(rules, g.kind, g.name, g.library, g.file, g.line) t
            WHERE g.name = ANY (names) AND (t.to_name, t.to_library, t.to_file) IS DISTINCT FROM (g.name, g.library, g.file);
    ELSE
        RETURN QUERY SELECT g.region_id, g.name, t.region_id, t.to_name, t.to_library
            FROM perfhouse.region g, perfhouse.alias_target(rules, g.kind, g.name, g.library, g.file, g.line) t
            WHERE (t.to_name, t.to_library, t.to_file) IS DISTINCT FROM (g.name, g.library, g.file);
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse.aliased_regions(text) IS
    'The stored regions that count as others in an application''s histories, and as what. Empty without aliases.';

-- A path's key is the stored path that it counts as, or, when no run has that one, the least of those that count as it.
CREATE OR REPLACE FUNCTION perfhouse.aliased_callpaths(application text)
RETURNS TABLE (callpath_id bigint, key bigint, parent_key bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
    WITH RECURSIVE renamed AS MATERIALIZED (SELECT * FROM perfhouse.aliased_regions($1)),
    below (callpath_id, parent_id, region_id) AS (
        SELECT c.callpath_id, c.parent_id, c.region_id FROM renamed r JOIN perfhouse.callpath c USING (region_id)
        UNION SELECT c.callpath_id, c.parent_id, c.region_id FROM below b JOIN perfhouse.callpath c ON c.parent_id = b.callpath_id),
    targets (callpath_id, target_id, parent_target) AS (
        SELECT b.callpath_id, perfhouse.callpath_hash(b.parent_id, coalesce(r.target_id, b.region_id)), b.parent_id
        FROM below b LEFT JOIN renamed r USING (region_id) WHERE NOT EXISTS (SELECT FROM below a WHERE a.callpath_id = b.parent_id)
        UNION ALL
        SELECT b.callpath_id, perfhouse.callpath_hash(t.target_id, coalesce(r.target_id, b.region_id)), t.target_id
        FROM targets t JOIN below b ON b.parent_id = t.callpath_id LEFT JOIN renamed r ON r.region_id = b.region_id),
    keys AS (
        SELECT t.target_id, coalesce(min(c.callpath_id), min(t.callpath_id)) AS key
        FROM targets t LEFT JOIN perfhouse.callpath c ON c.callpath_id = t.target_id GROUP BY 1)
    SELECT t.callpath_id, k.key, coalesce(p.key, t.parent_target)
    FROM targets t JOIN keys k USING (target_id) LEFT JOIN keys p ON p.target_id = t.parent_target
$$;
COMMENT ON FUNCTION perfhouse.aliased_callpaths(text) IS
    'The stored call paths at or below regions that count as others in an application''s histories: the call path that stands for each and for its caller. Empty without aliases.';

-- ---------------------------------------------------------------------------------------- groups of runs
CREATE OR REPLACE FUNCTION perfhouse.run_value(run bigint, key text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN $2 LIKE 'meta.%' THEN r.meta ->> substr($2, 6)
                ELSE coalesce(to_jsonb(r) ->> $2, r.meta ->> $2) END
    FROM perfhouse.run_overview r WHERE r.run_id = $1
$$;
COMMENT ON FUNCTION perfhouse.run_value(bigint, text) IS
    'One piece of a run''s metadata: a column of run_overview or, when there is none of that name, a key of its metadata (meta.key: always that). For groups: SELECT ensemble(p, g ORDER BY g) FROM (SELECT run_value(run_id, ''compiler'') AS g, mean(profile(run_id)) AS p FROM run_overview GROUP BY 1) q. Null: the run has no such key.';

CREATE OR REPLACE FUNCTION perfhouse.roll_up_runs(p perfhouse.profile, key text, combine text DEFAULT 'mean') RETURNS perfhouse.profile
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 SET search_path = pg_catalog, pg_temp AS $$
    SELECT perfhouse.roll_up($1, (
        SELECT array_agg(coalesce(perfhouse.run_value(c.run_id, $2), '(none)') ORDER BY c.location) FROM perfhouse.columns($1) c), $3)
$$;
COMMENT ON FUNCTION perfhouse.roll_up_runs(perfhouse.profile, text, text) IS
    'An ensemble with a column per group of runs that have the same value of a metadata key (see run_value; "(none)": without it), in the order of their first runs: their mean (absent = 0) or sum. To compare compilers, machines, decompositions: nodes, supernodes_by_column, against_ensemble, node_statistics of the result. Errors: as roll_up.';
-- == definitions/015-rows-by-run.sql
-- 015-rows-by-run.sql - the one place that knows which tables hold rows of a run, and removes them.

-- A table by run is one whose primary key starts with run_id: a new table needs no line anywhere to be
-- cleared with its run, checked by doctor and granted to loaders.
CREATE OR REPLACE FUNCTION perfhouse.tables_by_run() RETURNS SETOF regclass
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT c.oid::regclass
    FROM pg_class c
    JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
    WHERE c.relnamespace = 'perfhouse'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND a.attname = 'run_id' AND c.oid <> 'perfhouse.run'::regclass
    ORDER BY c.relname
$$;
COMMENT ON FUNCTION perfhouse.tables_by_run() IS
    'The tables whose rows belong to a run and go with it: those of schema perfhouse, run itself apart, whose primary key starts with run_id.';

-- Callers hold a lock on the run's row; a ready run is somebody's.
CREATE OR REPLACE FUNCTION perfhouse.clear_run(run bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    by_run regclass;
BEGIN
    IF EXISTS (SELECT FROM perfhouse.run r WHERE r.run_id = run AND r.state = 'ready') THEN
        RAISE EXCEPTION 'run % is ready: it cannot be emptied', run USING ERRCODE = '55006',
            HINT = format('To remove it with its row: drop_run(%s).', run);
    END IF;
    FOR by_run IN SELECT perfhouse.tables_by_run() LOOP
        EXECUTE format('DELETE FROM %s WHERE run_id = $1', by_run) USING run;
    END LOOP;
END $$;
COMMENT ON FUNCTION perfhouse.clear_run(bigint) IS
    'Removes everything that is stored for a run but its row in perfhouse.run, which must not be in state ready: 55006 then. To remove a run use drop_run.';
REVOKE ALL ON FUNCTION perfhouse.clear_run(bigint) FROM PUBLIC;

-- Goes from one run to the next in each primary key instead of reading the tables. Whoever does not see
-- every run (row-level security) would take the runs of others for missing ones: he gets no rows.
CREATE OR REPLACE FUNCTION perfhouse.rows_without_run(remove boolean DEFAULT false)
RETURNS TABLE (run_id bigint, relation regclass)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF row_security_active('perfhouse.run') THEN
        RETURN;
    END IF;
    FOR relation IN SELECT perfhouse.tables_by_run() LOOP
        FOR run_id IN EXECUTE format(
            'WITH RECURSIVE stored (run_id) AS (SELECT min(run_id) FROM %1$s UNION ALL'
            ' SELECT (SELECT min(t.run_id) FROM %1$s t WHERE t.run_id > s.run_id) FROM stored s WHERE s.run_id IS NOT NULL)'
            ' SELECT s.run_id FROM stored s WHERE s.run_id IS NOT NULL'
            ' AND NOT EXISTS (SELECT FROM perfhouse.run r WHERE r.run_id = s.run_id) ORDER BY 1', relation) LOOP
            IF remove THEN
                EXECUTE format('DELETE FROM %s t WHERE t.run_id = $1'
                    ' AND NOT EXISTS (SELECT FROM perfhouse.run r WHERE r.run_id = $1)', relation) USING run_id;
            END IF;
            RETURN NEXT;
        END LOOP;
    END LOOP;
END $$;
COMMENT ON FUNCTION perfhouse.rows_without_run(boolean) IS
    'Runs that are gone but have rows in a table by run, a row each: what DELETE FROM perfhouse.run leaves behind, where drop_run would not. With true they are removed.';
REVOKE ALL ON FUNCTION perfhouse.rows_without_run(boolean) FROM PUBLIC;
-- == definitions/016-history.sql
-- 016-history.sql - runs along the commit graph: order, merge bases, ranges, baselines.

-- Runs of commits that are not in perfhouse.commit come after those that are, by time.
CREATE OR REPLACE VIEW perfhouse.run_history AS
SELECT r.run_id, r.application, r.title, r.n_ranks, r.n_threads, r.cluster, r.branch,
       coalesce(c.commit_id, b.commit_id, r.commit_id) AS commit_id, coalesce(c."position", b."position") AS "position",
       coalesce(c.first_parent_position, b.first_parent_position) AS first_parent_position, coalesce(c.repository, b.repository) AS repository,
       coalesce(c.parents, b.parents) AS parents, coalesce(c.subject, b.subject) AS subject, coalesce(c.author, b.author) AS author,
       coalesce(c.committed_at, b.committed_at) AS committed_at, coalesce(r.started_at, r.loaded_at) AS measured_at, r.metrics,
       r.metric_ids, r.n_units, r.tags, r.excluded_reason, r.meta
FROM perfhouse.run r
LEFT JOIN perfhouse.commit c ON c.commit_id = r.commit_id
LEFT JOIN LATERAL ( -- the beginning of a hash
    SELECT * FROM perfhouse.commit b
    WHERE c.commit_id IS NULL AND length(r.commit_id) BETWEEN 4 AND 39
      AND b.commit_id OPERATOR(pg_catalog.~>=~) r.commit_id AND b.commit_id OPERATOR(pg_catalog.~<~) (r.commit_id || 'g')
    ORDER BY b.commit_id USING OPERATOR(pg_catalog.~<~) LIMIT 1) b ON true
WHERE r.state = 'ready';
COMMENT ON VIEW perfhouse.run_history IS
    'Every ready run with its commit''s place in the history. Order by position, measured_at, run_id. A run that names the beginning of a hash belongs to the first commit with it.';
COMMENT ON COLUMN perfhouse.run_history."position" IS 'place of the commit, parents before children; null: the commit is unknown (perfhouse commits reads them)';
COMMENT ON COLUMN perfhouse.run_history.first_parent_position IS 'place on the main line; null: on a side branch, or unknown';

-- A name that nothing has is a slip of the pen, not an empty answer.
CREATE OR REPLACE FUNCTION perfhouse.refuse_name(what text, name text, known text[]) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    closest text;
BEGIN
    SELECT string_agg(format('"%s"', c.known_name), ', ' ORDER BY c.likeness DESC, c.known_name) INTO closest
    FROM (SELECT k AS known_name, perfhouse.name_likeness(k, $2) AS likeness FROM unnest($3) k ORDER BY 2 DESC, 1 LIMIT 3) c
    WHERE c.likeness >= 0.5;
    RAISE EXCEPTION 'no % "%" in the warehouse', what, name USING ERRCODE = 'PH002', HINT = CASE
        WHEN closest IS NOT NULL THEN 'Closest: ' || closest || '.'
        WHEN coalesce(cardinality(known), 0) = 0 THEN 'There is none yet.'
        ELSE 'There are: ' || (SELECT string_agg(format('"%s"', k.k), ', ' ORDER BY k.k) FROM (SELECT k FROM unnest(known) k ORDER BY k LIMIT 10) k)
             || CASE WHEN cardinality(known) > 10 THEN ', ...' ELSE '.' END END;
END $$;
COMMENT ON FUNCTION perfhouse.refuse_name(text, text, text[]) IS
    'Fails with PH002 because nothing in the warehouse has this name; the hint tells the closest of those that are known.';

CREATE OR REPLACE FUNCTION perfhouse.require_names(application text, metric text DEFAULT NULL, function text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF application <> '' AND NOT EXISTS (SELECT FROM perfhouse.run r WHERE r.application = $1)
       AND NOT EXISTS (SELECT FROM perfhouse.regression r WHERE r.application = $1) THEN
        PERFORM perfhouse.refuse_name('application', $1, (SELECT array_agg(DISTINCT r.application) FROM perfhouse.run r WHERE r.state = 'ready' AND r.application IS NOT NULL));
    END IF;
    IF metric NOT IN ('', 'time') AND NOT EXISTS (SELECT FROM perfhouse.metric m WHERE m.name = $2) THEN
        PERFORM perfhouse.refuse_name('metric', $2, (SELECT array_agg(DISTINCT m.name) FROM perfhouse.metric m));
    END IF;
    IF function <> '' AND NOT EXISTS (SELECT FROM perfhouse.region g WHERE g.name = $3)
       AND NOT EXISTS (SELECT FROM perfhouse.region_alias a WHERE $3 IN (a.name, a.to_name)) THEN
        PERFORM perfhouse.refuse_name('function', $3, (SELECT array_agg(DISTINCT g.name) FROM perfhouse.region g));
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse.require_names(text, text, text) IS
    'Fails with PH002 and the closest names when the warehouse has no run of this application, no such metric or no such function; null and the empty text are not looked at.';

-- The commit that a person means: a hash, the beginning of one, a branch, a tag, HEAD, or commit~n.
CREATE OR REPLACE FUNCTION perfhouse.find_commit(name text, repository text DEFAULT NULL) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found text[];
    steps int := coalesce(substring(name FROM '~([0-9]{1,9})$')::int, CASE WHEN name ~ '[~^]$' THEN 1 ELSE 0 END);
    base text := regexp_replace(name, '(~[0-9]*|\^)$', '');
    commit text;
BEGIN
    SELECT array_agg(DISTINCT f.commit_id) INTO found FROM perfhouse.commit_ref f
    WHERE (f.name = base OR upper(base) = 'HEAD' AND f.kind = 'head')
      AND (find_commit.repository IS NULL OR f.repository = find_commit.repository)
      AND f.kind = (SELECT k FROM unnest(ARRAY['head', 'branch', 'tag', 'remote']) WITH ORDINALITY o (k, n)
                    WHERE EXISTS (SELECT FROM perfhouse.commit_ref g WHERE g.kind = o.k AND
                        (g.name = base OR upper(base) = 'HEAD' AND g.kind = 'head')) ORDER BY n LIMIT 1);
    IF found IS NULL AND base ~* '^[0-9a-f]{4,64}$' THEN
        SELECT array_agg(c.commit_id) INTO found FROM (
            SELECT c.commit_id FROM perfhouse.commit c
            WHERE c.commit_id ~>=~ lower(base) AND c.commit_id ~<~ (lower(base) || 'g')
              AND (find_commit.repository IS NULL OR c.repository = find_commit.repository) LIMIT 2) c;
    END IF;
    IF cardinality(found) > 1 THEN
        RAISE EXCEPTION '"%" names more than one commit: %', base, array_to_string(found, ' ') USING ERRCODE = 'PH002';
    ELSIF found IS NULL THEN
        RAISE EXCEPTION 'no commit, branch or tag "%"', base USING ERRCODE = 'PH002', HINT = 'perfhouse commits REPOSITORY reads them.';
    END IF;
    commit := found[1];
    FOR i IN 1 .. steps LOOP
        SELECT c.parents[1] INTO commit FROM perfhouse.commit c WHERE c.commit_id = commit;
        EXIT WHEN commit IS NULL;
    END LOOP;
    RETURN commit;
END $$;
COMMENT ON FUNCTION perfhouse.find_commit(text, text) IS
    'The full hash of a commit, the beginning of a hash, a branch, a tag or HEAD; name~n is its n-th first parent, null before the first commit. Errors: PH002 when there is none or more than one.';

CREATE OR REPLACE FUNCTION perfhouse.commit_ancestors(commit_id text) RETURNS SETOF text
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
    WITH RECURSIVE above (commit_id) AS (
        SELECT $1 UNION SELECT p FROM above a JOIN perfhouse.commit c USING (commit_id), unnest(c.parents) p)
    SELECT commit_id FROM above
$$;
COMMENT ON FUNCTION perfhouse.commit_ancestors(text) IS 'A commit (full hash) and everything that it contains.';

CREATE OR REPLACE FUNCTION perfhouse.merge_base(a text, b text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    WITH common AS MATERIALIZED (
        SELECT c FROM perfhouse.commit_ancestors(perfhouse.find_commit(a)) c
        INTERSECT SELECT c FROM perfhouse.commit_ancestors(perfhouse.find_commit(b)) c)
    SELECT k.commit_id FROM common JOIN perfhouse.commit k ON k.commit_id = common.c
    WHERE NOT EXISTS (SELECT FROM common d JOIN perfhouse.commit e ON e.commit_id = d.c WHERE common.c = ANY (e.parents))
    ORDER BY k."position" DESC, k.commit_id LIMIT 1
$$;
COMMENT ON FUNCTION perfhouse.merge_base(text, text) IS
    'The best common ancestor of two commits: one that no other common ancestor contains; of several the latest. Null when they share nothing. Errors: PH002 for an unknown commit.';

CREATE OR REPLACE FUNCTION perfhouse.commits_between(good text, bad text) RETURNS SETOF text
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
    SELECT c.commit_id FROM perfhouse.commit c
    WHERE c.commit_id IN (SELECT perfhouse.commit_ancestors(perfhouse.find_commit(bad))
                          EXCEPT SELECT perfhouse.commit_ancestors(perfhouse.find_commit(good)))
    ORDER BY c."position", c.commit_id
$$;
COMMENT ON FUNCTION perfhouse.commits_between(text, text) IS
    'The commits that bad contains and good does not (git''s good..bad), parents first. Errors: PH002 for an unknown commit.';

CREATE OR REPLACE FUNCTION perfhouse.runs_between(application text, good text, bad text)
RETURNS TABLE (run_id bigint, commit_id text, "position" int, n_ranks int, measured_at timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
    SELECT h.run_id, h.commit_id, h."position", h.n_ranks, h.measured_at FROM perfhouse.run_history h
    WHERE h.application = $1 AND h.excluded_reason IS NULL
      AND h.commit_id IN (SELECT perfhouse.commits_between(good, bad))
    ORDER BY h."position", h.measured_at, h.run_id
$$;
COMMENT ON FUNCTION perfhouse.runs_between(text, text, text) IS
    'An application''s runs of the commits that bad contains and good does not, in order. Excluded runs are left out.';

CREATE OR REPLACE FUNCTION perfhouse.baseline_runs(application text, of_commit text, rule text DEFAULT 'parent', n_ranks int DEFAULT NULL)
RETURNS TABLE (run_id bigint, commit_id text, distance int)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    here text := perfhouse.find_commit($2);
    base text;
    wanted int := 1;
BEGIN
    IF rule = 'parent' OR rule ~ '^previous [1-9][0-9]{0,3}$' THEN
        SELECT c.parents[1] INTO base FROM perfhouse.commit c WHERE c.commit_id = here;
        wanted := coalesce(substring(rule FROM '[0-9]+')::int, 1);
    ELSIF rule LIKE 'merge base %' THEN
        base := perfhouse.merge_base(here, substring(rule FROM 12));
        IF base = here THEN
            SELECT c.parents[1] INTO base FROM perfhouse.commit c WHERE c.commit_id = here;
        END IF;
    ELSIF rule LIKE 'baseline %' THEN
        SELECT perfhouse.find_commit(b.commit_id) INTO base FROM perfhouse.baseline b
        WHERE b.application = $1 AND b.name = substring(rule FROM 10);
        IF base IS NULL THEN
            RAISE EXCEPTION 'application % has no baseline "%"', $1, substring(rule FROM 10) USING ERRCODE = 'PH002';
        END IF;
    ELSE
        RAISE EXCEPTION 'unknown baseline rule "%"', rule USING ERRCODE = '22023',
            HINT = 'The rules are: parent, previous N, merge base BRANCH, baseline NAME.';
    END IF;
    PERFORM perfhouse.require_names($1);
    RETURN QUERY
    WITH RECURSIVE line (commit_id, distance) AS (
        SELECT base, 0 WHERE base IS NOT NULL
        UNION ALL SELECT c.parents[1], l.distance + 1 FROM line l JOIN perfhouse.commit c ON c.commit_id = l.commit_id
        WHERE c.parents[1] IS NOT NULL),
    measured AS (
        SELECT h.run_id, l.commit_id, l.distance, dense_rank() OVER (ORDER BY l.distance) AS nth
        FROM line l JOIN perfhouse.run_history h ON h.commit_id = l.commit_id
        WHERE h.application = $1 AND h.excluded_reason IS NULL AND ($4 IS NULL OR h.n_ranks = $4))
    SELECT m.run_id, m.commit_id, m.distance FROM measured m WHERE m.nth <= wanted ORDER BY m.distance, m.run_id;
END $$;
COMMENT ON FUNCTION perfhouse.baseline_runs(text, text, text, int) IS
    'The runs to compare a commit with: parent (the nearest measured commit on its line of first parents), previous N (the N nearest), merge base BRANCH, baseline NAME (see perfhouse.baseline); where the commit named is not measured, the nearest measured one before it. distance: steps back from the named commit. Errors: PH002 for an unknown application, commit or baseline; 22023 for another rule.';
-- == definitions/017-change-points.sql
-- 017-change-points.sql - series of numbers along the history of an application, and where they change.
--
-- A series never mixes conditions: runs with another number of ranks or threads, cluster or metric are
-- another series. Within one, runs follow the commits (run_history), repeats of a commit are neighbours.

-- The runs that a filter selects; all when it is null.
CREATE OR REPLACE FUNCTION perfhouse.runs_matching(filter text) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    f record;
BEGIN
    IF filter IS NULL THEN
        RETURN QUERY SELECT r.run_id FROM perfhouse.run_overview r;
    ELSE
        f := perfhouse.run_filter_sql(filter);
        RETURN QUERY EXECUTE 'SELECT r.run_id FROM perfhouse.run_overview r WHERE ' || f.predicate USING f.arguments;
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse.runs_matching(text) IS
    'The ready runs for which a run filter holds, for example n_ranks = 64 AND cluster LIKE ''quartz%'' AND NOT tag = ''broken'' AND meta.compiler = ''gcc''; null: all. See run_filter_sql.';

CREATE OR REPLACE FUNCTION perfhouse.history_runs(application text, metric text DEFAULT 'time', filter text DEFAULT NULL)
RETURNS TABLE (run_id bigint, series int, place int, length int, commit_no int, commit_id text, "position" int,
    n_ranks int, n_threads int, cluster text, metric_id int, n_units int, measured_at timestamptz)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH chosen AS MATERIALIZED (
        SELECT h.run_id, h.commit_id, h."position", h.n_ranks, h.n_threads, h.cluster, h.n_units, h.measured_at,
               CASE WHEN h.metrics[1] = $2 THEN h.metric_ids[1]
                    WHEN array_position(h.metrics, $2) IS NOT NULL THEN h.metric_ids[array_position(h.metrics, $2)]
                    WHEN $2 IS NULL OR $2 = 'time' THEN h.metric_ids[1] END AS metric_id
        FROM perfhouse.run_history h
        WHERE h.application = $1 AND h.excluded_reason IS NULL
          AND ($3 IS NULL OR h.run_id IN (SELECT perfhouse.runs_matching($3)))),
    numbered AS (
        SELECT c.*, dense_rank() OVER (ORDER BY c.n_ranks, c.n_threads, c.cluster, c.metric_id) AS series,
               row_number() OVER w - 1 AS place,
               CASE WHEN c.commit_id IS NULL OR c.commit_id IS DISTINCT FROM lag(c.commit_id) OVER w THEN 1 ELSE 0 END AS begins
        FROM chosen c WHERE c.metric_id IS NOT NULL
        WINDOW w AS (PARTITION BY c.n_ranks, c.n_threads, c.cluster, c.metric_id
                     ORDER BY c."position" NULLS LAST, CASE WHEN c."position" IS NULL THEN c.measured_at END, c.commit_id, c.measured_at, c.run_id))
    SELECT n.run_id, n.series::int, n.place::int, l.length,
           (sum(n.begins) OVER (PARTITION BY n.series ORDER BY n.place ROWS UNBOUNDED PRECEDING))::int, n.commit_id, n."position",
           n.n_ranks, n.n_threads, n.cluster, n.metric_id, n.n_units, n.measured_at
    FROM numbered n JOIN (SELECT m.series, count(*)::int AS length FROM numbered m GROUP BY m.series) l USING (series)
    ORDER BY n.series, n.place;
    IF NOT FOUND THEN
        PERFORM perfhouse.require_names($1, $2);
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse.history_runs(text, text, text) IS
    'An application''s runs as series: series numbers the conditions (ranks, threads, cluster, metric), place counts the runs of one from 0 along the history, commit_no its commits. Excluded runs and runs without the metric are left out; time stands for a run''s primary metric when it has none of that name. Errors: PH002 for an application or metric that the warehouse does not know.';

-- Sparse values: a row where there is one.
CREATE OR REPLACE FUNCTION perfhouse.history_cells(runs bigint[], metric_ids int[], by text, cost text, application text DEFAULT NULL)
RETURNS TABLE (run_id bigint, key text, value float8)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    IF by = 'function' THEN
        RETURN QUERY WITH a AS MATERIALIZED (SELECT * FROM perfhouse.aliased_regions(application))
            SELECT s.run_id, coalesce(a.to_name, g.name), sum(CASE cost WHEN 'inclusive' THEN s.inclusive WHEN 'exclusive' THEN s.exclusive
                WHEN 'max' THEN s.max ELSE s.max - s.exclusive END)
            FROM unnest(runs, metric_ids) u (run_id, metric_id) JOIN perfhouse.region_summary s ON s.run_id = u.run_id AND s.metric_id = u.metric_id
            JOIN perfhouse.region g USING (region_id) LEFT JOIN a USING (region_id) GROUP BY 1, 2;
    ELSIF by = 'module' THEN
        RETURN QUERY WITH a AS MATERIALIZED (SELECT * FROM perfhouse.aliased_regions(application))
            SELECT s.run_id, coalesce(q.module, a.to_library, g.library, ''), sum(s.exclusive)
            FROM unnest(runs, metric_ids) u (run_id, metric_id) JOIN perfhouse.region_summary s ON s.run_id = u.run_id AND s.metric_id = u.metric_id
            JOIN perfhouse.region g USING (region_id) LEFT JOIN a USING (region_id)
            LEFT JOIN perfhouse.run_region q ON q.run_id = s.run_id AND q.region_id = s.region_id GROUP BY 1, 2;
    ELSIF by = 'path' THEN
        RETURN QUERY WITH a AS MATERIALIZED (SELECT * FROM perfhouse.aliased_callpaths(application))
            SELECT s.run_id, coalesce(a.key, s.callpath_id)::text, sum(CASE cost WHEN 'exclusive' THEN s.exclusive_sum ELSE s.inclusive_sum END / r.n_units)
            FROM unnest(runs, metric_ids) u (run_id, metric_id) JOIN perfhouse.profile_summary s ON s.run_id = u.run_id AND s.metric_id = u.metric_id
            JOIN perfhouse.run r ON r.run_id = s.run_id LEFT JOIN a USING (callpath_id) GROUP BY 1, 2;
    ELSE
        RETURN QUERY SELECT s.run_id, 'total'::text, sum(s.inclusive_sum) / min(r.n_units)
            FROM unnest(runs, metric_ids) u (run_id, metric_id) JOIN perfhouse.profile_summary s ON s.run_id = u.run_id AND s.metric_id = u.metric_id
            JOIN perfhouse.callpath c USING (callpath_id) JOIN perfhouse.run r ON r.run_id = s.run_id
            WHERE c.parent_id IS NULL GROUP BY 1;
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse.history_cells(bigint[], int[], text, text, text) IS
    'Values of runs (with a metric each) by function, module, path or total under the aliases of an application, a row where there is one. Used by history_series.';

CREATE OR REPLACE FUNCTION perfhouse.call_path_text(callpath_id bigint) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    WITH RECURSIVE up (callpath_id, parent_id, region_id, step) AS (
        SELECT c.callpath_id, c.parent_id, c.region_id, 0 FROM perfhouse.callpath c WHERE c.callpath_id = $1
        UNION ALL SELECT c.callpath_id, c.parent_id, c.region_id, u.step + 1 FROM up u JOIN perfhouse.callpath c ON c.callpath_id = u.parent_id)
    SELECT string_agg(g.name, '/' ORDER BY u.step DESC) FROM up u JOIN perfhouse.region g USING (region_id)
$$;
COMMENT ON FUNCTION perfhouse.call_path_text(bigint) IS 'A stored call path as names from the root, joined by /.';

CREATE OR REPLACE FUNCTION perfhouse.history_series(application text, metric text DEFAULT 'time', by text DEFAULT 'function',
    filter text DEFAULT NULL, cost text DEFAULT NULL)
RETURNS TABLE (series int, key text, "values" float8[], commits int[], runs bigint[])
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    measure text := coalesce(cost, CASE WHEN by IN ('path', 'total') THEN 'inclusive' ELSE 'exclusive' END);
BEGIN
    IF by IS NULL OR by NOT IN ('function', 'module', 'path', 'total') THEN
        RAISE EXCEPTION 'unknown level "%"', by USING ERRCODE = '22023', HINT = 'by is function, module, path or total.';
    ELSIF measure NOT IN ('inclusive', 'exclusive') AND NOT (by = 'function' AND measure IN ('max', 'imbalance'))
       OR by = 'module' AND measure <> 'exclusive' OR by = 'total' AND measure <> 'inclusive' THEN
        RAISE EXCEPTION 'no cost "%" by %', measure, by USING ERRCODE = '22023',
            HINT = 'function: inclusive, exclusive, max or imbalance (max - mean over ranks); path: inclusive or exclusive; module: exclusive; total: inclusive.';
    END IF;
    RETURN QUERY
    WITH chosen AS MATERIALIZED (SELECT * FROM perfhouse.history_runs($1, $2, $4)),
    whole AS MATERIALIZED (
        SELECT c.series, array_agg(c.commit_no ORDER BY c.place) AS commits, array_agg(c.run_id ORDER BY c.place) AS runs
        FROM chosen c GROUP BY c.series),
    listed AS MATERIALIZED (SELECT array_agg(c.run_id) AS runs, array_agg(c.metric_id) AS metric_ids FROM chosen c),
    dense AS (
        SELECT c.series, v.key, perfhouse.dense_series(c.place, v.value, c.length) AS "values"
        FROM listed l, perfhouse.history_cells(l.runs, l.metric_ids, $3, measure, $1) v JOIN chosen c USING (run_id)
        GROUP BY c.series, v.key)
    SELECT d.series, d.key, d."values", w.commits, w.runs FROM dense d JOIN whole w USING (series);
END $$;
COMMENT ON FUNCTION perfhouse.history_series(text, text, text, text, text) IS
    'The values of every function, module, call path (key: its id) or of the whole program along the history, 0 where a run has none, with the number of the commit and the run of each place. by: function, module, path, total. cost: exclusive (default of function and module) or inclusive (default of path and total); of functions also max (over ranks) and imbalance (max - mean). filter: a run filter. Functions and paths are under the names that aliases give them (add_alias); inclusive costs of functions that became one add up. Errors: PH002 for an application or metric that the warehouse does not know; 22023 for another level or cost, or what is not a filter.';

CREATE OR REPLACE FUNCTION perfhouse.change_points(application text, metric text DEFAULT 'time', by text DEFAULT 'function',
    filter text DEFAULT NULL, mode text DEFAULT 'default', max_p_value float8 DEFAULT NULL, max_q_value float8 DEFAULT NULL,
    min_magnitude float8 DEFAULT 0, cost text DEFAULT NULL)
RETURNS TABLE (path text, commit_id text, mean_before float8, mean_after float8, magnitude float8, p_value float8, q_value float8,
    run_id bigint, "position" int, index int, previous_commit_id text, relative float8, sd_before float8, sd_after float8,
    n_before int, n_after int, n_ranks int, n_threads int, cluster text, metric_id int, unit text, callpath_id bigint, series int,
    score float8, autocorrelation float8, also text[])
LANGUAGE sql STABLE PARALLEL SAFE ROWS 20 SET search_path = pg_catalog, pg_temp AS $$
    WITH all_series AS MATERIALIZED (SELECT * FROM perfhouse.history_series($1, $2, $3, $4, $9)),
    points AS MATERIALIZED (
        SELECT s.series, s.key, s.runs, p.*, row_number() OVER (ORDER BY s.series, s.key, p.index) AS number,
               row_number() OVER (PARTITION BY s.series, s.key ORDER BY p.index) AS nth
        FROM all_series s,
             perfhouse.change_point_indexes(s."values", $5, $6, $8, NULL, CASE WHEN $5 = 'default' THEN s.commits END) p),
    rates AS (
        SELECT q.q, q.number FROM (
            SELECT perfhouse.false_discovery_rates(array_agg(p.series_p_value ORDER BY p.number),
                       ((SELECT count(*) FROM all_series) + count(*) FILTER (WHERE p.nth > 1))::int) AS rates FROM points p) r,
            unnest(r.rates) WITH ORDINALITY q (q, number))
    SELECT CASE WHEN $3 = 'path' THEN perfhouse.call_path_text(p.key::bigint) ELSE p.key END, here.commit_id, p.mean_before, p.mean_after,
           p.magnitude, p.p_value, q.q, here.run_id, here."position", p.index, before.commit_id,
           p.mean_after / nullif(p.mean_before, 0) - 1, p.sd_before, p.sd_after, p.n_before, p.n_after, here.n_ranks, here.n_threads,
           here.cluster, here.metric_id, m.unit, CASE WHEN $3 = 'path' THEN p.key::bigint END, p.series, p.score, p.autocorrelation,
           CASE $3 WHEN 'function' THEN (SELECT array_agg(DISTINCT a.name) FROM perfhouse.aliased_regions($1) a WHERE a.to_name = p.key AND a.name <> p.key)
                   WHEN 'path' THEN (SELECT array_agg(perfhouse.call_path_text(a.callpath_id) ORDER BY a.callpath_id) FROM perfhouse.aliased_callpaths($1) a
                                     WHERE a.key = p.key::bigint AND a.callpath_id <> a.key) END
    FROM points p JOIN rates q USING (number)
    JOIN perfhouse.history_runs($1, $2, $4) here ON here.run_id = p.runs[p.index + 1]
    JOIN perfhouse.metric m ON m.metric_id = here.metric_id
    JOIN perfhouse.run_history before ON before.run_id = p.runs[p.index]
    WHERE q.q <= coalesce($7, CASE WHEN $5 = 'otava' THEN 1 ELSE 0.05 END)
    ORDER BY p.series, here."position" NULLS LAST, p.index, q.q, p.key
$$;
COMMENT ON FUNCTION perfhouse.change_points(text, text, text, text, text, float8, float8, float8, text) IS
    'Where an application''s functions (by => module, path, total: those) became slower or faster along its history: a row per change, with the first commit and run of the new level and the last commit of the old one. Runs with other ranks, threads, clusters or units are series of their own; excluded runs are left out. q_value controls the false discovery rate over all series that were looked at (Benjamini and Hochberg); mode default keeps q_value <= 0.05, mode otava everything. mode, max_p_value, min_magnitude, p_value, magnitude: see change_point_indexes. The default mode parts series between commits only. filter: a run filter, see run_filter_sql. cost: see history_series. relative: mean_after / mean_before - 1. also: what else counts as this function or path by aliases (add_alias). Errors: as history_series.';

-- PL/pgSQL keeps the plan; planning would take longer than the query.
CREATE OR REPLACE FUNCTION perfhouse.history(application text, path text, metric text DEFAULT 'time', filter text DEFAULT NULL,
    cost text DEFAULT 'exclusive')
RETURNS TABLE (run_id bigint, series int, place int, commit_id text, "position" int, measured_at timestamptz, value float8, min float8,
    max float8, n_ranks int, n_threads int, cluster text, unit text)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
BEGIN
    PERFORM perfhouse.require_names($1, $3, $2);
    RETURN QUERY
    -- series and places as in history_runs, in one pass: pictures ask for this with every click
    WITH a AS MATERIALIZED (SELECT * FROM perfhouse.aliased_regions($1)),
    wanted AS (SELECT coalesce((SELECT min(a.to_name) FROM a WHERE a.name = $2), $2) AS name),
    regions AS MATERIALIZED (
        SELECT g.region_id FROM wanted w JOIN perfhouse.region g USING (name) WHERE NOT EXISTS (SELECT FROM a WHERE a.region_id = g.region_id AND a.to_name <> w.name)
        UNION SELECT a.region_id FROM wanted w JOIN a ON a.to_name = w.name),
    summed AS (
        SELECT s.run_id, s.metric_id, sum(CASE $5 WHEN 'inclusive' THEN s.inclusive ELSE s.exclusive END) AS value, sum(s.min) AS min, sum(s.max) AS max
        FROM regions JOIN perfhouse.region_summary s USING (region_id) GROUP BY 1, 2),
    chosen AS MATERIALIZED (
        SELECT h.run_id, h.commit_id, h."position", h.n_ranks, h.n_threads, h.cluster, h.measured_at,
               CASE WHEN h.metrics[1] = $3 THEN h.metric_ids[1]
                    WHEN array_position(h.metrics, $3) IS NOT NULL THEN h.metric_ids[array_position(h.metrics, $3)]
                    WHEN $3 IS NULL OR $3 = 'time' THEN h.metric_ids[1] END AS metric_id
        FROM perfhouse.run_history h
        WHERE h.application = $1 AND h.excluded_reason IS NULL
          AND ($4 IS NULL OR h.run_id IN (SELECT perfhouse.runs_matching($4)))),
    -- few: numbering them by themselves keeps long rows out of a second window
    conditions AS MATERIALIZED (
        SELECT d.*, m.unit, (row_number() OVER (ORDER BY d.n_ranks, d.n_threads, d.cluster, d.metric_id))::int AS series
        FROM (SELECT DISTINCT c.n_ranks, c.n_threads, c.cluster, c.metric_id FROM chosen c) d JOIN perfhouse.metric m USING (metric_id))
    SELECT c.run_id, k.series, (row_number() OVER w)::int - 1, c.commit_id, c."position", c.measured_at, coalesce(s.value, 0), s.min, s.max,
           c.n_ranks, c.n_threads, c.cluster, k.unit
    FROM chosen c JOIN conditions k ON k.metric_id = c.metric_id AND coalesce(k.n_ranks, -1) = coalesce(c.n_ranks, -1)
         AND coalesce(k.n_threads, -1) = coalesce(c.n_threads, -1) AND coalesce(k.cluster, '') = coalesce(c.cluster, '')
         AND (k.cluster IS NULL) = (c.cluster IS NULL)
    LEFT JOIN summed s ON s.run_id = c.run_id AND s.metric_id = c.metric_id
    WINDOW w AS (PARTITION BY k.series
                 ORDER BY c."position" NULLS LAST, CASE WHEN c."position" IS NULL THEN c.measured_at END, c.commit_id, c.measured_at, c.run_id)
    ORDER BY k.series, c."position" NULLS LAST, CASE WHEN c."position" IS NULL THEN c.measured_at END, c.commit_id, c.measured_at, c.run_id;
END $$;
COMMENT ON FUNCTION perfhouse.history(text, text, text, text, text) IS
    'One function''s cost in every run of an application, along the history: exclusive (or cost => inclusive), mean over units, 0 where the run has no such function; min and max over units are of the exclusive cost. Functions that count as it by aliases (add_alias) are added. For points and pictures; see change_points for what changed. Errors: PH002 for an application, function or metric that the warehouse does not know.';
-- == definitions/018-regressions.sql
-- 018-regressions.sql - changes for the worse, kept with what people decided; what explains them; what to measure next.

-- Seconds that a value of a time metric stands for; null: not a time.
-- ------------------------------------------------------------------------------------------- finding
-- Change points of call paths for the worse, without those whose change their own callees explain.
CREATE OR REPLACE FUNCTION perfhouse.find_regressions(application text, metric text DEFAULT 'time', max_p_value float8 DEFAULT NULL,
    max_q_value float8 DEFAULT 0.05, min_magnitude float8 DEFAULT 0)
RETURNS TABLE (n_ranks int, n_threads int, cluster text, metric_id int, callpath_id bigint, path text, commit_id text,
    previous_commit_id text, run_id bigint, mean_before float8, mean_after float8, own_change float8, total_change float8,
    p_value float8, q_value float8, n_before int, n_after int, lost_node_hours float8)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
    WITH points AS MATERIALIZED (
        SELECT c.*, h.commit_no,
               -- a weak change is placed less exactly: by some times (deviation / change)^2 runs
               least(ceil(40 * (c.sd_before / (c.mean_after - c.mean_before)) ^ 2), ceil(0.25 * least(c.n_before, c.n_after))) AS blur, (c.mean_after - c.mean_before) * CASE WHEN m.better = 1 THEN -1 ELSE 1 END AS worse
        FROM perfhouse.change_points($1, $2, 'path', NULL, 'default', $3, $4, $5) c
        JOIN perfhouse.history_runs($1, $2) h ON h.run_id = c.run_id AND h.series = c.series
        JOIN perfhouse.metric m ON m.metric_id = c.metric_id),
    slower AS MATERIALIZED (SELECT * FROM points WHERE worse > 0),
    aliased AS MATERIALIZED (SELECT * FROM perfhouse.aliased_callpaths($1)),
    -- every call path's change between the same runs: a path's change is its own and its callees'
    changes AS MATERIALIZED (
        SELECT s.callpath_id, s.series, s.index, k.callpath_id AS part, coalesce(a.parent_key, k.parent_id) AS parent_id, w.change
        FROM slower s JOIN perfhouse.history_series($1, $2, 'path') v ON v.series = s.series
        JOIN perfhouse.callpath k ON k.callpath_id = v.key::bigint LEFT JOIN aliased a ON a.callpath_id = k.callpath_id
        CROSS JOIN LATERAL (
            SELECT avg(x.value) FILTER (WHERE x.place > s.index) - avg(x.value) FILTER (WHERE x.place <= s.index) AS change
            FROM unnest(v."values"[s.index - s.n_before + 1 : s.index + s.n_after]) WITH ORDINALITY y (value, nth),
                 LATERAL (SELECT y.value, y.nth + s.index - s.n_before AS place) x) w
        WHERE coalesce(a.parent_key, k.parent_id) = s.callpath_id OR k.parent_id IS NULL),
    explained AS (
        SELECT s.callpath_id, s.series, s.index,
               coalesce(sum(c.change) FILTER (WHERE c.parent_id = s.callpath_id), 0) AS callees,
               coalesce(sum(c.change) FILTER (WHERE c.parent_id = s.callpath_id AND EXISTS (
                   SELECT FROM slower t WHERE t.callpath_id = c.part AND t.series = s.series AND (abs(t.commit_no - s.commit_no) <= 1 OR abs(t.index - s.index) <= s.blur))), 0) AS found,
               sum(c.change) FILTER (WHERE c.parent_id IS NULL) AS total
        FROM slower s LEFT JOIN changes c USING (callpath_id, series, index) GROUP BY 1, 2, 3)
    SELECT s.n_ranks, s.n_threads, s.cluster, s.metric_id, s.callpath_id, s.path, s.commit_id, s.previous_commit_id, s.run_id,
           s.mean_before, s.mean_after, s.mean_after - s.mean_before - e.callees, e.total, s.p_value, s.q_value, s.n_before, s.n_after,
           s.worse * perfhouse.seconds_of(s.unit) / 3600 * (
               SELECT sum(perfhouse.nodes_of(h.run_id)) FROM perfhouse.history_runs($1, $2) h
               WHERE h.series = s.series AND h.place >= s.index AND h.place < s.index + s.n_after)
    FROM slower s JOIN explained e USING (callpath_id, series, index)
    WHERE abs(e.found) < 0.75 * s.worse
    ORDER BY s.series, s.index, s.worse DESC, s.callpath_id
$$;
COMMENT ON FUNCTION perfhouse.find_regressions(text, text, float8, float8, float8) IS
    'Where an application became slower along its history: the smallest subtrees that explain it. A call path is left out when those of its callees that changed at the same place (a measured commit more or less, or as near as the change can be placed in its noise) make up three quarters of its change. own_change is the path''s change without its callees'', total_change the whole program''s between the same runs. update_regressions() keeps the result.';

CREATE OR REPLACE FUNCTION perfhouse.update_regressions(of_application text DEFAULT NULL)
RETURNS TABLE (regression_id bigint, application text, path text, commit_id text, event text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    app record;
    f record;
    known bigint;
    seen bigint[];
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('perfhouse regressions', 0));
    FOR app IN
        SELECT h.application, count(*) AS runs, md5(string_agg(concat_ws(' ', h.run_id, h."position", h.excluded_reason IS NULL), ',' ORDER BY h.run_id) || perfhouse.aliases_of(h.application)) AS fingerprint
        FROM perfhouse.run_history h WHERE h.application IS NOT NULL AND ($1 IS NULL OR h.application = $1) GROUP BY 1 ORDER BY 1
    LOOP
        CONTINUE WHEN EXISTS (SELECT FROM perfhouse.regression_watch w WHERE w.application = app.application AND w.fingerprint = app.fingerprint);
        seen := '{}';
        FOR f IN SELECT * FROM perfhouse.find_regressions(app.application) LOOP
            -- with more runs the same change may be seen a measured commit earlier or later
            SELECT r.regression_id INTO known FROM perfhouse.regression r
            JOIN perfhouse.history_runs(app.application) old ON old.run_id = r.run_id
            JOIN perfhouse.history_runs(app.application) new ON new.run_id = f.run_id AND new.series = old.series
            WHERE r.application = app.application AND r.callpath_id = f.callpath_id AND r.metric_id = f.metric_id
              AND abs(old.commit_no - new.commit_no) <= 1
            ORDER BY abs(old.place - new.place), r.regression_id LIMIT 1;
            IF known IS NOT NULL THEN
                UPDATE perfhouse.regression r SET commit_id = f.commit_id, previous_commit_id = f.previous_commit_id, run_id = f.run_id,
                    mean_before = f.mean_before, mean_after = f.mean_after, own_change = f.own_change, total_change = f.total_change,
                    p_value = f.p_value, q_value = f.q_value, n_before = f.n_before, n_after = f.n_after, lost_node_hours = f.lost_node_hours
                WHERE r.regression_id = known;
                seen := seen || known;
            ELSE
                INSERT INTO perfhouse.regression AS r (application, n_ranks, n_threads, cluster, metric_id, callpath_id, path, commit_id,
                    previous_commit_id, run_id, mean_before, mean_after, own_change, total_change, p_value, q_value, n_before, n_after, lost_node_hours)
                VALUES (app.application, f.n_ranks, f.n_threads, f.cluster, f.metric_id, f.callpath_id, f.path, f.commit_id,
                    f.previous_commit_id, f.run_id, f.mean_before, f.mean_after, f.own_change, f.total_change, f.p_value, f.q_value,
                    f.n_before, f.n_after, f.lost_node_hours)
                RETURNING r.regression_id, r.application, r.path, r.commit_id, 'new' INTO regression_id, application, path, commit_id, event;
                seen := seen || regression_id;
                PERFORM pg_notify('perfhouse_regression', json_build_object('regression', regression_id, 'application', application,
                    'path', left(path, 1000), 'commit', commit_id, 'before', f.mean_before, 'after', f.mean_after)::text);
                RETURN NEXT;
            END IF;
        END LOOP;
        -- seen before, not any more, and nobody has looked at it
        FOR regression_id, application, path, commit_id IN
            UPDATE perfhouse.regression r SET state = 'ignored', changed_by = current_user, changed_at = now(),
                reason = format('with %s runs it is no longer told from noise', app.runs)
            WHERE r.application = app.application AND r.state = 'new' AND r.regression_id <> ALL (seen)
            RETURNING r.regression_id, r.application, r.path, r.commit_id
        LOOP
            event := 'gone';
            RETURN NEXT;
        END LOOP;
        -- a later change for the better of at least half
        FOR regression_id, application, path, commit_id IN
            UPDATE perfhouse.regression r SET state = 'fixed', changed_by = current_user, changed_at = now(), reason = 'faster again with ' || coalesce(c.commit_id, 'run ' || c.run_id)
            FROM perfhouse.change_points(app.application, 'time', 'path') c
            JOIN perfhouse.history_runs(app.application) later ON later.run_id = c.run_id
            JOIN perfhouse.history_runs(app.application) first ON first.series = later.series AND first.place < later.place
            WHERE r.application = app.application AND r.state IN ('new', 'active') AND first.run_id = r.run_id AND c.callpath_id = r.callpath_id
              AND (c.mean_before - c.mean_after) / (r.mean_after - r.mean_before) >= 0.5
            RETURNING r.regression_id, r.application, r.path, r.commit_id
        LOOP
            event := 'fixed';
            RETURN NEXT;
        END LOOP;
        INSERT INTO perfhouse.regression_watch AS w (application, runs, fingerprint) VALUES (app.application, app.runs, app.fingerprint)
        ON CONFLICT (application) DO UPDATE SET runs = excluded.runs, fingerprint = excluded.fingerprint, searched_at = now();
    END LOOP;
END $$;
COMMENT ON FUNCTION perfhouse.update_regressions(text) IS
    'Brings perfhouse.regression up to date for one application or all, and says what happened: event new, gone (never looked at, and with more runs no longer told from noise: ignored) or fixed (faster again by half or more). Applications whose runs and commits are as they were are not searched again. NOTIFY perfhouse_regression with JSON for every new one. Decisions of people stay.';
REVOKE ALL ON FUNCTION perfhouse.update_regressions(text) FROM PUBLIC;

CREATE OR REPLACE FUNCTION perfhouse.set_regression(id bigint, state text, reason text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF $2 IS NULL OR $2 NOT IN ('new', 'active', 'ignored', 'fixed') THEN
        RAISE EXCEPTION 'unknown state "%" of a regression', $2 USING ERRCODE = '22023', HINT = 'The states are new, active, ignored and fixed.';
    END IF;
    UPDATE perfhouse.regression r SET state = $2, reason = $3, changed_by = current_user, changed_at = now() WHERE r.regression_id = id;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no regression %', id USING ERRCODE = 'PH002';
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse.set_regression(bigint, text, text) IS
    'What people decide about a regression: active (known, open), ignored or fixed, with a reason; who and when are noted. Errors: 22023 for another state, PH002 for an unknown regression.';
REVOKE ALL ON FUNCTION perfhouse.set_regression(bigint, text, text) FROM PUBLIC;

-- ---------------------------------------------------------------------------------------- explaining
-- The runs of a regression's two levels.
CREATE OR REPLACE FUNCTION perfhouse.regression_runs(id bigint) RETURNS TABLE (run_id bigint, is_after boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    r record;
BEGIN
    SELECT g.*, m.name AS metric INTO r FROM perfhouse.regression g JOIN perfhouse.metric m USING (metric_id) WHERE g.regression_id = id;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no regression %', id USING ERRCODE = 'PH002', HINT = 'perfhouse regressions lists them.';
    END IF;
    RETURN QUERY
    WITH h AS MATERIALIZED (SELECT * FROM perfhouse.history_runs(r.application, r.metric))
    SELECT h.run_id, h.place >= f.place FROM h JOIN h f ON f.run_id = r.run_id AND f.series = h.series
    WHERE h.place >= f.place - r.n_before AND h.place < f.place + r.n_after ORDER BY h.place;
END $$;
COMMENT ON FUNCTION perfhouse.regression_runs(bigint) IS 'The runs before and after a regression, in order. Errors: PH002 for an unknown regression.';

CREATE OR REPLACE FUNCTION perfhouse.regression_parts(id bigint)
RETURNS TABLE (part text, mean_before float8, mean_after float8, change float8, share float8, callpath_id bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
    WITH g AS (SELECT * FROM perfhouse.regression WHERE regression_id = id),
    runs AS MATERIALIZED (SELECT q.run_id, q.is_after, r.n_units FROM perfhouse.regression_runs(id) q JOIN perfhouse.run r USING (run_id)),
    n AS (SELECT count(*) FILTER (WHERE NOT is_after) AS before, count(*) FILTER (WHERE is_after) AS after FROM runs),
    aliased AS MATERIALIZED (SELECT a.* FROM g, perfhouse.aliased_callpaths(g.application) a),
    stored AS (
        SELECT k.callpath_id, k.callpath_id AS key FROM g JOIN perfhouse.callpath k ON k.callpath_id = g.callpath_id OR k.parent_id = g.callpath_id
        WHERE NOT EXISTS (SELECT FROM aliased a WHERE a.callpath_id = k.callpath_id)
        UNION SELECT a.callpath_id, a.key FROM g JOIN aliased a ON a.key = g.callpath_id OR a.parent_key = g.callpath_id),
    cells AS (
        SELECT t.key AS callpath_id, t.key = g.callpath_id AS is_top, d.name,
               coalesce(sum(s.inclusive_sum / r.n_units) FILTER (WHERE NOT r.is_after), 0) / min(n.before) AS before,
               coalesce(sum(s.inclusive_sum / r.n_units) FILTER (WHERE r.is_after), 0) / min(n.after) AS after
        FROM g CROSS JOIN n CROSS JOIN stored t JOIN perfhouse.callpath k ON k.callpath_id = t.key
        JOIN perfhouse.region d USING (region_id)
        JOIN perfhouse.profile_summary s ON s.callpath_id = t.callpath_id AND s.metric_id = g.metric_id JOIN runs r ON r.run_id = s.run_id
        GROUP BY 1, 2, 3),
    parts AS (
        SELECT c.name AS part, c.before, c.after, c.callpath_id FROM cells c WHERE NOT c.is_top
        UNION ALL
        SELECT '(own)', sum(CASE WHEN c.is_top THEN c.before ELSE -c.before END), sum(CASE WHEN c.is_top THEN c.after ELSE -c.after END), min(c.callpath_id) FILTER (WHERE c.is_top)
        FROM cells c HAVING count(*) > 0)
    SELECT p.part, p.before, p.after, p.after - p.before, (p.after - p.before) / nullif(sum(p.after - p.before) OVER (), 0), p.callpath_id
    FROM parts p ORDER BY abs(p.after - p.before) DESC, p.callpath_id
$$;
COMMENT ON FUNCTION perfhouse.regression_parts(bigint) IS
    'What a regression''s change consists of: the path''s own cost and each callee''s; the parts add up to the path''s change. Errors: PH002 for an unknown regression.';

-- Leave-one-out: how much better the side of a run is guessed from those of the other runs with its value.
CREATE OR REPLACE FUNCTION perfhouse.explain_change(change_id bigint)
RETURNS TABLE (key text, before_values text, after_values text, bits float8)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 20 SET search_path = pg_catalog, pg_temp AS $$
    WITH runs AS MATERIALIZED (
        SELECT q.is_after, h.* FROM perfhouse.regression_runs(change_id) q JOIN perfhouse.run h USING (run_id)),
    facts AS (
        SELECT r.run_id, r.is_after, e.key, coalesce(e.value, '(none)') AS value FROM runs r, jsonb_each_text(r.meta) e
        WHERE e.key NOT IN ('branch', 'user', 'format', 'commit', 'hosts', 'tags') -- these follow
        UNION ALL
        SELECT r.run_id, r.is_after, c.key, coalesce(c.value, '(none)') FROM runs r,
            LATERAL (VALUES ('branch', r.branch), ('user', r.user_name), ('format', r.format), ('commit', left(r.commit_id, 9)),
                            ('hosts', (SELECT string_agg(DISTINCT l.host, ' ' ORDER BY l.host) FROM perfhouse.location l WHERE l.run_id = r.run_id)),
                            ('tags', array_to_string(r.tags, ' '))) c (key, value)),
    keys AS (SELECT DISTINCT f.key FROM facts f),
    complete AS (
        SELECT k.key, r.run_id, r.is_after, coalesce(f.value, '(none)') AS value
        FROM keys k CROSS JOIN runs r LEFT JOIN facts f ON f.key = k.key AND f.run_id = r.run_id),
    counted AS (
        SELECT c.*, count(*) OVER (PARTITION BY c.key, c.value) AS with_value, count(*) OVER (PARTITION BY c.key, c.value, c.is_after) AS with_both,
               (count(*) OVER (PARTITION BY c.key, c.is_after))::float8 / count(*) OVER (PARTITION BY c.key) AS share
        FROM complete c),
    gain AS (
        SELECT c.key, avg(log(2, ((c.with_both - 1 + c.share) / c.with_value)::numeric) - log(2, c.share::numeric))::float8 AS bits
        FROM counted c GROUP BY c.key HAVING count(DISTINCT c.value) > 1),
    shown AS (
        SELECT v.key, v.is_after, string_agg(CASE WHEN v.nth <= 3 THEN left(v.value, 60) || ' ' || round(100 * v.n / v.total) || ' %' WHEN v.nth = 4 THEN '...' END, ', ' ORDER BY v.nth) AS text
        FROM (SELECT c.key, c.is_after, c.value, count(*) AS n, sum(count(*)) OVER (PARTITION BY c.key, c.is_after) AS total,
                     row_number() OVER (PARTITION BY c.key, c.is_after ORDER BY count(*) DESC, c.value) AS nth
              FROM complete c GROUP BY 1, 2, 3) v GROUP BY 1, 2)
    SELECT g.key, b.text, a.text, greatest(g.bits, 0) FROM gain g
    LEFT JOIN shown b ON b.key = g.key AND NOT b.is_after LEFT JOIN shown a ON a.key = g.key AND a.is_after
    WHERE g.key <> 'commit' OR g.bits > 0
    ORDER BY greatest(g.bits, 0) DESC, g.key
$$;
COMMENT ON FUNCTION perfhouse.explain_change(bigint) IS
    'Which metadata tells the runs after a regression from those before: per key the values on both sides with their shares, and the information in bits (leave-one-out, so that a key that differs in every run has none; 1 at most where both sides have as many runs). Keys with one value are left out. Errors: PH002 for an unknown regression.';

-- ----------------------------------------------------------------------------------------- comparing
CREATE OR REPLACE FUNCTION perfhouse.compare_commits(application text, a text, b text, by text DEFAULT 'total', margin float8 DEFAULT 0.02,
    metric text DEFAULT 'time', filter text DEFAULT NULL, min_runs int DEFAULT 3, cost text DEFAULT NULL)
RETURNS TABLE (path text, n_ranks int, n_threads int, cluster text, n_a int, n_b int, mean_a float8, mean_b float8, difference float8,
    relative float8, low float8, high float8, p_value float8, q_value float8, verdict text, runs_needed int, unit text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 20 SET search_path = pg_catalog, pg_temp AS $$
    WITH sides AS MATERIALIZED (SELECT perfhouse.find_commit($2) AS a, perfhouse.find_commit($3) AS b),
    runs AS MATERIALIZED (SELECT * FROM perfhouse.history_runs($1, $6, $7)),
    cut AS (
        SELECT s.key, s.series, min(r.n_ranks) AS n_ranks, min(r.n_threads) AS n_threads, min(r.cluster) AS cluster, min(r.metric_id) AS metric_id,
               coalesce(array_agg(s."values"[r.place + 1] ORDER BY r.place) FILTER (WHERE r.commit_id = k.a), '{}') AS a,
               coalesce(array_agg(s."values"[r.place + 1] ORDER BY r.place) FILTER (WHERE r.commit_id = k.b), '{}') AS b
        FROM sides k CROSS JOIN perfhouse.history_series($1, $6, $4, $7, $9) s JOIN runs r ON r.series = s.series AND r.commit_id IN (k.a, k.b)
        GROUP BY 1, 2),
    tested AS (
        SELECT c.*, t.*, row_number() OVER (ORDER BY c.series, c.key) AS number
        FROM cut c, perfhouse.repeat_test(c.a, c.b, $5, $8) t WHERE cardinality(c.a) > 0 AND cardinality(c.b) > 0),
    rates AS (
        SELECT q.q, q.number FROM (
            SELECT perfhouse.false_discovery_rates(array_agg(t.p_value ORDER BY t.number) FILTER (WHERE t.p_value IS NOT NULL)) AS rates,
                   array_agg(t.number ORDER BY t.number) FILTER (WHERE t.p_value IS NOT NULL) AS numbers FROM tested t) r,
            unnest(r.rates, r.numbers) q (q, number))
    SELECT CASE WHEN $4 = 'path' THEN perfhouse.call_path_text(t.key::bigint) ELSE t.key END, t.n_ranks, t.n_threads, t.cluster, t.n_a, t.n_b,
           t.mean_a, t.mean_b, t.difference, t.relative, t.low, t.high, t.p_value, q.q, t.verdict, t.runs_needed, m.unit
    FROM tested t LEFT JOIN rates q USING (number) JOIN perfhouse.metric m ON m.metric_id = t.metric_id
    ORDER BY abs(t.difference) DESC, t.series, t.key
$$;
COMMENT ON FUNCTION perfhouse.compare_commits(text, text, text, text, float8, text, text, int, text) IS
    'Whether two commits (hashes, beginnings, branches, tags, merge_base(...)) differ, under each condition that both were measured in: verdict same (the 95 % interval of the difference lies within margin of A), different (it excludes 0 and the difference is beyond margin) or unknown; runs_needed: how many runs a side would settle it, null when that cannot be said. by: total, function, module, path; with many rows look at q_value too. filter: a run filter. Errors: PH002 for an unknown commit.';

CREATE OR REPLACE FUNCTION perfhouse.next_commit(application text, metric text DEFAULT 'time', good text DEFAULT NULL, bad text DEFAULT NULL)
RETURNS TABLE (commit_id text, expected_bits float8, subject text, "position" int, n_candidates int)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
    WITH RECURSIVE latest AS (
        SELECT r.previous_commit_id, r.commit_id FROM perfhouse.regression r
        WHERE $3 IS NULL AND r.application = $1 AND r.state IN ('new', 'active') ORDER BY r.found_at DESC, r.regression_id DESC LIMIT 1),
    ends AS (SELECT coalesce($3, (SELECT previous_commit_id FROM latest)) AS good, coalesce($4, (SELECT l.commit_id FROM latest l)) AS bad),
    suspects AS MATERIALIZED (SELECT c AS commit_id FROM ends e, perfhouse.commits_between(e.good, e.bad) c WHERE e.good IS NOT NULL AND e.bad IS NOT NULL),
    above (commit_id, ancestor) AS (
        SELECT s.commit_id, s.commit_id FROM suspects s
        UNION SELECT a.commit_id, p FROM above a JOIN perfhouse.commit c ON c.commit_id = a.ancestor, unnest(c.parents) p
        WHERE p IN (SELECT s.commit_id FROM suspects s)),
    weighed AS (
        SELECT a.commit_id, count(*)::float8 / (SELECT count(*) FROM suspects) AS share FROM above a GROUP BY 1)
    SELECT w.commit_id, -(w.share * ln(w.share) + (1 - w.share) * ln(1 - w.share)) / ln(2), c.subject, c."position", (SELECT count(*)::int FROM suspects)
    FROM weighed w JOIN perfhouse.commit c USING (commit_id)
    WHERE w.share < 1 AND NOT EXISTS (
        SELECT FROM perfhouse.run_history h WHERE h.application = $1 AND h.commit_id = w.commit_id AND h.excluded_reason IS NULL)
    ORDER BY 2 DESC, c."position", w.commit_id
$$;
COMMENT ON FUNCTION perfhouse.next_commit(text, text, text, text) IS
    'Which commit to measure next to find the one that made bad slower than good (default: the levels of the latest open regression): those between that have no runs, by the information in bits that a measurement would give, each suspect being as likely. The first row is the bisection point, also where branches were merged. Errors: PH002 for an unknown commit.';

-- ------------------------------------------------------------------------------------ nodes and cost
CREATE OR REPLACE FUNCTION perfhouse.host_residual(since timestamptz DEFAULT '-infinity', of_application text DEFAULT NULL)
RETURNS TABLE (host text, run_id bigint, application text, z float8, relative float8, mean float8, lost_node_hours float8)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
    WITH outside AS MATERIALIZED (SELECT c.callpath_id FROM perfhouse.callpath c JOIN perfhouse.region g USING (region_id) WHERE g.name !~ '^P?MPI_'),
    -- vectors are added up before they become rows
    vectors AS (
        SELECT r.run_id, v.block, perfhouse.seconds_of(min(m.unit)) AS unit, perfhouse.vector_sum(v.exclusive) AS sums
        FROM perfhouse.run r JOIN perfhouse.profile_values v ON v.run_id = r.run_id AND v.metric_id = r.metric_ids[1]
        JOIN perfhouse.metric m ON m.metric_id = v.metric_id JOIN outside USING (callpath_id)
        WHERE r.state = 'ready' AND r.excluded_reason IS NULL AND coalesce(r.started_at, r.loaded_at) >= $1 AND ($2 IS NULL OR r.application = $2)
        GROUP BY 1, 2),
    work AS (
        SELECT v.run_id, l.location_id, l.host, x.sum * v.unit AS seconds
        FROM vectors v CROSS JOIN LATERAL unnest(v.sums) WITH ORDINALITY x (sum, position)
        JOIN perfhouse.location l ON l.run_id = v.run_id AND l.location_id = v.block * 4096 + x.position - 1
        WHERE l.host IS NOT NULL AND x.sum <> 'NaN'),
    hosts AS (SELECT w.run_id, w.host, avg(w.seconds) AS mean FROM work w GROUP BY 1, 2),
    middles AS (SELECT h.run_id, count(*) AS n, percentile_cont(0.5) WITHIN GROUP (ORDER BY h.mean) AS median FROM hosts h GROUP BY 1),
    spreads AS (
        SELECT h.run_id, 1.4826 * percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(h.mean - m.median)) AS spread FROM hosts h JOIN middles m USING (run_id) GROUP BY 1)
    SELECT h.host, h.run_id, r.application, (h.mean - m.median) / nullif(s.spread, 0), h.mean / nullif(m.median, 0) - 1, h.mean,
           greatest(h.mean - m.median, 0) * m.n / 3600
    FROM hosts h JOIN middles m USING (run_id) JOIN spreads s USING (run_id) JOIN perfhouse.run r ON r.run_id = h.run_id
    WHERE m.n >= 4 ORDER BY h.run_id, h.host
$$;
COMMENT ON FUNCTION perfhouse.host_residual(timestamptz, text) IS
    'How much longer the processes of a host computed (exclusive time outside of MPI, mean over its processes) than those of the median host of the same run, as z (robust standard deviations) and relative; a row per run and host, of runs on four hosts or more. A slow node stands out across applications: GROUP BY host HAVING count(DISTINCT application) >= 2 AND avg(z) > 3. lost_node_hours: the excess, times the nodes that wait for it.';

CREATE OR REPLACE FUNCTION perfhouse.lost_node_hours(since timestamptz DEFAULT '-infinity', of_application text DEFAULT NULL)
RETURNS TABLE (application text, cause text, what text, node_hours float8, runs bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
    WITH nodes AS MATERIALIZED (
        SELECT q.run_id, greatest(count(DISTINCT l.host), 1) AS n FROM perfhouse.run q LEFT JOIN perfhouse.location l ON l.run_id = q.run_id
        WHERE q.state = 'ready' AND coalesce(q.started_at, q.loaded_at) >= $1 AND ($2 IS NULL OR q.application = $2) GROUP BY 1),
    units AS MATERIALIZED (SELECT m.metric_id, perfhouse.seconds_of(m.unit) AS seconds FROM perfhouse.metric m),
    regions AS MATERIALIZED (SELECT g.region_id, g.name FROM perfhouse.region g WHERE g.name !~ '^P?MPI_')
    SELECT r.application, 'imbalance', g.name, sum((s.max - s.exclusive) * u.seconds * n.n) / 3600, count(*)
    FROM perfhouse.run r JOIN nodes n ON n.run_id = r.run_id JOIN perfhouse.region_summary s ON s.run_id = r.run_id AND s.metric_id = r.metric_ids[1]
    JOIN units u ON u.metric_id = s.metric_id JOIN regions g USING (region_id)
    WHERE r.state = 'ready' AND r.excluded_reason IS NULL AND u.seconds IS NOT NULL
    GROUP BY 1, 3
    UNION ALL
    SELECT r.application, 'regression', r.path, sum(r.lost_node_hours), sum(r.n_after)::bigint FROM perfhouse.regression r
    WHERE r.state IN ('new', 'active') AND r.found_at >= $1 AND ($2 IS NULL OR r.application = $2) AND r.lost_node_hours IS NOT NULL GROUP BY 1, 3
    UNION ALL
    SELECT h.application, 'slow node', h.host, sum(h.lost_node_hours), count(*) FROM perfhouse.host_residual($1, $2) h WHERE h.z > 3 GROUP BY 1, 3
    ORDER BY 4 DESC NULLS LAST, 1, 2, 3
$$;
COMMENT ON FUNCTION perfhouse.lost_node_hours(timestamptz, text) IS
    'Node-hours lost in real runs by cause: imbalance (a function''s slowest process over the mean), open regressions, and slow nodes (three robust deviations over the run''s median). The causes overlap: an imbalance may be a slow node''s. Excluded runs are left out.';

CREATE OR REPLACE VIEW perfhouse.regression_overview AS
SELECT r.regression_id, r.state, r.application, r.path, r.commit_id, r.previous_commit_id, c.subject, r.mean_before, r.mean_after,
       r.mean_after - r.mean_before AS change, r.mean_after / nullif(r.mean_before, 0) - 1 AS relative, m.name AS metric, m.unit, r.n_ranks,
       r.n_threads, r.cluster, r.own_change, r.total_change, r.p_value, r.q_value, r.n_before, r.n_after, r.lost_node_hours, r.run_id,
       r.reason, r.changed_by, r.found_at, r.changed_at, r.callpath_id
FROM perfhouse.regression r JOIN perfhouse.metric m USING (metric_id)
LEFT JOIN LATERAL (SELECT min(c.subject) AS subject FROM perfhouse.commit c WHERE c.commit_id = r.commit_id) c ON true;
COMMENT ON VIEW perfhouse.regression_overview IS
    'Regressions for people: one row each, with the commit''s subject and the relative change.';
-- == definitions/019-retention.sql
-- 019-retention.sql - distributions over ranks, rolling runs up, dropping events, retention policies.

-- Other sessions hear of runs that became ready, were rolled up or dropped.
CREATE OR REPLACE FUNCTION perfhouse.notify_run(run_id bigint, application text, state text) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    SELECT pg_notify('perfhouse_run', json_build_object('run_id', $1, 'application', left($2, 1000), 'state', $3)::text)
$$;
COMMENT ON FUNCTION perfhouse.notify_run(bigint, text, text) IS
    'NOTIFY perfhouse_run with {"run_id", "application", "state"} when the transaction commits; state: ready, rolled up, dropped. The loader, drop_run and roll_up_run call it.';

-- Stored ones, or made of the vectors: the same either way.
CREATE OR REPLACE FUNCTION perfhouse.run_sketches(run bigint, of_metric int DEFAULT NULL)
RETURNS TABLE (callpath_id bigint, metric_id int, inclusive bytea, exclusive bytea)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    r record;
BEGIN
    SELECT q.rolled_up_at, q.n_columns IS DISTINCT FROM q.n_units AS has_iterations INTO r
    FROM perfhouse.run q WHERE q.run_id = run AND q.state = 'ready';
    IF NOT FOUND THEN
        RAISE EXCEPTION 'there is no run %', run USING ERRCODE = 'PH002', HINT = 'perfhouse.run_overview lists the runs that are ready.';
    ELSIF r.rolled_up_at IS NOT NULL THEN
        RETURN QUERY SELECT k.callpath_id, k.metric_id, k.inclusive, k.exclusive FROM perfhouse.profile_sketch k
            WHERE k.run_id = run AND (of_metric IS NULL OR k.metric_id = of_metric);
    ELSIF NOT r.has_iterations THEN
        RETURN QUERY SELECT v.callpath_id, v.metric_id, perfhouse.merge_sketches(perfhouse.sketch(v.inclusive)), perfhouse.merge_sketches(perfhouse.sketch(v.exclusive))
            FROM perfhouse.profile_values v WHERE v.run_id = run AND (of_metric IS NULL OR v.metric_id = of_metric) GROUP BY 1, 2;
    ELSE
        RETURN QUERY
        WITH units AS MATERIALIZED (
            SELECT l.location_id, dense_rank() OVER (ORDER BY l.rank, l.thread, l.kind, l.host, CASE WHEN l.rank IS NULL THEN l.name END) AS unit
            FROM perfhouse.location l WHERE l.run_id = run),
        cells AS (
            SELECT v.callpath_id, v.metric_id, u.unit,
                   CASE WHEN m.kind <> 2 OR m.combine = 3 THEN sum(x.inclusive) WHEN m.combine = 1 THEN min(x.inclusive)
                        WHEN m.combine = 2 THEN max(x.inclusive) ELSE avg(x.inclusive) END AS inclusive,
                   CASE WHEN m.kind <> 2 OR m.combine = 3 THEN sum(x.exclusive) WHEN m.combine = 1 THEN min(x.exclusive)
                        WHEN m.combine = 2 THEN max(x.exclusive) ELSE avg(x.exclusive) END AS exclusive
            FROM perfhouse.profile_values v JOIN perfhouse.metric m ON m.metric_id = v.metric_id
            CROSS JOIN LATERAL unnest(v.inclusive, v.exclusive) WITH ORDINALITY x (inclusive, exclusive, position)
            JOIN units u ON u.location_id = v.block * 4096 + x.position - 1
            WHERE v.run_id = run AND (of_metric IS NULL OR v.metric_id = of_metric) AND x.inclusive IS NOT NULL
            GROUP BY v.callpath_id, v.metric_id, u.unit, m.kind, m.combine)
        SELECT c.callpath_id, c.metric_id, perfhouse.sketch(array_agg(c.inclusive)), perfhouse.sketch(array_agg(c.exclusive))
        FROM cells c GROUP BY 1, 2;
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse.run_sketches(bigint, int) IS
    'The distribution over its units (iterations summed) of every call path and metric of a run (of_metric: of this one) as sketches: those that rolling up stored, else made of the vectors, which gives the same. Units without the call path are not in it. Errors: PH002 when there is no such run.';

-- The metric of a run by name; null: its primary one.
CREATE OR REPLACE FUNCTION perfhouse.run_metric(run bigint, metric text) RETURNS int
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    r record;
    place int := 1;
BEGIN
    SELECT q.metrics, q.metric_ids INTO r FROM perfhouse.run q WHERE q.run_id = run AND q.state = 'ready';
    IF NOT FOUND THEN
        RAISE EXCEPTION 'there is no run %', run USING ERRCODE = 'PH002', HINT = 'perfhouse.run_overview lists the runs that are ready.';
    END IF;
    IF metric IS NOT NULL THEN
        place := array_position(r.metrics, metric);
    END IF;
    IF place IS NULL THEN
        RAISE EXCEPTION 'run % has no metric "%"', run, metric USING ERRCODE = 'PH002', HINT = format('Its metrics are %s.', array_to_string(r.metrics, ', '));
    END IF;
    RETURN r.metric_ids[place];
END $$;
COMMENT ON FUNCTION perfhouse.run_metric(bigint, text) IS
    'The metric_id of a run''s metric by name; null: of its primary one. Errors: PH002 when there is no such run or metric.';

CREATE OR REPLACE FUNCTION perfhouse.run_distribution(run bigint, metric text DEFAULT NULL, cost text DEFAULT 'inclusive')
RETURNS TABLE (callpath_id bigint, name text, depth int, n_units int, n int, mean float8, sd float8, min float8, p05 float8, lower_quartile float8,
    median float8, upper_quartile float8, p95 float8, max float8, relative_error float8)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    IF cost IS NULL OR cost NOT IN ('inclusive', 'exclusive') THEN
        RAISE EXCEPTION 'unknown cost "%"', cost USING ERRCODE = '22023', HINT = 'cost is inclusive or exclusive.';
    END IF;
    RETURN QUERY
    SELECT k.callpath_id, g.name, c.depth, r.n_units, m.n::int, m.mean, m.sd, m.min, q.q[1], q.q[2], q.q[3], q.q[4], q.q[5], m.max, m.relative_error
    FROM perfhouse.run r, perfhouse.run_sketches(r.run_id, perfhouse.run_metric(r.run_id, $2)) k
    JOIN perfhouse.callpath c ON c.callpath_id = k.callpath_id JOIN perfhouse.region g ON g.region_id = c.region_id
    CROSS JOIN LATERAL (SELECT CASE cost WHEN 'inclusive' THEN k.inclusive ELSE k.exclusive END AS sketch) s
    CROSS JOIN LATERAL (SELECT (perfhouse.sketch_moments(s.sketch)).n) present
    CROSS JOIN LATERAL perfhouse.sketch_moments(s.sketch, r.n_units - present.n) m
    CROSS JOIN LATERAL (SELECT perfhouse.sketch_quantiles(s.sketch, ARRAY[0.05, 0.25, 0.5, 0.75, 0.95], r.n_units - present.n)) q (q)
    WHERE r.run_id = run AND r.state = 'ready'
    ORDER BY m.mean DESC, k.callpath_id;
    IF NOT FOUND THEN
        PERFORM perfhouse.run_metric(run, metric);
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse.run_distribution(bigint, text, text) IS
    'How the cost of every call path spreads over a run''s units (absent = 0; n: units in all, with the absent): mean, standard deviation (n - 1), percentiles by linear interpolation; the same before and after the run was rolled up. relative_error: how far percentiles may be off, relative to the values next to them; 0 (exact) up to 16 units, else 0.005 and more where values spread widely; the other numbers are exact. Sorted by mean. Errors: PH002 for an unknown run or metric; 22023 for another cost.';

CREATE OR REPLACE FUNCTION perfhouse.run_histogram(run bigint, callpath_id bigint, bins int DEFAULT 20, cost text DEFAULT 'inclusive', metric text DEFAULT NULL)
RETURNS TABLE (bin int, low float8, high float8, count bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 20 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    IF cost IS NULL OR cost NOT IN ('inclusive', 'exclusive') THEN
        RAISE EXCEPTION 'unknown cost "%"', cost USING ERRCODE = '22023', HINT = 'cost is inclusive or exclusive.';
    END IF;
    RETURN QUERY
    SELECT h.bin, h.low, h.high, h.count
    FROM perfhouse.run r, perfhouse.run_sketches(r.run_id, perfhouse.run_metric(r.run_id, $5)) k
    CROSS JOIN LATERAL (SELECT CASE cost WHEN 'inclusive' THEN k.inclusive ELSE k.exclusive END AS sketch) s
    CROSS JOIN LATERAL perfhouse.sketch_histogram(s.sketch, $3, r.n_units - (perfhouse.sketch_moments(s.sketch)).n) h
    WHERE r.run_id = run AND r.state = 'ready' AND k.callpath_id = $2
    ORDER BY h.bin;
    IF NOT FOUND THEN
        PERFORM perfhouse.run_metric(run, metric);
        RAISE EXCEPTION 'run % has no call path %', run, $2 USING ERRCODE = 'PH002', HINT = format('nodes(profile(%s)) lists them.', run);
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse.run_histogram(bigint, bigint, int, text, text) IS
    'Equal bins over [min, max] of a call path''s cost over a run''s units (absent = 0), right-open, the last one closed: the same before and after the run was rolled up. Of more than 16 units, values may be in a neighbouring bin when they are within the sketch''s relative error of its bound. Errors: PH002 for an unknown run, metric or call path; 22023 for fewer than 1 or more than 10000 bins or another cost.';

-- ------------------------------------------------------------------------------------------ rolling up
CREATE OR REPLACE FUNCTION perfhouse.roll_up_run(run bigint) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    r record;
    removed bigint;
BEGIN
    SELECT q.state, q.rolled_up_at, q.application INTO r FROM perfhouse.run q WHERE q.run_id = run FOR UPDATE;
    IF NOT FOUND OR r.state <> 'ready' THEN
        RAISE EXCEPTION 'there is no run %', run USING ERRCODE = 'PH002', HINT = 'perfhouse.run_overview lists the runs that are ready.';
    ELSIF r.rolled_up_at IS NOT NULL THEN
        RETURN 0;
    END IF;
    INSERT INTO perfhouse.profile_sketch (run_id, callpath_id, metric_id, inclusive, exclusive)
    SELECT run, k.callpath_id, k.metric_id, k.inclusive, k.exclusive FROM perfhouse.run_sketches(run) k;
    -- nothing goes that is not kept
    IF EXISTS (
        SELECT FROM (SELECT * FROM perfhouse.profile_summary s WHERE s.run_id = run) s
        FULL JOIN (SELECT * FROM perfhouse.profile_sketch k WHERE k.run_id = run) k USING (metric_id, callpath_id)
        WHERE s.n IS DISTINCT FROM (perfhouse.sketch_moments(k.inclusive)).n)
    THEN
        RAISE EXCEPTION 'run % is not sound: its summaries are not those of its vectors', run USING ERRCODE = 'PH001',
            HINT = format('check_run(%s) says more. Load the run again with --if-exists replace.', run);
    END IF;
    DELETE FROM perfhouse.profile_values v WHERE v.run_id = run;
    GET DIAGNOSTICS removed = ROW_COUNT;
    UPDATE perfhouse.run q SET rolled_up_at = now() WHERE q.run_id = run;
    PERFORM perfhouse.notify_run(run, r.application, 'rolled up');
    RETURN removed;
END $$;
COMMENT ON FUNCTION perfhouse.roll_up_run(bigint) IS
    'Replaces a run''s values per unit (rank, thread, iteration) by their distribution: sums, extremes and moments stay exact, percentiles nearly so (run_distribution). profile(run) then has one column, the mean over units, and so the same means; what needs single ranks fails with PH003. Cannot be undone but by loading the run again with --if-exists replace. Returns how many vectors went, 0 when it was rolled up before. Waits for whoever writes to or removes the run. Errors: PH002 when there is no such run; PH001 when it is not sound, and nothing was changed.';
REVOKE ALL ON FUNCTION perfhouse.roll_up_run(bigint) FROM PUBLIC;

CREATE OR REPLACE FUNCTION perfhouse.drop_trace_events(run bigint) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    r record;
    removed bigint;
BEGIN
    SELECT q.state, q.application INTO r FROM perfhouse.run q WHERE q.run_id = run FOR UPDATE;
    IF NOT FOUND OR r.state <> 'ready' THEN
        RAISE EXCEPTION 'there is no run %', run USING ERRCODE = 'PH002', HINT = 'perfhouse.run_overview lists the runs that are ready.';
    END IF;
    UPDATE perfhouse.trace t SET events_dropped_at = now() WHERE t.run_id = run AND t.events_dropped_at IS NULL;
    IF NOT FOUND THEN
        RETURN 0;
    END IF;
    DELETE FROM perfhouse.trace_chunk c WHERE c.run_id = run;
    GET DIAGNOSTICS removed = ROW_COUNT;
    DELETE FROM perfhouse.message_chunk c WHERE c.run_id = run;
    DELETE FROM perfhouse.logical_chunk c WHERE c.run_id = run;
    PERFORM perfhouse.notify_run(run, r.application, 'rolled up');
    RETURN removed;
END $$;
COMMENT ON FUNCTION perfhouse.drop_trace_events(bigint) IS
    'Removes the events, messages and logical steps of a run''s trace; its profile, phases, definitions and counts stay. What needs events then fails with PH003. Returns how many chunks went; 0 when there is no trace or its events were dropped before. Errors: PH002 when there is no such run.';
REVOKE ALL ON FUNCTION perfhouse.drop_trace_events(bigint) FROM PUBLIC;

-- -------------------------------------------------------------------------------------------- policies
CREATE OR REPLACE FUNCTION perfhouse.set_retention(name text, action text, older_than interval, filter text DEFAULT NULL,
    keep_tags text[] DEFAULT NULL, enabled boolean DEFAULT true) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF $2 IS NULL OR $2 NOT IN ('roll up', 'drop trace') THEN
        RAISE EXCEPTION 'unknown action "%" of a retention policy', $2 USING ERRCODE = '22023', HINT = 'The actions are: roll up, drop trace.';
    END IF;
    PERFORM perfhouse.run_filter_sql($4);
    INSERT INTO perfhouse.retention_policy AS p (name, action, older_than, filter, keep_tags, enabled)
    VALUES ($1, $2, $3, $4, coalesce($5, '{keep,baseline}'), $6)
    ON CONFLICT ON CONSTRAINT retention_policy_pkey DO UPDATE SET action = excluded.action, older_than = excluded.older_than, filter = excluded.filter,
        keep_tags = excluded.keep_tags, enabled = excluded.enabled, set_by = current_user, set_at = now();
END $$;
COMMENT ON FUNCTION perfhouse.set_retention(text, text, interval, text, text[], boolean) IS
    'Makes or changes a retention policy: action roll up (roll_up_run) or drop trace (drop_trace_events) for runs that were loaded longer ago than older_than and that the run filter selects (null: all). Runs with a tag of keep_tags (null: keep, baseline) and runs of commits that are baselines are left alone. Errors: 22023 for another action or what is not a filter.';
REVOKE ALL ON FUNCTION perfhouse.set_retention(text, text, interval, text, text[], boolean) FROM PUBLIC;

CREATE OR REPLACE FUNCTION perfhouse.retention_due(of_policy text DEFAULT NULL)
RETURNS TABLE (policy text, action text, run_id bigint, application text, title text, loaded_at timestamptz)
LANGUAGE plpgsql STABLE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    p perfhouse.retention_policy;
BEGIN
    FOR p IN SELECT * FROM perfhouse.retention_policy q WHERE q.enabled AND (of_policy IS NULL OR q.name = of_policy) ORDER BY q.name LOOP
        RETURN QUERY
        SELECT p.name, p.action, r.run_id, r.application, r.title, r.loaded_at
        FROM perfhouse.run r LEFT JOIN perfhouse.trace t ON t.run_id = r.run_id
        WHERE r.state = 'ready' AND r.loaded_at < now() - p.older_than AND NOT r.tags && p.keep_tags
          AND CASE p.action WHEN 'roll up' THEN r.rolled_up_at IS NULL AND r.n_columns > 1
                            ELSE t.run_id IS NOT NULL AND t.events_dropped_at IS NULL END
          AND (p.filter IS NULL OR r.run_id IN (SELECT perfhouse.runs_matching(p.filter)))
          AND NOT EXISTS (
              SELECT FROM perfhouse.baseline b
              WHERE b.application = r.application AND (starts_with(b.commit_id, r.commit_id) OR starts_with(r.commit_id, b.commit_id)))
        ORDER BY r.run_id;
    END LOOP;
END $$;
COMMENT ON FUNCTION perfhouse.retention_due(text) IS
    'What apply_retention() would do now, for all enabled policies or one: a row per policy and run.';

CREATE OR REPLACE FUNCTION perfhouse.apply_retention(dry_run boolean DEFAULT false, of_policy text DEFAULT NULL)
RETURNS TABLE (policy text, action text, run_id bigint, application text, title text, rows_removed bigint)
LANGUAGE plpgsql ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    FOR policy, action, run_id, application, title IN
        SELECT d.policy, d.action, d.run_id, d.application, d.title FROM perfhouse.retention_due(of_policy) d ORDER BY d.run_id, d.policy
    LOOP
        rows_removed := CASE WHEN dry_run THEN NULL WHEN action = 'roll up' THEN perfhouse.roll_up_run(run_id)
                             ELSE perfhouse.drop_trace_events(run_id) END;
        RETURN NEXT;
    END LOOP;
END $$;
COMMENT ON FUNCTION perfhouse.apply_retention(boolean, text) IS
    'Does what the enabled retention policies (or one) ask for, in the caller''s transaction, and says what: a row per policy and run. dry_run: only says it. perfhouse retention apply does the same with a transaction per run.';
REVOKE ALL ON FUNCTION perfhouse.apply_retention(boolean, text) FROM PUBLIC;
-- == definitions/020-roles.sql
-- 020-roles.sql - three roles that grant least; PUBLIC has nothing.
--
-- Roles belong to the whole cluster and are not dumped with a database: they are made here, when they
-- are missing and the caller may make them. Without them the warehouse works for its owner.

DO $$
DECLARE
    role text;
BEGIN
    FOREACH role IN ARRAY ARRAY['perfhouse_reader', 'perfhouse_loader', 'perfhouse_admin'] LOOP
        IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = role) THEN
            EXECUTE pg_catalog.format('CREATE ROLE %I NOLOGIN', role);
        END IF;
    END LOOP;
EXCEPTION
    WHEN insufficient_privilege THEN
        RAISE WARNING 'the roles perfhouse_reader, perfhouse_loader and perfhouse_admin are missing and cannot be created by %', current_user
            USING HINT = 'Let an administrator create them (CREATE ROLE ... NOLOGIN), then run perfhouse doctor --repair.';
    WHEN duplicate_object THEN
        NULL; -- another session was faster
END $$;

-- Grants are repeated by `perfhouse doctor --repair`, so they are a procedure of the warehouse.
CREATE OR REPLACE PROCEDURE perfhouse.apply_grants() LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    by_run regclass;
BEGIN
    REVOKE ALL ON SCHEMA perfhouse FROM PUBLIC;
    REVOKE ALL ON ALL TABLES IN SCHEMA perfhouse FROM PUBLIC;
    IF (SELECT pg_catalog.count(*) FROM pg_catalog.pg_roles
        WHERE rolname IN ('perfhouse_reader', 'perfhouse_loader', 'perfhouse_admin')) < 3 THEN
        RETURN;
    END IF;
    GRANT USAGE ON SCHEMA perfhouse TO perfhouse_reader, perfhouse_loader, perfhouse_admin;
    GRANT SELECT ON ALL TABLES IN SCHEMA perfhouse TO perfhouse_reader, perfhouse_loader, perfhouse_admin;
    GRANT INSERT ON perfhouse.region, perfhouse.callpath, perfhouse.metric, perfhouse.commit, perfhouse.run,
        perfhouse.load_log TO perfhouse_loader, perfhouse_admin;
    GRANT UPDATE, DELETE ON perfhouse.run TO perfhouse_loader, perfhouse_admin;
    GRANT INSERT, UPDATE, DELETE ON perfhouse.commit_ref, perfhouse.baseline, perfhouse.regression, perfhouse.regression_watch,
        perfhouse.region_alias TO perfhouse_loader, perfhouse_admin;
    GRANT UPDATE ON perfhouse.commit TO perfhouse_loader;
    FOR by_run IN SELECT perfhouse.tables_by_run() LOOP
        EXECUTE pg_catalog.format('GRANT INSERT, DELETE ON %s TO perfhouse_loader, perfhouse_admin', by_run);
    END LOOP;
    GRANT UPDATE, DELETE ON perfhouse.region, perfhouse.callpath, perfhouse.metric, perfhouse.commit,
        perfhouse.load_log TO perfhouse_admin;
    GRANT USAGE ON ALL SEQUENCES IN SCHEMA perfhouse TO perfhouse_loader, perfhouse_admin;
    GRANT EXECUTE ON FUNCTION perfhouse.drop_run(bigint), perfhouse.clear_run(bigint),
        perfhouse.rows_without_run(boolean), perfhouse.update_regressions(text), perfhouse.set_regression(bigint, text, text),
        perfhouse.add_alias(text, text, text, text, text, text, text, boolean, text), perfhouse.remove_alias(bigint),
        perfhouse.roll_up_run(bigint), perfhouse.drop_trace_events(bigint), perfhouse.apply_retention(boolean, text)
        TO perfhouse_loader, perfhouse_admin;
    GRANT UPDATE ON perfhouse.trace TO perfhouse_loader, perfhouse_admin;
    GRANT INSERT, UPDATE, DELETE ON perfhouse.retention_policy TO perfhouse_admin;
    GRANT EXECUTE ON FUNCTION perfhouse.set_retention(text, text, interval, text, text[], boolean) TO perfhouse_admin;
    EXECUTE pg_catalog.format('GRANT CONNECT, TEMPORARY ON DATABASE %I TO perfhouse_loader, perfhouse_admin', pg_catalog.current_database());
    EXECUTE pg_catalog.format('GRANT CONNECT ON DATABASE %I TO perfhouse_reader', pg_catalog.current_database());
END $$;
COMMENT ON PROCEDURE perfhouse.apply_grants() IS
    'Takes everything from PUBLIC and gives the three roles what they need: reading; loading and removing runs; upkeep of the dictionary.';
REVOKE ALL ON PROCEDURE perfhouse.apply_grants() FROM PUBLIC;
CALL perfhouse.apply_grants();
-- == tables/001-warehouse.sql
-- 001-warehouse.sql - tables of the performance data warehouse for profiles.
--
-- Applied by `perfhouse init` inside one transaction, after CREATE EXTENSION perfhouse. Plain tables of
-- schema perfhouse, not extension members, so that pg_dump restores them like any user table. The same
-- statements run on Citus: run, region, callpath, metric and commit as reference tables, the tables by
-- run distributed by run_id. Every by-run key starts with run_id.

-- ---------------------------------------------------------------------------------------- dictionary
CREATE TABLE perfhouse.region (
    region_id int8 PRIMARY KEY,          -- ph_hash_region(kind, name, library, file, line if loop or statement)
    kind      int2 NOT NULL,             -- 0 function, 1 region, 2 loop, 3 statement, 4 synthetic root
    name      text NOT NULL,
    library   text,                      -- load module, path normalised
    file      text,                      -- source file, path normalised
    line      int4                       -- loops and statements only
);

CREATE TABLE perfhouse.callpath (
    callpath_id int8 PRIMARY KEY,        -- ph_hash_callpath(parent_id or 0, region_id)
    parent_id   int8,                    -- null: a root
    region_id   int8 NOT NULL,
    depth       int4 NOT NULL            -- roots are 0
);
CREATE INDEX callpath_parent ON perfhouse.callpath (parent_id);
CREATE INDEX callpath_region ON perfhouse.callpath (region_id);

CREATE TABLE perfhouse.metric (
    metric_id int4 GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    name      text NOT NULL,
    unit      text NOT NULL DEFAULT '',
    kind      int2 NOT NULL DEFAULT 0,   -- 0 flow, 1 ratio, 2 value
    combine   int2 NOT NULL DEFAULT 0,   -- of value metrics: 0 mean, 1 min, 2 max, 3 sum
    is_signed boolean NOT NULL DEFAULT false, -- values may be negative
    numerator_id   int4,                 -- of ratios
    denominator_id int4,
    better    int2 NOT NULL DEFAULT -1,  -- -1 less is better, 1 more is better, 0 neither
    -- Two profilers may call seconds and microseconds `time`: the name alone is no identity. Within
    -- one run a name is unique; resolve names through run.metrics and run.metric_ids.
    UNIQUE NULLS NOT DISTINCT (name, unit, kind, combine, is_signed, numerator_id, denominator_id)
);

CREATE TABLE perfhouse.commit (
    commit_id             text PRIMARY KEY,   -- full hash
    repository            text,
    parents               text[] NOT NULL DEFAULT '{}',
    subject               text,
    author                text,
    authored_at           timestamptz,
    committed_at          timestamptz,
    first_parent_position int4
);

-- ----------------------------------------------------------------------------------------------- runs
CREATE TABLE perfhouse.run (
    run_id      int8 GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    fingerprint text NOT NULL,           -- SHA-256 over the sorted (relative name, content hash) of the files
    repeat      int4 NOT NULL DEFAULT 0, -- --if-exists append counts up
    state       text NOT NULL DEFAULT 'loading' CHECK (state IN ('loading', 'ready', 'failed')),
    application text,
    title       text,                    -- what people call the run; default: the file's name
    source      text,                    -- path as given to load
    format      text NOT NULL,           -- reader's name
    commit_id   text,
    branch      text,
    started_at  timestamptz,
    user_name   text,
    cluster     text,
    n_ranks     int4,
    n_threads   int4,
    n_nodes     int4,                    -- call-tree nodes
    n_columns   int4,                    -- execution units (x iterations) in the profile
    n_units     int4,                    -- execution units: n_columns without the iteration axis
    metrics     text[] NOT NULL DEFAULT '{}', -- primary metric first
    metric_ids  int4[] NOT NULL DEFAULT '{}', -- parallel to metrics
    residual_cells  int8 NOT NULL DEFAULT 0,
    missing_columns int4 NOT NULL DEFAULT 0,
    meta        jsonb NOT NULL DEFAULT '{}',
    tags        text[] NOT NULL DEFAULT '{}',
    excluded_reason text,
    loaded_at   timestamptz NOT NULL DEFAULT now(),
    loader_pid  int4,                    -- backend pid of the loader while state = 'loading'
    UNIQUE (fingerprint, repeat)
);
CREATE INDEX run_meta ON perfhouse.run USING gin (meta jsonb_path_ops);
CREATE INDEX run_application ON perfhouse.run (application, started_at);
CREATE INDEX run_commit ON perfhouse.run (commit_id);
CREATE INDEX run_tags ON perfhouse.run USING gin (tags);

CREATE TABLE perfhouse.load_log (
    load_id     int8 GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    run_id      int8,
    source      text NOT NULL,
    outcome     text NOT NULL CHECK (outcome IN ('loaded', 'replaced', 'appended', 'skipped', 'failed')),
    message     text,
    bytes       int8,
    seconds     float8,
    at          timestamptz NOT NULL DEFAULT now(),
    by_user     text NOT NULL DEFAULT current_user
);

-- --------------------------------------------------------------------------------------------- by run
CREATE TABLE perfhouse.location (
    run_id      int8 NOT NULL,
    location_id int4 NOT NULL,           -- dense from 0: the column of the stored vectors
    kind        int2 NOT NULL DEFAULT 0, -- 0 unit, 2 group, 3 PE, 4 chare
    rank        int4,
    thread      int4,
    host        text,
    name        text,
    iteration   int8,                    -- second axis; null: none
    source_id   int8,                    -- the id in the source file
    PRIMARY KEY (run_id, location_id)
);

CREATE TABLE perfhouse.run_region (      -- regions as this run has them
    run_id    int8 NOT NULL,
    region_id int8 NOT NULL,
    local_id  int4 NOT NULL,             -- dense from 0
    module    text,                      -- label from the module map
    raw_file  text,                      -- path before normalisation
    line      int4,                      -- definition line as this run has it
    PRIMARY KEY (run_id, region_id)
);

-- The run's call tree in pre-order, in the core's flat form without metrics (a skeleton).
CREATE TABLE perfhouse.profile_tree (
    run_id  int8 PRIMARY KEY,
    n_nodes int4 NOT NULL,
    tree    bytea NOT NULL               -- ph_profile_flatten(ph_profile_skeleton(profile))
);

CREATE TABLE perfhouse.profile_values (
    run_id      int8 NOT NULL,
    callpath_id int8 NOT NULL,
    metric_id   int4 NOT NULL,
    block       int4 NOT NULL,           -- columns [block * 4096, block * 4096 + 4096)
    inclusive   float8[] NOT NULL,       -- null elements: the column has no such node
    exclusive   float8[] NOT NULL,       -- null exactly where inclusive is
    PRIMARY KEY (run_id, metric_id, callpath_id, block)
);
ALTER TABLE perfhouse.profile_values ALTER inclusive SET COMPRESSION lz4, ALTER exclusive SET COMPRESSION lz4;

-- Over execution units: the iterations of a unit are summed first (values of kind 2 combine), as
-- profile(run) does. Sums count an absent unit as 0; the mean is sum / run.n_units. Minima, maxima
-- and their units are over the n units that have the node. Ratio metrics have no rows.
CREATE TABLE perfhouse.profile_summary (
    run_id          int8 NOT NULL,
    callpath_id     int8 NOT NULL,
    metric_id       int4 NOT NULL,
    n               int4 NOT NULL,       -- units that have the node
    inclusive_sum   float8, inclusive_sumsq float8,
    inclusive_min   float8, inclusive_max   float8, inclusive_argmin int4, inclusive_argmax int4,
    exclusive_sum   float8, exclusive_sumsq float8,
    exclusive_min   float8, exclusive_max   float8, exclusive_argmin int4, exclusive_argmax int4,
    PRIMARY KEY (run_id, metric_id, callpath_id)
);

-- The index for history: one row a region and flow metric, recursion-safe.
CREATE TABLE perfhouse.region_summary (
    run_id    int8 NOT NULL,
    region_id int8 NOT NULL,
    metric_id int4 NOT NULL,
    n_nodes   int4 NOT NULL,
    inclusive float8 NOT NULL,           -- mean over units (absent = 0), outermost instances
    exclusive float8 NOT NULL,           -- mean over units
    min       float8 NOT NULL,           -- of the exclusive vector over units, absent = 0
    max       float8 NOT NULL,
    PRIMARY KEY (run_id, region_id, metric_id)
);
CREATE INDEX region_summary_history ON perfhouse.region_summary (region_id, metric_id, run_id)
    INCLUDE (inclusive, exclusive, min, max);

ALTER TABLE perfhouse.location        ADD FOREIGN KEY (run_id) REFERENCES perfhouse.run ON DELETE CASCADE;
ALTER TABLE perfhouse.run_region      ADD FOREIGN KEY (run_id) REFERENCES perfhouse.run ON DELETE CASCADE;
ALTER TABLE perfhouse.profile_tree    ADD FOREIGN KEY (run_id) REFERENCES perfhouse.run ON DELETE CASCADE;
ALTER TABLE perfhouse.profile_values  ADD FOREIGN KEY (run_id) REFERENCES perfhouse.run ON DELETE CASCADE;
ALTER TABLE perfhouse.profile_summary ADD FOREIGN KEY (run_id) REFERENCES perfhouse.run ON DELETE CASCADE;
ALTER TABLE perfhouse.region_summary  ADD FOREIGN KEY (run_id) REFERENCES perfhouse.run ON DELETE CASCADE;
-- == tables/002-rows-by-run.sql
-- 002-rows-by-run.sql - rows by run no longer refer to their run by foreign keys.
--
-- A foreign key is checked once a row, with a query and a lock on the run's row each time. With 1000
-- runs of 60 call paths, metrics and ranks the checks took half of the server's time (2.3 s of CPU
-- with them, 1.15 s without), and they could never fail: the loader writes a run's row and its other
-- rows in one transaction. The other half of their use, that a deleted run takes its rows along, is
-- done by perfhouse.clear_run (015-rows-by-run.sql), which perfhouse.drop_run calls. A plain DELETE
-- FROM perfhouse.run leaves rows behind that nobody sees; `perfhouse doctor` finds and removes them.
--
-- Whoever writes rows of a run that is committed already must hold a lock on its row in the same
-- transaction (SELECT ... FOR KEY SHARE at least), as a foreign key's check would: then drop_run waits.
ALTER TABLE perfhouse.location        DROP CONSTRAINT IF EXISTS location_run_id_fkey;
ALTER TABLE perfhouse.run_region      DROP CONSTRAINT IF EXISTS run_region_run_id_fkey;
ALTER TABLE perfhouse.profile_tree    DROP CONSTRAINT IF EXISTS profile_tree_run_id_fkey;
ALTER TABLE perfhouse.profile_values  DROP CONSTRAINT IF EXISTS profile_values_run_id_fkey;
ALTER TABLE perfhouse.profile_summary DROP CONSTRAINT IF EXISTS profile_summary_run_id_fkey;
ALTER TABLE perfhouse.region_summary  DROP CONSTRAINT IF EXISTS region_summary_run_id_fkey;

-- Trees: the default method of compression took 2 % of the time of loading small runs.
ALTER TABLE perfhouse.profile_tree ALTER tree SET COMPRESSION lz4;
-- == tables/003-traces.sql
-- 003-traces.sql - tables of event traces: definitions, event chunks, matched messages.
--
-- A location of a trace has the location_id of its row in perfhouse.location; locations behind the last
-- one that has calls (of metrics, say) have no row there.
--
-- Chunks hold up to 16384 events of one location as compressed columns (extension/core/trace_chunk.h);
-- local ids in them (regions, communicators, metrics) count from 0 within the run. No foreign keys: see
-- 002. Distributed by run_id on Citus; storage must be set before distribution.

-- What a trace is and how far to trust it.
CREATE TABLE perfhouse.trace (
    run_id             int8 PRIMARY KEY,
    n_locations        int4 NOT NULL,
    n_events           int8 NOT NULL,
    duration           int8 NOT NULL,          -- ns from the first event to the last
    epoch_ns           int8,                   -- of time 0, since 1970; null: unknown
    n_messages         int8 NOT NULL DEFAULT 0, -- matched pairs
    unmatched_sends    int8 NOT NULL DEFAULT 0,
    unmatched_receives int8 NOT NULL DEFAULT 0,
    reversed_messages  int8 NOT NULL DEFAULT 0, -- received before they were sent
    worst_reversal     int8 NOT NULL DEFAULT 0, -- ns
    n_collectives      int8 NOT NULL DEFAULT 0, -- instances of the application's
    open_calls         int8 NOT NULL DEFAULT 0, -- not left at the end: the trace was cut off
    unknown_records    int8 NOT NULL DEFAULT 0,
    clock              text NOT NULL DEFAULT 'uncorrected' CHECK (clock IN ('uncorrected', 'offsets', 'logical'))
);

-- The programming model that a region belongs to, as measured: mpi, openmp, user, …; null: unknown.
ALTER TABLE perfhouse.run_region ADD COLUMN paradigm text;

CREATE TABLE perfhouse.trace_region (
    run_id    int8 NOT NULL,
    local_id  int4 NOT NULL,             -- as in chunks
    region_id int8 NOT NULL,             -- in the dictionary; regions that no call uses are not there
    name      text NOT NULL,
    paradigm  text NOT NULL DEFAULT '',
    role      text NOT NULL DEFAULT '',
    PRIMARY KEY (run_id, local_id)
);

CREATE TABLE perfhouse.trace_communicator (
    run_id   int8 NOT NULL,
    local_id int4 NOT NULL,
    name     text NOT NULL DEFAULT '',
    parent   int4,
    is_mpi   boolean NOT NULL DEFAULT true,
    members  int4[] NOT NULL,            -- world ranks by rank in the communicator
    PRIMARY KEY (run_id, local_id)
);

CREATE TABLE perfhouse.trace_metric (
    run_id         int8 NOT NULL,
    metric_class   int4 NOT NULL,
    member         int4 NOT NULL,
    name           text NOT NULL,
    unit           text NOT NULL DEFAULT '',
    type           int2 NOT NULL,        -- 0 uint64, 1 int64, 2 double
    is_accumulated boolean NOT NULL,
    scale          float8 NOT NULL,      -- value in unit = stored value * scale
    PRIMARY KEY (run_id, metric_class, member)
);

CREATE TABLE perfhouse.trace_chunk (
    run_id      int8 NOT NULL,
    location_id int4 NOT NULL,
    chunk_no    int4 NOT NULL,
    format      int2 NOT NULL,
    n_events    int4 NOT NULL,
    n_enter     int4 NOT NULL,
    n_message   int4 NOT NULL,
    first_seq   int8 NOT NULL,
    t_prev      int8 NOT NULL,
    t_first     int8 NOT NULL,
    t_last      int8 NOT NULL,
    stack       bytea NOT NULL,
    dt          bytea NOT NULL,
    kind        bytea NOT NULL,
    region      bytea NOT NULL,
    msg         bytea NOT NULL,
    extra       bytea NOT NULL,
    PRIMARY KEY (run_id, location_id, chunk_no)
);
ALTER TABLE perfhouse.trace_chunk
    ALTER stack SET STORAGE EXTERNAL, ALTER dt SET STORAGE EXTERNAL, ALTER kind SET STORAGE EXTERNAL,
    ALTER region SET STORAGE EXTERNAL, ALTER msg SET STORAGE EXTERNAL, ALTER extra SET STORAGE EXTERNAL;

-- Rows are few and small, what they refer to is not: let the planner think of workers all the same.
ALTER TABLE perfhouse.trace_chunk SET (parallel_workers = 8);

-- Where the message of each completed receive of a chunk came from (extension/core/trace_link.h): one
-- row beside each chunk that has receives.
CREATE TABLE perfhouse.message_chunk (
    run_id      int8 NOT NULL,
    location_id int4 NOT NULL,           -- the receiver's
    chunk_no    int4 NOT NULL,
    n_links     int4 NOT NULL,
    t_send_min  int8 NOT NULL,           -- of its matched messages
    t_send_max  int8 NOT NULL,
    links       bytea NOT NULL,
    PRIMARY KEY (run_id, location_id, chunk_no)
);
ALTER TABLE perfhouse.message_chunk ALTER links SET STORAGE EXTERNAL;
-- == tables/004-logical.sql
-- 004-logical.sql - tables of logical time: phases of traces, and steps of their communication events.
--
-- Written by perfhouse.assign_logical_steps as a whole, replaced as a whole. Chunks hold up to 1024
-- events of one location as compressed columns (extension/core/logical_store.h). No foreign keys: see
-- 002. Distributed by run_id on Citus; storage must be set before distribution.

CREATE TABLE perfhouse.logical (
    run_id     int8 PRIMARY KEY,
    version    int4 NOT NULL,            -- of the method: others are assigned anew
    options    jsonb NOT NULL,           -- all of them, as assign_logical_steps takes them
    n_locations int4 NOT NULL,           -- with communication events
    n_events   int8 NOT NULL,            -- communication events
    n_messages int8 NOT NULL,
    n_phases   int4 NOT NULL,
    last_step  int4 NOT NULL,            -- -1: no events
    notes      jsonb NOT NULL,           -- what was odd in the trace, counts by name
    assigned_at timestamptz NOT NULL DEFAULT now()
);

-- Up to 1024 phases a row, one array element each: phases may be as many as messages. phases(run) shows
-- them as rows.
CREATE TABLE perfhouse.phase_chunk (
    run_id        int8 NOT NULL,
    first_phase   int4 NOT NULL,         -- phases count from 0, in order of first steps
    first_step    int4[] NOT NULL,
    last_step     int4[] NOT NULL,
    n_events      int4[] NOT NULL,
    n_locations   int4[] NOT NULL,
    leap          int4[] NOT NULL,       -- longest way from a first phase in the phase graph
    max_lateness  int8[] NOT NULL,       -- ns
    t_first       int8[] NOT NULL,       -- first enter, ns
    t_last        int8[] NOT NULL,       -- last leave, ns
    pattern       text[] NOT NULL,       -- of its exchange; '': it is none
    merge_reason  text[] NOT NULL,       -- the last kind of merge that joined its parts
    merge_reasons text[] NOT NULL,       -- all kinds, each an array literal
    regions       text[] NOT NULL,       -- the functions of its events, by name
    followed_by   text[] NOT NULL,       -- phases that follow it directly on some location, each an array literal
    PRIMARY KEY (run_id, first_phase)
);
ALTER TABLE perfhouse.phase_chunk
    ALTER first_step SET COMPRESSION lz4, ALTER last_step SET COMPRESSION lz4, ALTER n_events SET COMPRESSION lz4,
    ALTER n_locations SET COMPRESSION lz4, ALTER leap SET COMPRESSION lz4, ALTER max_lateness SET COMPRESSION lz4,
    ALTER t_first SET COMPRESSION lz4, ALTER t_last SET COMPRESSION lz4, ALTER pattern SET COMPRESSION lz4,
    ALTER merge_reason SET COMPRESSION lz4, ALTER merge_reasons SET COMPRESSION lz4, ALTER regions SET COMPRESSION lz4,
    ALTER followed_by SET COMPRESSION lz4;

CREATE TABLE perfhouse.logical_chunk (
    run_id      int8 NOT NULL,
    location_id int4 NOT NULL,
    chunk_no    int4 NOT NULL,
    format      int4 NOT NULL,
    n_events    int4 NOT NULL,
    n_ends      int4 NOT NULL,
    first_seq   int4 NOT NULL,           -- communication events of the location before it
    step_first  int4 NOT NULL,
    step_last   int4 NOT NULL,
    t_first     int8 NOT NULL,
    t_last      int8 NOT NULL,
    places      bytea NOT NULL,
    metrics     bytea NOT NULL,
    causes      bytea NOT NULL,
    ends        bytea NOT NULL,
    counters    bytea NOT NULL,
    PRIMARY KEY (run_id, location_id, chunk_no)
);
ALTER TABLE perfhouse.logical_chunk
    ALTER places SET STORAGE EXTERNAL, ALTER metrics SET STORAGE EXTERNAL, ALTER causes SET STORAGE EXTERNAL,
    ALTER ends SET STORAGE EXTERNAL, ALTER counters SET STORAGE EXTERNAL;
-- == tables/005-history.sql
-- 005-history.sql - commits in order, branches and tags, baselines, regressions.

ALTER TABLE perfhouse.commit ADD COLUMN "position" int4; -- parents before children, else by date; from 0 per repository
COMMENT ON COLUMN perfhouse.commit."position" IS 'place in an order in which parents come before children, from 0';
COMMENT ON COLUMN perfhouse.commit.first_parent_position IS 'place on the main line (first parents of the head), from 0; null: on a side branch';
-- run.commit_id may be the beginning of a hash
CREATE INDEX commit_prefix ON perfhouse.commit (commit_id text_pattern_ops);
CREATE INDEX region_by_name ON perfhouse.region USING hash (name);

CREATE TABLE perfhouse.commit_ref (
    repository text NOT NULL,
    name       text NOT NULL,            -- short: main, v1.0
    kind       text NOT NULL CHECK (kind IN ('head', 'branch', 'remote', 'tag')),
    commit_id  text NOT NULL,
    PRIMARY KEY (repository, kind, name)
);
COMMENT ON TABLE perfhouse.commit_ref IS 'Branches and tags as perfhouse commits last saw them; the head is the main line''s newest commit.';

CREATE TABLE perfhouse.baseline (
    application text NOT NULL,
    name        text NOT NULL,
    commit_id   text NOT NULL,
    reason      text,
    set_by      text NOT NULL DEFAULT current_user,
    set_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (application, name)
);
COMMENT ON TABLE perfhouse.baseline IS 'Commits that people compare with, by name.';

CREATE TABLE perfhouse.regression (
    regression_id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    application text NOT NULL,
    n_ranks     int4,
    n_threads   int4,
    cluster     text,
    metric_id   int4 NOT NULL,
    callpath_id int8 NOT NULL,           -- top of the smallest subtree that explains the change
    path        text NOT NULL,
    commit_id   text,                    -- first measured one of the new level
    previous_commit_id text,             -- last measured one of the old level
    run_id      int8 NOT NULL,           -- first run of the new level
    mean_before float8 NOT NULL,         -- inclusive, mean over units and runs
    mean_after  float8 NOT NULL,
    own_change  float8 NOT NULL,         -- part of the change that is the path's own cost
    total_change float8 NOT NULL,        -- change of the whole program at the same place
    p_value     float8 NOT NULL,
    q_value     float8 NOT NULL,
    n_before    int4 NOT NULL,
    n_after     int4 NOT NULL,
    lost_node_hours float8,              -- in the runs of the new level so far
    state       text NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'active', 'ignored', 'fixed')),
    reason      text,
    changed_by  text NOT NULL DEFAULT current_user,
    found_at    timestamptz NOT NULL DEFAULT now(),
    changed_at  timestamptz NOT NULL DEFAULT now(),
    UNIQUE NULLS NOT DISTINCT (application, n_ranks, n_threads, cluster, metric_id, callpath_id, run_id)
);
CREATE INDEX regression_state ON perfhouse.regression (state, application);
COMMENT ON TABLE perfhouse.regression IS 'Changes for the worse that update_regressions() found, and what people decided about them.';

-- What update_regressions() has looked at: conditions whose runs are the same are not searched again.
CREATE TABLE perfhouse.regression_watch (
    application text NOT NULL,
    runs        int8 NOT NULL,           -- how many were there
    fingerprint text NOT NULL,           -- of their numbers, commits and exclusions
    searched_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (application)
);
-- == tables/006-aliases.sql
-- 006-aliases.sql - regions that count as others when runs are compared.

CREATE TABLE perfhouse.region_alias (
    alias_id    int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    application text,                    -- null: of all applications
    name        text,                    -- what it is about; null: any
    library     text,
    file        text,
    is_pattern  boolean NOT NULL DEFAULT false, -- the three above are regular expressions
    to_name     text CHECK (to_name <> ''), -- what that counts as; null: stays
    to_library  text,                    -- '': none
    to_file     text,
    reason      text,
    set_by      text NOT NULL DEFAULT current_user,
    set_at      timestamptz NOT NULL DEFAULT now(),
    CHECK (coalesce(name, library, file) IS NOT NULL),
    CHECK (coalesce(to_name, to_library, to_file) IS NOT NULL),
    CONSTRAINT region_alias_once UNIQUE NULLS NOT DISTINCT (application, name, library, file, is_pattern, to_name, to_library, to_file)
);
COMMENT ON TABLE perfhouse.region_alias IS 'Renamed functions, moved files, newer libraries: what people said with add_alias().';
-- == tables/007-upkeep.sql
-- 007-upkeep.sql - runs rolled up: distributions instead of a value per rank; which runs that happens to.

ALTER TABLE perfhouse.run ADD COLUMN rolled_up_at timestamptz;
COMMENT ON COLUMN perfhouse.run.rolled_up_at IS 'when its values per unit were replaced by profile_sketch; null: they are there';

ALTER TABLE perfhouse.trace ADD COLUMN events_dropped_at timestamptz;
COMMENT ON COLUMN perfhouse.trace.events_dropped_at IS 'when its events were dropped, which left the profile, phases and definitions; null: they are there';

-- What stays of profile_values when a run is rolled up (extension/core/sketch.h), besides profile_summary.
-- Over the units that have the node, the iterations of a unit summed first, as profile_summary.
CREATE TABLE perfhouse.profile_sketch (
    run_id      int8 NOT NULL,
    callpath_id int8 NOT NULL,
    metric_id   int4 NOT NULL,
    inclusive   bytea NOT NULL,
    exclusive   bytea NOT NULL,
    PRIMARY KEY (run_id, metric_id, callpath_id)
);
ALTER TABLE perfhouse.profile_sketch ALTER inclusive SET COMPRESSION lz4, ALTER exclusive SET COMPRESSION lz4;

CREATE TABLE perfhouse.retention_policy (
    name       text PRIMARY KEY,
    action     text NOT NULL CHECK (action IN ('roll up', 'drop trace')),
    older_than interval NOT NULL CHECK (older_than >= interval '0'), -- since the run was loaded
    filter     text,                     -- a run filter; null: every run
    keep_tags  text[] NOT NULL DEFAULT '{keep,baseline}', -- runs with one of these stay as they are
    enabled    boolean NOT NULL DEFAULT true,
    set_by     text NOT NULL DEFAULT current_user,
    set_at     timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE perfhouse.retention_policy IS
    'What apply_retention() does to runs that were loaded longer ago than older_than. Runs with a tag of keep_tags and runs of commits that are baselines are left alone.';
-- == tables/008-run-totals.sql
-- 008-run-totals.sql - what a run cost as a whole, kept with the run: questions about thousands of runs ask for it.

ALTER TABLE perfhouse.run ADD COLUMN total float8, ADD COLUMN n_hosts int4;
COMMENT ON COLUMN perfhouse.run.total IS 'whole of the primary metric (its roots'' inclusive values), mean over execution units; null: not a metric that adds up';
COMMENT ON COLUMN perfhouse.run.n_hosts IS 'distinct hosts of its execution units; null: the file does not say';

UPDATE perfhouse.run r SET
    total = (SELECT sum(s.inclusive_sum) / nullif(r.n_units, 0)
             FROM perfhouse.profile_summary s JOIN perfhouse.callpath c USING (callpath_id) JOIN perfhouse.metric m USING (metric_id)
             WHERE s.run_id = r.run_id AND s.metric_id = r.metric_ids[1] AND m.kind = 0 AND c.parent_id IS NULL),
    n_hosts = (SELECT nullif(count(DISTINCT l.host), 0) FROM perfhouse.location l WHERE l.run_id = r.run_id)
WHERE r.state = 'ready';
-- == tables/009-tasks.sql
-- 009-tasks.sql - tables of task-based programs (Charm++ and others): what their traces have beyond messages.
--
-- Processors are the locations of the trace; a serial block is a call in trace_chunk, with records beside it
-- (extension/core/task_records.h) that give its chare. Chares are here. Distributed by run_id on Citus.

-- A run of a task-based program.
CREATE TABLE perfhouse.task_trace (
    run_id   int8 PRIMARY KEY,
    model    text NOT NULL,              -- charm++, hpx, …
    tick     int4 NOT NULL,              -- ns: the resolution of the source's times
    n_chares int4 NOT NULL,
    n_blocks int8 NOT NULL               -- serial blocks; one that is reopened counts again
);

-- Types of chares (classes of data).
CREATE TABLE perfhouse.task_type (
    run_id     int8 NOT NULL,
    type_id    int4 NOT NULL,
    name       text NOT NULL,
    dimensions int4,                     -- of its index; null: not an array
    is_runtime boolean NOT NULL,         -- belongs to the run time system
    PRIMARY KEY (run_id, type_id)
);

-- Entry methods: the regions of the trace that serial blocks are of.
CREATE TABLE perfhouse.task_entry (
    run_id   int8 NOT NULL,
    local_id int4 NOT NULL,              -- as in trace_region
    type_id  int4 NOT NULL,
    name     text NOT NULL,              -- without its chare
    PRIMARY KEY (run_id, local_id)
);

CREATE TABLE perfhouse.chare (
    run_id     int8 NOT NULL,
    chare_id   int4 NOT NULL,            -- by type, collection, index, processor; as in chunks
    type_id    int4 NOT NULL,
    collection int4,                     -- the array that it is an element of; null: unknown or none
    index      int4[],                   -- null: not an element of an array
    processor  int4,                     -- of those that a processor has one of each; null: any
    name       text,                     -- null: told by type and index
    is_runtime boolean NOT NULL,
    first_location int4 NOT NULL,        -- where it was seen first
    PRIMARY KEY (run_id, chare_id)
);

-- Logical time of tasks, beside the tables of 004: its locations are chares, and one more a processor for the
-- chares of the run time there.
CREATE TABLE perfhouse.logical_timeline (
    run_id      int8 NOT NULL,
    location_id int4 NOT NULL,           -- as in logical_chunk: chares by type, collection, index; then run times
    name        text NOT NULL,
    is_runtime  boolean NOT NULL,
    chare_id    int4,                    -- null: the run time of a processor
    first_location int4 NOT NULL,        -- the processor where it was seen first, as in trace_chunk
    PRIMARY KEY (run_id, location_id)
);
ALTER TABLE perfhouse.logical_chunk ADD tasks bytea;       -- null: of processes
ALTER TABLE perfhouse.logical_chunk ALTER tasks SET STORAGE EXTERNAL;
-- Null: of processes.
ALTER TABLE IF EXISTS perfhouse.phase_chunk
    ADD is_runtime   boolean[],          -- has events of the run time, or of whom it exchanges messages with
    ADD imbalance    int8[],             -- greatest less least load of all processors, ns
    ADD max_idle     int8[],             -- greatest idle experienced among its events, ns
    ADD max_duration int8[];             -- greatest differential duration among its events, ns
ALTER TABLE IF EXISTS perfhouse.phase_chunk
    ALTER is_runtime SET COMPRESSION lz4, ALTER imbalance SET COMPRESSION lz4, ALTER max_idle SET COMPRESSION lz4,
    ALTER max_duration SET COMPRESSION lz4;
-- == tables/100-early-tables.sql
-- 100-early-tables.sql - what tables lack that were made while steps 002 to 009 were still being written.
--
-- Steps are applied once and their texts do not change any more; a later change of tables is a new step from 100 on.

DO $$
DECLARE
    level text := pg_catalog.current_setting('client_min_messages');
BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_attribute
                   WHERE attrelid = 'perfhouse.metric'::regclass AND attname = 'is_signed' AND NOT attisdropped) THEN
        RAISE EXCEPTION 'the warehouse is of a perfhouse that is too old to be upgraded: its profiles are stored in another way'
            USING HINT = 'Make a new database, run perfhouse init there and load the files again; perfhouse.run says which they were (column source).';
    END IF;
    -- phases were rows before they were arrays; logical time follows from the events: assign_logical_steps(run)
    IF pg_catalog.to_regclass('perfhouse.phase') IS NOT NULL THEN
        DROP TABLE perfhouse.phase;
        DELETE FROM perfhouse.logical_chunk;
        DELETE FROM perfhouse.logical;
    END IF;

    PERFORM pg_catalog.set_config('client_min_messages', 'warning', true); -- IF NOT EXISTS tells what exists
    ALTER TABLE perfhouse.profile_tree ALTER tree SET COMPRESSION lz4;
    ALTER TABLE perfhouse.run_region ADD COLUMN IF NOT EXISTS paradigm text;
    ALTER TABLE perfhouse.trace_chunk SET (parallel_workers = 8);

    -- As in 004 and 009.
    CREATE TABLE IF NOT EXISTS perfhouse.phase_chunk (
        run_id        int8 NOT NULL,
        first_phase   int4 NOT NULL,
        first_step    int4[] NOT NULL,
        last_step     int4[] NOT NULL,
        n_events      int4[] NOT NULL,
        n_locations   int4[] NOT NULL,
        leap          int4[] NOT NULL,
        max_lateness  int8[] NOT NULL,
        t_first       int8[] NOT NULL,
        t_last        int8[] NOT NULL,
        pattern       text[] NOT NULL,
        merge_reason  text[] NOT NULL,
        merge_reasons text[] NOT NULL,
        regions       text[] NOT NULL,
        followed_by   text[] NOT NULL,
        PRIMARY KEY (run_id, first_phase)
    );
    CREATE TABLE IF NOT EXISTS perfhouse.logical_timeline (
        run_id      int8 NOT NULL,
        location_id int4 NOT NULL,
        name        text NOT NULL,
        is_runtime  boolean NOT NULL,
        chare_id    int4,
        first_location int4 NOT NULL,
        PRIMARY KEY (run_id, location_id)
    );
    ALTER TABLE perfhouse.logical_chunk ADD COLUMN IF NOT EXISTS tasks bytea;
    ALTER TABLE perfhouse.logical_chunk ALTER tasks SET STORAGE EXTERNAL;
    ALTER TABLE perfhouse.phase_chunk
        ADD COLUMN IF NOT EXISTS is_runtime boolean[], ADD COLUMN IF NOT EXISTS imbalance int8[],
        ADD COLUMN IF NOT EXISTS max_idle int8[], ADD COLUMN IF NOT EXISTS max_duration int8[];
    ALTER TABLE perfhouse.phase_chunk
        ALTER first_step SET COMPRESSION lz4, ALTER last_step SET COMPRESSION lz4, ALTER n_events SET COMPRESSION lz4,
        ALTER n_locations SET COMPRESSION lz4, ALTER leap SET COMPRESSION lz4, ALTER max_lateness SET COMPRESSION lz4,
        ALTER t_first SET COMPRESSION lz4, ALTER t_last SET COMPRESSION lz4, ALTER pattern SET COMPRESSION lz4,
        ALTER merge_reason SET COMPRESSION lz4, ALTER merge_reasons SET COMPRESSION lz4,
        ALTER regions SET COMPRESSION lz4, ALTER followed_by SET COMPRESSION lz4, ALTER is_runtime SET COMPRESSION lz4,
        ALTER imbalance SET COMPRESSION lz4, ALTER max_idle SET COMPRESSION lz4, ALTER max_duration SET COMPRESSION lz4;
    PERFORM pg_catalog.set_config('client_min_messages', level, true);
END $$;
