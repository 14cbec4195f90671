-- 09-upkeep.sql - version, checks and removal of stored runs.

CREATE OR REPLACE FUNCTION perfhouse_version() RETURNS text
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_version';
COMMENT ON FUNCTION perfhouse_version() IS
	'Version of the library that is loaded, such as 0.2.0.';

CREATE OR REPLACE FUNCTION perfhouse_build() RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	SET search_path = pg_catalog, pg_temp
	AS $$ SELECT '@BUILD@'::text $$;
COMMENT ON FUNCTION perfhouse_build() IS
	'Which build of its version the extension''s functions are of: a checksum of their definitions. Programs of '
	'another build refuse to work until perfhouse init has renewed the functions.';

CREATE OR REPLACE FUNCTION perfhouse_internal.keep_role() RETURNS void
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS 'MODULE_PATHNAME', 'ph_keep_role';
COMMENT ON FUNCTION perfhouse_internal.keep_role() IS
	'For the rest of the transaction the role cannot be set, which then must be rolled back: what runs queries of others calls it '
	'after it has taken a role of few rights. Errors: 42501 for a superuser, 25P01 outside of a transaction.';

-- Here and not with the warehouse's functions, because init asks it before there are those.
CREATE OR REPLACE FUNCTION perfhouse_internal.is_by_run(relation oid) RETURNS boolean
	LANGUAGE sql STABLE STRICT PARALLEL SAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
		SELECT EXISTS (SELECT FROM pg_class c
			JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
			JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'run_id'
			WHERE c.oid = $1 AND NOT c.relispartition AND c.oid IS DISTINCT FROM to_regclass('perfhouse.run')
				AND (a.attnum = i.indkey[0] OR a.attnum = i.indkey[i.indnkeyatts - 1]
					AND EXISTS (SELECT FROM pg_index s WHERE s.indrelid = c.oid AND s.indkey[0] = a.attnum)))
	$$;
COMMENT ON FUNCTION perfhouse_internal.is_by_run(oid) IS
	'Whether a table of the warehouse holds rows of runs, which go with their run and are spread by it: run itself apart, one '
	'whose primary key starts with run_id, or ends with it where an index starts with it.';

CREATE OR REPLACE FUNCTION check_run(run bigint)
	RETURNS TABLE (check_name text, ok bool, detail text)
	LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 100000 ROWS 10
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_check_run';
COMMENT ON FUNCTION check_run(bigint) IS
	'Checks the invariants of a stored run (in any state), a row per check in fixed order: state; locations are '
	'dense; metrics and nodes agree with the run row; every call path is in the dictionary, and labels of regions are '
	'what their hash says; summaries of call paths, and those of functions of runs that fit into perfhouse.memory_limit, agree with the '
	'vectors; inclusive = exclusive + children + residual in every cell of a flow metric, and no more cells have a '
	'residual than the run row counts; the tree is sound; every vector belongs to a node of it and has the right '
	'length, its nulls agree and its values are finite; for a run with a trace also: its chunks follow each other and '
	'are what the trace row counts, every chunk decodes and is of known regions, links are those of the messages that '
	'were received; for one with logical time: its chunks are what its row counts, and decode; for one of tasks: its '
	'timelines are those of its chares and processors, and its chunks are of them. Of a run that is rolled up the '
	'same checks are made of sums and distributions; of a trace whose events were dropped, that they are gone. detail '
	'is null when ok. Errors: PH002 when there is no such run.';

CREATE OR REPLACE FUNCTION drop_run(run bigint) RETURNS boolean
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 100000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_drop_run';
COMMENT ON FUNCTION drop_run(bigint) IS
	'Removes a run and everything stored for it, in the caller''s transaction; true when there was one. Waits for a '
	'loader that is replacing the run. Dictionary rows stay; they are harmless. NOTIFY perfhouse_run for a run that '
	'was ready. Needs UPDATE and DELETE on perfhouse.run.';
REVOKE ALL ON FUNCTION drop_run(bigint) FROM PUBLIC;

-- ---- content that runs share
CREATE OR REPLACE FUNCTION perfhouse_internal.content_id(bytes bytea) RETURNS bigint
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_content_id';
COMMENT ON FUNCTION perfhouse_internal.content_id(bytea) IS
	'XXH3-64 of bytes: the id of content that runs share.';

