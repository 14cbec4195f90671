-- What the coordinator does not pass on. Functions that read run beside the data, so every node lets a part of a query ask for
-- more, which parallel workers of a plan cannot; a transaction that reads the run that it changed must not have changed it over
-- several connections; rights to the extension's functions are given on each node. A row for each node that could not be told;
-- nothing is done for others than the owner of the database.
SELECT r.name, r.result
FROM (SELECT pg_catalog.format('$do$BEGIN EXECUTE %L; END$do$', pg_catalog.format(
          'ALTER DATABASE %1$I SET citus.allow_nested_distributed_execution = on; '
          'ALTER DATABASE %1$I SET citus.multi_shard_modify_mode = sequential; '
          'ALTER DATABASE %1$I SET max_parallel_workers_per_gather = 0', pg_catalog.current_database())) AS allow,
          '$do$BEGIN SET LOCAL citus.enable_ddl_propagation = off; CALL perfhouse.apply_grants(); END$do$' AS give
      FROM pg_catalog.pg_database d
      WHERE d.datname = pg_catalog.current_database() AND pg_catalog.pg_has_role(d.datdba, 'USAGE')) c,
     LATERAL (
      SELECT pg_catalog.format('worker %s port %s', w.nodename, w.nodeport) AS name, w.success, w.result
      FROM pg_catalog.run_command_on_workers('DO ' || c.allow) w
      UNION ALL
      SELECT pg_catalog.format('worker %s port %s', w.nodename, w.nodeport), w.success, w.result
      FROM pg_catalog.run_command_on_workers('DO ' || c.give) w
      UNION ALL
      SELECT 'the coordinator', w.success, w.result FROM pg_catalog.run_command_on_coordinator('DO ' || c.allow) w) r
WHERE NOT r.success
