-- 13-tasks.sql - runs of task-based programs (Charm++ and others): chares, processors, serial blocks.
--
-- A processor is a location of the trace. A serial block is a piece of an execution of an entry method that
-- nothing interrupts. Times are ns. The functions read the warehouse with their caller's rights and a pinned
-- search_path.

CREATE OR REPLACE FUNCTION chares(run bigint)
	RETURNS TABLE (chare int4, name text, type text, collection int4, index int4[], is_runtime bool, first_location int4,
		n_locations int4, n_blocks int8, messages_sent int8, messages_received int8, busy int8, first_time int8, last_time int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 1000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_chares';
COMMENT ON FUNCTION chares(bigint) IS
	'A row per chare (object of a task-based program) that did anything, in order of type, array and index. name: type and index, or type@processor of those that every processor has one of. collection: the array that it is an element of; null: unknown. is_runtime: belongs to the run time system. first_location: where it was seen first; n_locations: on how many locations it ran, more than one when it migrated. n_blocks: serial blocks; a reopened one counts again. busy: ns within them. Messages are those of its blocks; one with several receivers is sent once. Errors: PH002 for an unknown run, a run without a trace or not of a task-based program.';

CREATE OR REPLACE FUNCTION processors(run bigint)
	RETURNS TABLE (location int4, processor int4, name text, host text, n_chares int4, n_blocks int8, messages_sent int8,
		messages_received int8, busy int8, first_time int8, last_time int8, idle int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_processors';
COMMENT ON FUNCTION processors(bigint) IS
	'A row per processor of a task-based run, by location. n_chares: that ran there. n_blocks: serial blocks, which took busy ns from first_time to last_time. idle: ns in which the run time says it had nothing to do; the rest is its own. messages_sent counts those sent outside of blocks, too. Errors: as chares.';

CREATE OR REPLACE FUNCTION serial_blocks(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL, locations int4[] DEFAULT NULL)
	RETURNS TABLE (location int4, processor int4, block int4, chare int4, chare_name text, entry text, enter int8, leave int8,
		is_runtime bool, continues int4, n_received int8, n_sent int8, call int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 100000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_serial_blocks';
COMMENT ON FUNCTION serial_blocks(bigint, int8, int8, int4[]) IS
	'A row per serial block that overlaps the window (enter < t_to, leave >= t_from) in these locations (NULL: all), by location, then block, which counts from 0 there. An entry method that calls another one inline is interrupted and goes on as a block of its own: continues is the block before. entry: its chare type and name. n_received, n_sent: messages within it; one with several receivers is sent once. call: the number of its ENTER in events. Errors: as chares; PH002 for an unknown location; 22023 for a window that ends before it begins.';
