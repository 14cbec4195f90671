-- Newest migration that was applied; 0: none.
SELECT coalesce(pg_catalog.max(version), 0) AS version FROM perfhouse.schema_version
