-- Runs the script $1 in the database of every worker, each in one statement; a row for each where it failed.
SELECT w.nodename, w.nodeport, w.result
FROM pg_catalog.run_command_on_workers(pg_catalog.format('DO %L',
         pg_catalog.format('BEGIN SET LOCAL citus.enable_ddl_propagation = off; EXECUTE %L; END', $1::text))) w
WHERE NOT w.success
