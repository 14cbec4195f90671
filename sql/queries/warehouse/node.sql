-- Which node of a distributed database this is: null coordinator: it was not told its own address.
SELECT (SELECT l.groupid <> 0 FROM pg_catalog.pg_dist_local_group l) AS is_worker,
       (SELECT pg_catalog.format('host=%s port=%s', n.nodename, n.nodeport)
        FROM pg_catalog.pg_dist_node n WHERE n.groupid = 0) AS coordinator,
       (SELECT count(*) FROM pg_catalog.pg_dist_node n WHERE n.groupid <> 0 AND n.noderole = 'primary') AS n_workers,
       EXISTS (SELECT FROM pg_catalog.pg_dist_partition p
               WHERE p.logicalrelid = pg_catalog.to_regclass('perfhouse.run')) AS is_distributed
