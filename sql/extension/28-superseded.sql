-- 28-superseded.sql - functions as a release had them, for views and functions of users that were made with that
-- release: an upgrade from it renames NAME to perfhouse_internal.NAME_A_B_C, when that is here, and makes NAME anew.

CREATE OR REPLACE FUNCTION perfhouse_internal.flat_0_1_0(p perfhouse.profile, by text DEFAULT 'function', metric text DEFAULT NULL)
	RETURNS TABLE (name text, n_nodes int4, inclusive float8, exclusive float8, absorbed float8, share float8,
		region text, calls float8)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1000 AS 'MODULE_PATHNAME', 'ph_flat';
COMMENT ON FUNCTION perfhouse_internal.flat_0_1_0(perfhouse.profile, text, text) IS
	'perfhouse.flat of 0.1.0, without residual.';

CREATE OR REPLACE FUNCTION perfhouse_internal.chunk_logical_events_0_1_0(location_id int4, chunk_no int4,
		format int4, n_events int4, n_ends int4, first_seq int4,
		step_first int4, step_last int4, t_first int8, t_last int8, places bytea, metrics bytea,
		causes bytea, from_step int8 DEFAULT NULL, until_step int8 DEFAULT NULL)
	RETURNS TABLE (seq int8, region_id int4, kind text, n_messages int4, phase int4, step int4, enter int8, leave int8,
		peers int4, lateness int8, aggregate_lateness int8, global_lateness int8, aggregate_global_lateness int8,
		differential_lateness int8, aggregate_differential_lateness int8, global_differential_lateness int8,
		aggregate_global_differential_lateness int8, duration int8, aggregate_duration int8, earliest_location int4,
		binding_location int4, binding_seq int8)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1024
	AS 'MODULE_PATHNAME', 'ph_chunk_logical_events';
COMMENT ON FUNCTION perfhouse_internal.chunk_logical_events_0_1_0(int4, int4, int4, int4, int4, int4, int4, int4, int8, int8, bytea,
	bytea, bytea, int8, int8) IS
	'perfhouse.chunk_logical_events of 0.1.0, for chunks of one location as that release stored them. Errors: PH003 for a '
	'chunk of several, PH001 for bytes that are no chunk.';

CREATE OR REPLACE FUNCTION perfhouse_internal.critical_path_0_1_0(run bigint)
	RETURNS TABLE (step int4, location int4, rank int4, thread int4, t_from int8, t_to int8, region text, kind text, wait int8,
		peer int4, peer_location int4)
	LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000000 ROWS 10000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_critical_path';
COMMENT ON FUNCTION perfhouse_internal.critical_path_0_1_0(bigint) IS
	'perfhouse.critical_path of 0.1.0: every segment, as critical_path(run, true) has them.';

CREATE OR REPLACE FUNCTION perfhouse_internal.exchange_patterns_0_1_0(run bigint)
	RETURNS TABLE (phase int4, pattern text, n_ranks int4, first_step int4, last_step int4)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_exchange_patterns';
COMMENT ON FUNCTION perfhouse_internal.exchange_patterns_0_1_0(bigint) IS
	'perfhouse.exchange_patterns of 0.1.0, with the columns of then and the names of today.';
