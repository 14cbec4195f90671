-- Record a migration: number, name, checksum of its text.
INSERT INTO perfhouse.schema_version (version, name, checksum) VALUES ($1, $2, $3)
ON CONFLICT (version) DO UPDATE
   SET name = excluded.name, checksum = excluded.checksum, applied_at = excluded.applied_at
