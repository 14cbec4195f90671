-- Version and build of the extension that is created here (null: none; before builds had names), whether there are
-- warehouse tables, and whether the database can be spread over nodes.
SELECT (SELECT extversion FROM pg_catalog.pg_extension WHERE extname = 'perfhouse') AS created,
       pg_catalog.to_regclass('perfhouse.schema_version') IS NOT NULL AS has_tables,
       (SELECT pg_catalog.substring(prosrc, '[0-9a-f]{32}') FROM pg_catalog.pg_proc
        WHERE oid = pg_catalog.to_regprocedure('perfhouse.perfhouse_build()')) AS build,
       EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'citus') AS has_nodes
