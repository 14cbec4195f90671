-- 09-upkeep.sql - version, checks and removal of stored runs.

CREATE OR REPLACE FUNCTION perfhouse_version() RETURNS text
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_version';
COMMENT ON FUNCTION perfhouse_version() IS
	'Version of the library that is loaded, such as 0.1.0.';

CREATE OR REPLACE FUNCTION check_run(run bigint)
	RETURNS TABLE (check_name text, ok bool, detail text)
	LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 100000 ROWS 10
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_check_run';
COMMENT ON FUNCTION check_run(bigint) IS
	'Checks the invariants of a stored run (in any state), a row per check in fixed order: state, locations dense, tree sound, every vector belongs to a tree node and has the right length, nulls agree, values finite, inclusive = exclusive + children + residual, summaries agree with vectors, counts in the run row agree. detail is null when ok. Errors: PH002 when there is no such run.';

CREATE OR REPLACE FUNCTION drop_run(run bigint) RETURNS boolean
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 100000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_drop_run';
COMMENT ON FUNCTION drop_run(bigint) IS
	'Removes a run and everything stored for it, in the caller''s transaction; true when there was one. Dictionary rows stay; they are harmless. Needs DELETE on perfhouse.run.';
REVOKE ALL ON FUNCTION drop_run(bigint) FROM PUBLIC;
