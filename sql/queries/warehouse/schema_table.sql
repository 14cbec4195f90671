-- Which migrations the tables have been through.
CREATE TABLE IF NOT EXISTS perfhouse.schema_version (
    version    int4 PRIMARY KEY,
    name       text NOT NULL,
    checksum   text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT pg_catalog.now()
)
