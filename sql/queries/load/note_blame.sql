-- Notes that waits and their causes of run $1 are stored; $2 false: that they are not known.
INSERT INTO perfhouse.derived (run_id, kind, version)
VALUES ($1::int8, 'blame', CASE WHEN $2::bool THEN perfhouse_internal.blame_version() ELSE 0 END)
