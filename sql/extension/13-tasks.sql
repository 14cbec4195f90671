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
	'A row per chare (object of a task-based program) that did anything, in order of type, array and index. name: '
	'type and index, or type@processor of those that every processor has one of. collection: the array that it is an '
	'element of; null: unknown. is_runtime: belongs to the run time system. first_location: where it was seen first; '
	'n_locations: on how many locations it ran, more than one when it migrated. n_blocks: serial blocks; a reopened '
	'one counts again. busy: ns within them. Messages are those of its blocks; one with several receivers is sent '
	'once. Errors: PH002 for an unknown run, a run without a trace or not of a task-based program.';

CREATE OR REPLACE FUNCTION processors(run bigint)
	RETURNS TABLE (location int4, processor int4, name text, host text, n_chares int4, n_blocks int8, messages_sent int8,
		messages_received int8, busy int8, first_time int8, last_time int8, idle int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_processors';
COMMENT ON FUNCTION processors(bigint) IS
	'A row per processor of a task-based run, by location. n_chares: that ran there. n_blocks: serial blocks, which '
	'took busy ns from first_time to last_time. idle: ns in which the run time says it had nothing to do; the rest is '
	'its own. messages_sent counts those sent outside of blocks, too. Errors: as chares.';

CREATE OR REPLACE FUNCTION serial_blocks(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL, locations int4[] DEFAULT NULL)
	RETURNS TABLE (location int4, processor int4, block int4, chare int4, chare_name text, entry text, enter int8, leave int8,
		is_runtime bool, continues int4, n_received int8, n_sent int8, call int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 100000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_serial_blocks';
COMMENT ON FUNCTION serial_blocks(bigint, int8, int8, int4[]) IS
	'A row per serial block that overlaps the window (enter < t_to, leave >= t_from) in these locations (NULL: all), '
	'by location, then block, which counts from 0 there. An entry method that calls another one inline is interrupted '
	'and goes on as a block of its own: continues is the block before. entry: its chare type and name. n_received, '
	'n_sent: messages within it; one with several receivers is sent once. call: the number of its ENTER in events. '
	'Errors: as chares; PH002 for an unknown location; 22023 for a window that ends before it begins.';

CREATE OR REPLACE FUNCTION logical_locations(run bigint)
	RETURNS TABLE (location int4, name text, is_runtime bool, chare int4, first_location int4, processor int4)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000 ROWS 1000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_logical_locations';
COMMENT ON FUNCTION logical_locations(bigint) IS
	'The locations of a task-based run in logical time, by number: its chares as chares has them (chare), then one '
	'for the run time of every processor, whose chare is null. first_location: where it was seen first, a location of '
	'the trace; processor: the number of that. Errors: PH002 for an unknown run, a run without a trace, without '
	'assigned steps, or not of a task-based program.';

CREATE OR REPLACE FUNCTION task_metrics(run bigint, step_from int4 DEFAULT NULL, step_to int4 DEFAULT NULL, locations int4[] DEFAULT NULL,
		options jsonb DEFAULT NULL)
	RETURNS TABLE (location int4, chare text, processor int4, seq int8, entry text, kind text, enter int8, leave int8, phase int4,
		is_runtime bool, step int4, differential_duration int8, idle_experienced int8, imbalance int8, serial_block int4,
		block_share int8, peers int4, shortest_location int4, n_messages int4)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 100000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_task_metrics';
COMMENT ON FUNCTION task_metrics(bigint, int4, int4, int4[], jsonb) IS
	'A row per event of a task-based run with a step from step_from to before step_to (NULL: open) in these locations '
	'of logical time (logical_locations; NULL: all), by location, then seq, which is in logical order. chare: the '
	'name of the location; processor: where it happened; entry: the method that it happened in; kind: send or '
	'receive. is_runtime: of its phase. A serial block''s time is shared out among its events: each has the time '
	'since the one before it (block_share), what is left goes to the receive that started the block, else to its last '
	'event. differential_duration: how much longer that is than the shortest among the peers, the events of its phase '
	'and step, itself counted; shortest_location has it. idle_experienced: how long its processor had nothing to do '
	'before what it waited for came. imbalance: load of its processor in its phase less the least of all processors. '
	'serial_block: as block in serial_blocks; null: outside of any. Times in ns. options: as assign_logical_steps '
	'takes them; all is then computed with them, and what is stored neither read nor changed. Errors: PH002 for an '
	'unknown run, a run without a trace, without assigned steps or not of a task-based program, an unknown location; '
	'22023 for a window that ends before it begins, and bad options.';

CREATE OR REPLACE FUNCTION task_block_metrics(run bigint)
	RETURNS TABLE (processor int4, serial_block int4, location int4, chare text, entry text, enter int8, leave int8, n_events int8,
		phases int4[], first_step int4, last_step int4, differential_duration int8, idle_experienced int8, imbalance int8)
	LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 100000
	SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
	SELECT b.processor, b.block, min(m.location), min(m.chare COLLATE "C"), b.entry, b.enter, b.leave, count(*),
		array_agg(DISTINCT m.phase ORDER BY m.phase), min(m.step), max(m.step), sum(m.differential_duration)::int8,
		max(m.idle_experienced), max(m.imbalance)
	FROM perfhouse.task_metrics(run) m
	JOIN perfhouse.serial_blocks(run) b ON b.processor = m.processor AND b.block = m.serial_block
	GROUP BY b.processor, b.block, b.entry, b.enter, b.leave
	ORDER BY b.processor, b.block;
END;
COMMENT ON FUNCTION task_block_metrics(bigint) IS
	'The metrics of task_metrics by serial block that has events, by processor and block: differential_duration is '
	'the sum of its events'', idle_experienced and imbalance the greatest. phases: the phases that it has events in; '
	'enter, leave: of the whole block. By phase they are in phases. Errors: as task_metrics.';
