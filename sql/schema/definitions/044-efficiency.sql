-- 044-efficiency.sql - efficiencies of runs, stored with them, and along the commits (docs/design/replay.md 6).

CREATE OR REPLACE FUNCTION perfhouse_internal.store_efficiency(run bigint) RETURNS float8
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    e record;
    device record;
    stored float8;
BEGIN
    SELECT * INTO e FROM perfhouse.efficiency(run);
    SELECT f.* INTO device FROM perfhouse.device_efficiency(run) f WHERE perfhouse_internal.has_devices(run);
    UPDATE perfhouse.run q SET parallel_efficiency = e.parallel, load_balance = e.load_balance,
        communication_efficiency = e.communication, serialisation_efficiency = e.serialisation, transfer_efficiency = e.transfer,
        thread_efficiency = e.threads, thread_load_balance = e.thread_load_balance, thread_serialisation = e.thread_serialisation,
        efficiency_estimated = CASE WHEN e.parallel IS NOT NULL THEN e.estimated END, device_efficiency = device.parallel,
        device_load_balance = device.load_balance, device_communication = device.communication, device_orchestration = device.orchestration
    WHERE q.run_id = run RETURNING q.parallel_efficiency INTO stored;
    DELETE FROM perfhouse.derived d WHERE d.run_id = run AND d.kind = 'efficiency';
    INSERT INTO perfhouse.derived (run_id, kind, version)
    SELECT run, k.kind, k.version FROM perfhouse_internal.derived_kinds() k WHERE k.kind = 'efficiency';
    RETURN stored;
END $$;
COMMENT ON FUNCTION perfhouse_internal.store_efficiency(bigint) IS
    'Stores what efficiency(run) and, of devices, device_efficiency(run) say with a run that the transaction holds, and '
    'returns the parallel efficiency.';

CREATE OR REPLACE FUNCTION perfhouse_internal.load_efficiency(run bigint) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    size bigint;
BEGIN
    -- where nobody waits for anybody the estimate says the same, and the events need not be read
    SELECT t.n_events INTO size FROM perfhouse.trace t WHERE t.run_id = run AND (t.n_messages + t.n_collectives > 0 OR EXISTS (
        SELECT 1 FROM perfhouse.trace_communicator w JOIN perfhouse.trace_communicator p ON p.run_id = w.run_id AND p.local_id = w.parent
        WHERE w.run_id = run AND NOT w.is_mpi AND p.is_mpi) -- windows of one-sided communication
        OR EXISTS (SELECT 1 FROM perfhouse.trace_stream s WHERE s.run_id = run));
    IF size <= 1000000 THEN
        PERFORM perfhouse_internal.store_efficiency(run);
    ELSIF size IS NOT NULL THEN -- to replay them costs a load several times what reading them does: doctor --repair does it
        INSERT INTO perfhouse.derived (run_id, kind, version) VALUES (run, 'efficiency', 0);
    END IF;
    RETURN NULL;
EXCEPTION WHEN OTHERS THEN -- a query that is cancelled is none of these
    INSERT INTO perfhouse.derived (run_id, kind, version) VALUES (run, 'efficiency', 0);
    RETURN SQLERRM;
END $$;
COMMENT ON FUNCTION perfhouse_internal.load_efficiency(bigint) IS
    'store_efficiency for the load of a trace of at most a million events, in its transaction: what is larger or goes wrong '
    'leaves the estimate. Null: nothing went wrong.';

CREATE OR REPLACE FUNCTION perfhouse.assign_efficiency(run bigint) RETURNS float8
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    r record;
    stored float8;
BEGIN
    SELECT q.application, q.rolled_up_at IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM perfhouse.trace t WHERE t.run_id = run AND t.events_dropped_at IS NULL) AS is_gone INTO r
    FROM perfhouse.run q WHERE q.run_id = run AND q.state = 'ready' FOR UPDATE;
    IF run IS NULL THEN
        RETURN NULL;
    ELSIF NOT FOUND THEN
        RAISE EXCEPTION 'there is no run %', run USING ERRCODE = 'PH002', HINT = 'perfhouse runs lists them; in SQL run_overview.';
    ELSIF r.is_gone THEN
        RAISE EXCEPTION 'values of single ranks and iterations of run % were rolled up', run USING ERRCODE = 'PH003',
            HINT = 'Loading the run again with --if-exists replace brings them back.';
    END IF;
    stored := perfhouse_internal.store_efficiency(run);
    PERFORM perfhouse_internal.notify_run(run, r.application, 'changed');
    RETURN stored;
