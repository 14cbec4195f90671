-- Statements that give the nodes the tables that lie on the coordinator alone: those by run in shards by run_id, the others
-- as copies. $1: shards a table, where none has any (null: 32).
SELECT CASE WHEN NOT c.by_run THEN pg_catalog.format('SELECT pg_catalog.create_reference_table(%L)', c.name)
            WHEN c.model IS NOT NULL THEN
                pg_catalog.format('SELECT pg_catalog.create_distributed_table(%L, ''run_id'', colocate_with => %L)', c.name, c.model)
            ELSE pg_catalog.format('SELECT pg_catalog.create_distributed_table(%L, ''run_id'', colocate_with => ''none'','
                ' shard_count => %s)', c.name, coalesce($1::int, 32)) END AS statement
FROM (SELECT t.oid::pg_catalog.regclass::text AS name, b.by_run,
             coalesce((SELECT p.logicalrelid::text FROM pg_catalog.pg_dist_partition p
                       JOIN pg_catalog.pg_class o ON o.oid = p.logicalrelid AND o.relnamespace = t.relnamespace
                       WHERE p.partmethod = 'h' ORDER BY p.logicalrelid LIMIT 1),
                      pg_catalog.lag(t.oid::pg_catalog.regclass::text) OVER (PARTITION BY b.by_run ORDER BY t.oid)) AS model,
             pg_catalog.row_number() OVER (ORDER BY b.by_run, t.oid) AS place
      FROM pg_catalog.pg_class t, LATERAL (SELECT perfhouse_internal.is_by_run(t.oid) AS by_run) b
      WHERE t.relnamespace = 'perfhouse'::pg_catalog.regnamespace AND t.relkind IN ('r', 'p') AND NOT t.relispartition
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_dist_partition p WHERE p.logicalrelid = t.oid)) c
ORDER BY c.place
