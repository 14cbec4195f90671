-- Notes that the tiles of run $1 are stored.
INSERT INTO perfhouse.derived (run_id, kind, version) VALUES ($1::int8, 'pyramid', perfhouse_internal.pyramid_version())
