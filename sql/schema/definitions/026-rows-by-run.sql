-- 026-rows-by-run.sql - the one place that knows which tables hold rows of a run, and removes them.

-- A new table needs no line anywhere to be cleared with its run, checked by doctor and granted to loaders. Parts of tables that Citus
-- has, and shows to those who ask for them, end with their number.
CREATE OR REPLACE FUNCTION perfhouse.tables_by_run() RETURNS SETOF regclass
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT c.oid::regclass FROM pg_class c
    WHERE c.relnamespace = 'perfhouse'::regnamespace AND c.relkind IN ('r', 'p') AND c.relname !~ '_[0-9]{6,}$'
        AND perfhouse_internal.is_by_run(c.oid)
    ORDER BY c.relname
$$;
COMMENT ON FUNCTION perfhouse.tables_by_run() IS
    'The tables whose rows belong to a run and go with it: those of schema perfhouse, run itself apart, whose primary '
    'key starts with run_id, or ends with it where an index starts with it.';

-- Callers hold a lock on the run's row; a ready run is somebody's.
CREATE OR REPLACE FUNCTION perfhouse.clear_run(run bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    by_run regclass;
BEGIN
    IF EXISTS (SELECT 1 FROM perfhouse.run r WHERE r.run_id = run AND r.state = 'ready') THEN
        RAISE EXCEPTION 'run % is ready: it cannot be emptied', run USING ERRCODE = '55006',
            HINT = format('To remove it with its row: drop_run(%s).', run);
    END IF;
    FOR by_run IN SELECT perfhouse.tables_by_run() LOOP
        EXECUTE format('DELETE FROM %s WHERE run_id = $1', by_run) USING run;
    END LOOP;
    -- one that is loading comes back under its number
    PERFORM perfhouse_internal.move_regression(g.regression_id)
    FROM (SELECT r.regression_id FROM perfhouse.regression r WHERE r.run_id = run
              AND EXISTS (SELECT FROM perfhouse.run q WHERE q.run_id = run AND q.state = 'failed') ORDER BY 1) g;
END $$;
COMMENT ON FUNCTION perfhouse.clear_run(bigint) IS
    'Removes everything that is stored for a run but its row in perfhouse.run, which must not be in state ready: '
    '55006 then. Regressions that began with a failed run begin with the next one of its series. To remove a run use drop_run.';
REVOKE ALL ON FUNCTION perfhouse.clear_run(bigint) FROM PUBLIC;

-- Goes from one run to the next in each primary key instead of reading the tables; nodes that share them are asked for
-- all at once. Whoever does not see every run (row-level security) would take the runs of others for missing ones: he gets
-- no rows.
CREATE OR REPLACE FUNCTION perfhouse.rows_without_run(remove boolean DEFAULT false)
RETURNS TABLE (run_id bigint, relation regclass)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    stored text := CASE WHEN EXISTS (SELECT FROM pg_extension e WHERE e.extname = 'citus') THEN
            'WITH stored AS (SELECT DISTINCT run_id FROM %1$s)'
        ELSE
            'WITH RECURSIVE stored (run_id) AS (SELECT min(run_id) FROM %1$s UNION ALL'
            ' SELECT (SELECT min(t.run_id) FROM %1$s t WHERE t.run_id > s.run_id) FROM stored s WHERE s.run_id IS NOT NULL)'
        END;
BEGIN
    IF row_security_active('perfhouse.run') THEN
        RETURN;
    END IF;
    FOR relation IN SELECT perfhouse.tables_by_run() LOOP
        FOR run_id IN EXECUTE format(stored ||
            ' SELECT s.run_id FROM stored s WHERE s.run_id IS NOT NULL'
            ' AND NOT EXISTS (SELECT 1 FROM perfhouse.run r WHERE r.run_id = s.run_id) ORDER BY 1', relation) LOOP
            IF remove AND NOT EXISTS (SELECT 1 FROM perfhouse.run r WHERE r.run_id = rows_without_run.run_id) THEN
                EXECUTE format('DELETE FROM %s t WHERE t.run_id = $1', relation) USING run_id;
            END IF;
            RETURN NEXT;
        END LOOP;
    END LOOP;
END $$;
COMMENT ON FUNCTION perfhouse.rows_without_run(boolean) IS
    'Runs that are gone but have rows in a table by run, a row each: what DELETE FROM perfhouse.run leaves behind, '
    'where drop_run would not. With true they are removed.';
REVOKE ALL ON FUNCTION perfhouse.rows_without_run(boolean) FROM PUBLIC;

-- By the function below pg_stat_activity, which names users: a distributed database would look for the rights to them.
CREATE OR REPLACE FUNCTION perfhouse_internal.is_abandoned(loader_pid int, loaded_at timestamptz) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN $1 IS NULL OR NOT EXISTS (SELECT FROM pg_stat_get_activity($1) a WHERE coalesce(a.backend_start <= $2, true));
END $$;
COMMENT ON FUNCTION perfhouse_internal.is_abandoned(int, timestamptz) IS
    'Whether the backend that began to load a run (its loader_pid and loaded_at) is gone.';