CREATE OR REPLACE FUNCTION perfhouse_internal.crc32c(bytes bytea) RETURNS int
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_content_crc32c';
COMMENT ON FUNCTION perfhouse_internal.crc32c(bytea) IS
	'CRC-32C of bytes: the checksum of what is stored.';

CREATE OR REPLACE FUNCTION perfhouse_internal.tree_callpaths(tree bytea) RETURNS bigint[]
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_tree_callpaths';
COMMENT ON FUNCTION perfhouse_internal.tree_callpaths(bytea) IS
	'Ids of the call paths of a packed tree, in pre-order. Errors: PH001 when it is not one.';

CREATE OR REPLACE FUNCTION perfhouse_internal.label_rows(labels bytea)
	RETURNS TABLE (region_id bigint, local_id int, line int, module text, raw_file text, paradigm text)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 100 AS 'MODULE_PATHNAME', 'ph_label_rows';
COMMENT ON FUNCTION perfhouse_internal.label_rows(bytea) IS
	'What label_bytes was made of: a row a region. Errors: PH001 when the bytes are not of labels.';

-- Without a search_path of their own, which each call would pay for: their queries name all that they use.
CREATE OR REPLACE FUNCTION perfhouse_internal.module_of(run bigint, labels bigint, region bigint) RETURNS text
	LANGUAGE C STABLE PARALLEL SAFE COST 10 AS 'MODULE_PATHNAME', 'ph_module_of';
COMMENT ON FUNCTION perfhouse_internal.module_of(bigint, bigint, bigint) IS
	'The module that a run (with its labels_id) says a region belongs to; null: it says none. A query reads the labels of a '
	'run once, and once those that runs share; it takes 64 MB for them. Errors: PH001 when they are damaged.';

CREATE OR REPLACE FUNCTION perfhouse_internal.line_of(run bigint, labels bigint, region bigint) RETURNS int
	LANGUAGE C STABLE PARALLEL SAFE COST 10 AS 'MODULE_PATHNAME', 'ph_line_of';
COMMENT ON FUNCTION perfhouse_internal.line_of(bigint, bigint, bigint) IS
	'As module_of, the line where a region begins.';

CREATE OR REPLACE FUNCTION perfhouse_internal.paradigm_of(run bigint, labels bigint, region bigint) RETURNS text
	LANGUAGE C STABLE PARALLEL SAFE COST 10 AS 'MODULE_PATHNAME', 'ph_paradigm_of';
COMMENT ON FUNCTION perfhouse_internal.paradigm_of(bigint, bigint, bigint) IS
	'As module_of, the paradigm that the run was measured with there.';

CREATE OR REPLACE FUNCTION perfhouse_internal.paradigm_by_name(name text) RETURNS text
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_paradigm_by_region_name';
COMMENT ON FUNCTION perfhouse_internal.paradigm_by_name(text) IS
	'The paradigm that a function''s name tells of: mpi, openmp or user.';

-- ---- values in blocks
CREATE OR REPLACE FUNCTION perfhouse_internal.run_values(run bigint, metric text)
	RETURNS TABLE (callpath_id bigint, block int, inclusive float8[], exclusive float8[])
	LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 100 ROWS 1000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_run_values';
COMMENT ON FUNCTION perfhouse_internal.run_values(bigint, text) IS
	'Both vectors of every call path of a run in any state, by blocks of 4096 locations, null where a location does not have it, '
	'in the unit in which they are stored (metric_overview.factor); '
	'none of a ratio. Errors: PH002 when there is no such run or metric.';

CREATE OR REPLACE FUNCTION perfhouse_internal.column_sums(run bigint, metric text, without text[])
	RETURNS TABLE (location_id int, sum float8)
	LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 10000 ROWS 1000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_column_sums';
COMMENT ON FUNCTION perfhouse_internal.column_sums(bigint, text, text[]) IS
	'What all functions but those whose names begin so cost each location of a run exclusively, in the unit in which it is '
	'stored (metric_overview.factor); locations that have nothing of the others are left out, as are ratios. '
	'Errors: PH002 when there is no such run or metric.';

CREATE OR REPLACE FUNCTION perfhouse_internal.node_row(run bigint, metric_id int, node int)
	RETURNS TABLE (location_id int, inclusive float8, exclusive float8)
	LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 1000 ROWS 1000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_node_row';
