-- The migrations that were applied.
SELECT version, name, checksum FROM perfhouse.schema_version ORDER BY version
