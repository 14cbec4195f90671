-- Figures about the warehouse, one row.
SELECT (SELECT count(*) FROM perfhouse.run WHERE state = 'ready') AS ready,
       (SELECT count(*) FROM perfhouse.run WHERE state <> 'ready') AS unfinished,
       (SELECT count(*) FROM perfhouse.run WHERE excluded_reason IS NOT NULL) AS excluded,
       (SELECT count(DISTINCT application) FROM perfhouse.run WHERE state = 'ready') AS applications,
       (SELECT count(*) FROM perfhouse.callpath) AS callpaths,
       (SELECT count(*) FROM perfhouse.region) AS regions,
       pg_catalog.pg_size_pretty(pg_catalog.pg_database_size(pg_catalog.current_database())) AS size,
       pg_catalog.pg_database_size(pg_catalog.current_database()) AS bytes,
       (SELECT max(version) FROM perfhouse.schema_version) AS schema,
       (SELECT extversion FROM pg_catalog.pg_extension WHERE extname = 'perfhouse') AS extension,
       pg_catalog.current_setting('server_version') AS server
