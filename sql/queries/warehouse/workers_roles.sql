-- Makes the three roles on workers that lack them: Citus passes on roles that this database makes, not such as another one of the
-- server made before. A row for each worker where it failed.
SELECT w.nodename, w.nodeport, w.result
FROM pg_catalog.run_command_on_workers(pg_catalog.format('DO %L', $do$
DECLARE
    role text;
BEGIN
    SET LOCAL citus.enable_ddl_propagation = off;
    FOREACH role IN ARRAY ARRAY['perfhouse_reader', 'perfhouse_loader', 'perfhouse_admin'] LOOP
        IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = role) THEN
            EXECUTE pg_catalog.format('CREATE ROLE %I NOLOGIN', role);
        END IF;
    END LOOP;
END $do$)) w
WHERE NOT w.success
