-- Logical time of run $1, found with the default options by version $2 of the method.
WITH stored AS (
    INSERT INTO perfhouse.logical (run_id, version, options, n_locations, n_events, n_messages, n_phases, last_step, notes)
    VALUES ($1::int8, $2::int4, perfhouse.logical_options(), $3::int4, $4::int8, $5::int8, $6::int4, $7::int4, $8::jsonb)
    RETURNING run_id, version)
INSERT INTO perfhouse.derived (run_id, kind, version) SELECT run_id, 'logical steps', version FROM stored
