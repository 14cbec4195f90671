-- Runs the script $1 in the database of every worker that has the extension, and not of build $2, each in one statement; a row for
-- each where it failed.
SELECT w.nodename, w.nodeport, w.result
FROM pg_catalog.run_command_on_workers(pg_catalog.format('DO %L', pg_catalog.format($do$
BEGIN
    IF EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'perfhouse')
        AND (SELECT pg_catalog.substring(prosrc, '[0-9a-f]{32}') FROM pg_catalog.pg_proc
             WHERE oid = pg_catalog.to_regprocedure('perfhouse.perfhouse_build()')) IS DISTINCT FROM %L THEN
        SET LOCAL citus.enable_ddl_propagation = off;
        EXECUTE %L;
    END IF;
END $do$, $2::text, $1::text))) w
WHERE NOT w.success
