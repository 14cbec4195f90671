-- 28-superseded.sql - functions as a release had them, for views and functions of users that were made with that
-- release: an upgrade from it renames NAME to perfhouse_internal.NAME_A_B_C, when that is here, and makes NAME anew.

CREATE OR REPLACE FUNCTION perfhouse_internal.flat_0_1_0(p perfhouse.profile, by text DEFAULT 'function', metric text DEFAULT NULL)
	RETURNS TABLE (name text, n_nodes int4, inclusive float8, exclusive float8, absorbed float8, share float8,
		region text, calls float8)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1000 AS 'MODULE_PATHNAME', 'ph_flat';
COMMENT ON FUNCTION perfhouse_internal.flat_0_1_0(perfhouse.profile, text, text) IS
	'perfhouse.flat of 0.1.0, without residual.';
