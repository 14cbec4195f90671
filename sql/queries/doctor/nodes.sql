-- The workers of a distributed warehouse: whether each answers, and what it is like there. shards: parts of tables that it has.
SELECT pg_catalog.format('%s port %s', n.nodename, n.nodeport) AS name, n.isactive AND coalesce(w.success, false) AS answers,
       CASE WHEN NOT n.isactive THEN 'it is disabled' ELSE coalesce(w.result, '') END AS said,
       coalesce(f.facts ->> 'build', '') = perfhouse.perfhouse_build() AS is_of_this_build,
       coalesce(f.facts ->> 'nested', '') = 'on' AS asks_others, coalesce((f.facts ->> 'in_doubt')::bigint, 0) AS in_doubt,
       (SELECT count(*) FROM pg_catalog.pg_dist_placement p JOIN pg_catalog.pg_dist_shard s USING (shardid)
        WHERE p.groupid = n.groupid AND s.shardminvalue IS NOT NULL) AS shards
FROM pg_catalog.pg_dist_node n
LEFT JOIN pg_catalog.run_command_on_workers($$SELECT pg_catalog.json_build_object('build', perfhouse.perfhouse_build(),
        'nested', pg_catalog.current_setting('citus.allow_nested_distributed_execution', true), 'in_doubt', (
            SELECT count(*) FROM pg_catalog.pg_prepared_xacts x
            WHERE x.gid LIKE 'citus%' AND x.database = pg_catalog.current_database() AND x.prepared < now() - interval '5 minutes'))$$) w
    ON (w.nodename, w.nodeport) = (n.nodename, n.nodeport)
CROSS JOIN LATERAL (SELECT CASE WHEN w.success THEN w.result::json END AS facts) f
WHERE n.groupid <> 0 AND n.noderole = 'primary'
ORDER BY n.nodeid
