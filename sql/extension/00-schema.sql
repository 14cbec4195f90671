-- 00-schema.sql - where the extension keeps what nobody calls by name.

CREATE SCHEMA perfhouse_internal;
COMMENT ON SCHEMA perfhouse_internal IS
	'Machinery of perfhouse: input and output of its types, steps of its aggregates, decoders below its views, '
	'helpers of the planner. Not for use by name: it changes with any version.';