END $$;
COMMENT ON FUNCTION perfhouse.assign_efficiency(bigint) IS
    'Computes the efficiencies of a run, and of its devices, as loading it does, and stores them with it, where run_overview and '
    'efficiency_history read them: of its events (loads with --no-blame store only the estimate), else estimated from '
    'its profile. Returns the parallel efficiency, 0 to 1; null: the primary metric does not tell, or the argument is '
    'null. Needs the rights of a loader. NOTIFY perfhouse_run. Errors: PH002 for an unknown run; PH003 when its values '
    'were rolled up and there are no events; PH001 when it is damaged. Method: as efficiency.';
REVOKE ALL ON FUNCTION perfhouse.assign_efficiency(bigint) FROM PUBLIC;

CREATE OR REPLACE FUNCTION perfhouse.device_efficiencies(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL,
    by text DEFAULT NULL, region text DEFAULT NULL)
RETURNS TABLE (part text, t_from int8, t_to int8, devices int4, elapsed int8, parallel float8, load_balance float8,
    communication float8, orchestration float8, offload float8)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
    SELECT e.part, e.t_from, e.t_to, d.*
    FROM perfhouse.efficiency($1, $2, $3, $4, $5) e, perfhouse.device_efficiency($1, e.t_from, e.t_to) d
    WHERE $4 IS NOT NULL OR $5 IS NOT NULL
    UNION ALL
    SELECT NULL, $2, $3, d.* FROM perfhouse.device_efficiency($1, $2, $3) d WHERE $4 IS NULL AND $5 IS NULL
$$;
COMMENT ON FUNCTION perfhouse.device_efficiencies(bigint, int8, int8, text, text) IS
    'How well a traced run uses its devices in parts of it: device_efficiency(run) of each window that efficiency(run, t_from, t_to, by, '
    'region) has: each phase (by => ''phase''), each iteration (by => ''iteration''), or each call of a function (region). part names it; '
    'windows in which no device did anything have no row. With neither, the row of the window [t_from, t_to), ns. Errors: as efficiency '
    'and device_efficiency.';

CREATE OR REPLACE FUNCTION perfhouse.efficiency_history(application text, filter text DEFAULT NULL)
RETURNS TABLE (series int, "position" int, commit_id text, run_id bigint, measured_at timestamptz, n_ranks int, n_threads int,
    cluster text, parallel float8, load_balance float8, communication float8, serialisation float8, transfer float8,
    threads float8, estimated boolean, thread_load_balance float8, thread_serialisation float8)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
    SELECT (dense_rank() OVER (ORDER BY h.n_ranks, h.n_threads, h.cluster, coalesce(h.experiment, h.run_id::text) COLLATE "C",
            r.efficiency_estimated))::int,
        h."position", h.commit_id, h.run_id, h.measured_at, h.n_ranks, h.n_threads, h.cluster, r.parallel_efficiency, r.load_balance,
        r.communication_efficiency, r.serialisation_efficiency, r.transfer_efficiency, r.thread_efficiency, r.efficiency_estimated,
        r.thread_load_balance, r.thread_serialisation
    FROM perfhouse.run_history h JOIN perfhouse.run r USING (run_id)
    WHERE h.application = $1 AND h.excluded_reason IS NULL AND r.parallel_efficiency IS NOT NULL
        AND ($2 IS NULL OR h.run_id IN (SELECT perfhouse.runs_matching($2)))
    ORDER BY 1, h."position" NULLS LAST, h.measured_at, h.run_id
$$;
COMMENT ON FUNCTION perfhouse.efficiency_history(text, text) IS
    'The stored efficiencies of an application''s runs along its commits, without runs that are excluded or have none: '
    'factors of efficiency(run), 0 to 1. A series is a condition of the experiment with as many ranks and threads on one '
    'cluster, and estimates are a series of their own, because they count what precedes MPI_Init and know no times. '
    'filter: runs_matching. position: of the commit; null: it is not known. Null arguments: no rows, or every run. Errors: '
    '22023 for a filter that nobody can read.';
