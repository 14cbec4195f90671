-- Record a migration: number, name, text.
INSERT INTO perfhouse.schema_version (version, name, checksum) VALUES ($1, $2, pg_catalog.md5($3))