COMMENT ON FUNCTION perfhouse_internal.node_row(bigint, int, int) IS
	'Values of one node of the tree (from 0, in pre-order) in the locations that have it, without reading the rest of '
	'the run. Errors: PH002 when there is no such run, metric or node; PH003 when values are not in blocks.';

CREATE OR REPLACE FUNCTION perfhouse_internal.value_blocks(p profile)
	RETURNS TABLE (metric text, stripe int, block int, bytes bytea)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_value_blocks';
COMMENT ON FUNCTION perfhouse_internal.value_blocks(profile) IS
	'The values of a profile as rows of perfhouse.value_block.';

CREATE OR REPLACE FUNCTION perfhouse_internal.run_value_blocks(run bigint, of_metric text)
	RETURNS TABLE (metric text, stripe int, block int, bytes bytea)
	LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 10000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_run_value_blocks';
COMMENT ON FUNCTION perfhouse_internal.run_value_blocks(bigint, text) IS
	'The values of one metric of a run in any state, however they are stored, as rows of perfhouse.value_block; none of a '
	'ratio. Errors: PH002 when there is no such run or metric.';

-- ---- chunks of traces of older releases
CREATE OR REPLACE FUNCTION perfhouse_internal.event_sums(run bigint)
	RETURNS TABLE (location_id int, chunk_no int, crc bigint)
	LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 10000 ROWS 1000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_event_sums';
COMMENT ON FUNCTION perfhouse_internal.event_sums(bigint) IS
	'The checksums of those of a run''s rows of trace_chunk that have none.';

CREATE OR REPLACE FUNCTION perfhouse_internal.link_sums(run bigint)
	RETURNS TABLE (location_id int, chunk_no int, crc bigint)
	LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 10000 ROWS 1000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_link_sums';
COMMENT ON FUNCTION perfhouse_internal.link_sums(bigint) IS
	'The checksums of those of a run''s rows of message_chunk that have none.';

-- ---- summaries in blocks
CREATE OR REPLACE FUNCTION perfhouse_internal.summary_rows(bytes bytea, callpath_ids bigint[], block int,
		wanted bigint[] DEFAULT NULL)
	RETURNS TABLE (callpath_id bigint, n int, inclusive_sum float8, inclusive_sumsq float8, inclusive_min float8,
		inclusive_max float8, inclusive_argmin int, inclusive_argmax int, exclusive_sum float8, exclusive_sumsq float8,
		exclusive_min float8, exclusive_max float8, exclusive_argmin int, exclusive_argmax int)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50 ROWS 100
	AS 'MODULE_PATHNAME', 'ph_summary_rows';
COMMENT ON FUNCTION perfhouse_internal.summary_rows(bytea, bigint[], int, bigint[]) IS
	'The rows of profile_summary that a row of perfhouse.summary_block has, given the call paths of the run''s tree: of '
	'those that are wanted, null: of all. Errors: PH001 when the bytes are no such block.';

CREATE OR REPLACE FUNCTION perfhouse_internal.summary_sums(bytes bytea, callpath_ids bigint[], block int,
		wanted bigint[] DEFAULT NULL)
	RETURNS TABLE (callpath_id bigint, n int, inclusive_sum float8, exclusive_sum float8)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50 ROWS 100
	AS 'MODULE_PATHNAME', 'ph_summary_sums';
COMMENT ON FUNCTION perfhouse_internal.summary_sums(bytea, bigint[], int, bigint[]) IS
	'summary_rows without what histories do not ask for.';

CREATE OR REPLACE FUNCTION perfhouse_internal.callpath_blocks(callpath_ids bigint[], wanted bigint[]) RETURNS int[]
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10
	AS 'MODULE_PATHNAME', 'ph_callpath_blocks';
COMMENT ON FUNCTION perfhouse_internal.callpath_blocks(bigint[], bigint[]) IS
	'In which blocks of a tree''s nodes some call paths are; wanted null: all of them.';

CREATE OR REPLACE FUNCTION perfhouse_internal.summary_blocks(run bigint)
	RETURNS TABLE (metric_id int, block int, bytes bytea)
	LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 10000 ROWS 10
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_summary_blocks';
COMMENT ON FUNCTION perfhouse_internal.summary_blocks(bigint) IS
	'A run''s rows of profile_summary as rows of perfhouse.summary_block. Errors: PH001 when one belongs to no node of its '
	'tree, PH003 when one lacks a moment.';

