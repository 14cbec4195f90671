-- 15-json.sql - rows as JSON, for clients that draw.

CREATE OR REPLACE FUNCTION perfhouse_internal.json_columns_add(internal, record) RETURNS internal
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_json_columns_add';
COMMENT ON FUNCTION perfhouse_internal.json_columns_add(internal, record) IS 'Transition function of the aggregate json_columns.';

CREATE OR REPLACE FUNCTION perfhouse_internal.json_columns_finish(internal) RETURNS json
	LANGUAGE C STABLE PARALLEL SAFE
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_json_columns';
COMMENT ON FUNCTION perfhouse_internal.json_columns_finish(internal) IS 'Final function of the aggregate json_columns.';

CREATE OR REPLACE AGGREGATE json_columns(record) (
	SFUNC = perfhouse_internal.json_columns_add,
	STYPE = internal,
	SSPACE = 100000,
	FINALFUNC = perfhouse_internal.json_columns_finish,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE json_columns(record) IS
	'Rows as one JSON object: by the name of each column the array of its values, in the order of the rows; null for '
	'a column without any value. Rows may be of any columns but arrays; NULL without rows. Much shorter than an '
	'object a row, and one array a column is what drawing code wants.';
