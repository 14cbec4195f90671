-- Logical time of run $1 with the default options: how much there is.
SELECT (a ->> 'events')::int8 AS events, (a ->> 'phases')::int8 AS phases, (a ->> 'last_step')::int8 AS last_step
FROM perfhouse.assign_logical_steps($1::int8) AS a