CREATE OR REPLACE FUNCTION perfhouse_internal.run_summary_blocks(run bigint, of_metric text)
	RETURNS TABLE (block int, bytes bytea)
	LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 10000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_run_summary_blocks';
COMMENT ON FUNCTION perfhouse_internal.run_summary_blocks(bigint, text) IS
	'What a load stores in perfhouse.summary_block of one metric of a run, made of the run''s values; none of a ratio. '
	'Errors: PH002 when there is no such run or metric.';

CREATE OR REPLACE FUNCTION perfhouse_internal.run_region_summaries(run bigint, of_metric text)
	RETURNS TABLE (region_id bigint, n_nodes int, inclusive float8, exclusive float8, min float8, max float8)
	LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 10000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_run_region_summaries';
COMMENT ON FUNCTION perfhouse_internal.run_region_summaries(bigint, text) IS
	'What a load stores in perfhouse.region_summary of one metric of a run, made of the run''s values; none of what does '
	'not add up. Errors: PH002 when there is no such run or metric.';

CREATE OR REPLACE FUNCTION perfhouse_internal.summaries_version() RETURNS int
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_summaries_version';
COMMENT ON FUNCTION perfhouse_internal.summaries_version() IS
	'The version of the method of summaries. Those of version 1 differ in how sums were rounded, and stay valid.';

-- ---- profiles as rows of tables
CREATE OR REPLACE FUNCTION perfhouse_internal.settled(p profile) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000
	AS 'MODULE_PATHNAME', 'ph_settled';
COMMENT ON FUNCTION perfhouse_internal.settled(profile) IS
	'The profile as a reader would hand it to a load: what filters absorbed is own cost, marks of a diff are gone, '
	'inclusives stay. Errors: 22023 when a value is undefined, as where something is divided by 0.';

CREATE OR REPLACE FUNCTION perfhouse_internal.profile_paths(p profile)
	RETURNS TABLE (callpath_id bigint, parent_id bigint, region_id bigint, depth int)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 1000
	AS 'MODULE_PATHNAME', 'ph_profile_paths';
COMMENT ON FUNCTION perfhouse_internal.profile_paths(profile) IS
	'The call paths of a profile as rows of perfhouse.callpath.';

CREATE OR REPLACE FUNCTION perfhouse_internal.profile_regions(p profile)
	RETURNS TABLE (region_id bigint, local_id int, kind int, name text, library text, file text, line int, has_line boolean,
		module text, paradigm text)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 100
	AS 'MODULE_PATHNAME', 'ph_profile_regions';
COMMENT ON FUNCTION perfhouse_internal.profile_regions(profile) IS
	'The regions of a profile as rows of perfhouse.region, and what it says of them; has_line: the line is of the identity.';

CREATE OR REPLACE FUNCTION perfhouse_internal.profile_locations(p profile)
	RETURNS TABLE (location_id int, kind int, rank int, thread int, host text, name text, iteration bigint)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 100
	AS 'MODULE_PATHNAME', 'ph_profile_locations';
COMMENT ON FUNCTION perfhouse_internal.profile_locations(profile) IS
	'The columns of a profile as rows of perfhouse.location. Columns of several runs are named with them.';

CREATE OR REPLACE FUNCTION perfhouse_internal.profile_metrics(p profile)
	RETURNS TABLE (place int, name text, unit text, kind int, combine int, is_signed boolean, numerator int, denominator int)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 5
	AS 'MODULE_PATHNAME', 'ph_profile_metrics';
COMMENT ON FUNCTION perfhouse_internal.profile_metrics(profile) IS
	'The metrics of a profile as rows of perfhouse.metric, by place from 1; numerator and denominator are places, too.';

CREATE OR REPLACE FUNCTION perfhouse_internal.profile_facts(p profile)
	RETURNS TABLE (sources bigint[], n_nodes int, n_columns int, n_units int, n_ranks int, n_threads int, n_hosts int,
		total float8, residual_cells bigint, missing_columns int)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 1
	AS 'MODULE_PATHNAME', 'ph_profile_facts';
COMMENT ON FUNCTION perfhouse_internal.profile_facts(profile) IS
	'What perfhouse.run says of a profile, in one row; total is null when it does not add up.';
