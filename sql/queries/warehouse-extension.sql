-- Version of the extension that is created here (null: none), and whether there are warehouse tables.
SELECT (SELECT extversion FROM pg_catalog.pg_extension WHERE extname = 'perfhouse') AS created,
       pg_catalog.to_regclass('perfhouse.schema_version') IS NOT NULL AS has_tables
