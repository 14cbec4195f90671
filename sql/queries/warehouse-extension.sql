-- Version of the extension: what is created here, and what the server offers. Nulls: none.
SELECT (SELECT extversion FROM pg_catalog.pg_extension WHERE extname = 'perfhouse') AS created,
       (SELECT default_version FROM pg_catalog.pg_available_extensions WHERE name = 'perfhouse') AS offered,
       pg_catalog.to_regclass('perfhouse.schema_version') IS NOT NULL AS has_tables
