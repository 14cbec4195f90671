-- 14-logical-cells.sql - windows of logical time as the columns, rows and cells of a picture, for any client.
--
-- Steps are put into at most max_columns columns of cells, locations in the order given into at most max_rows rows.

CREATE OR REPLACE FUNCTION logical_grid(run bigint, step_from int4 DEFAULT NULL, step_to int4 DEFAULT NULL, locations int4[] DEFAULT NULL,
		max_columns int4 DEFAULT 1000, max_rows int4 DEFAULT 500, aggregates boolean DEFAULT false)
	RETURNS TABLE (step_from int4, step_to int4, stride int4, aggregates boolean, columns int4, columns_a_cell int4,
		n_rows int4, locations_a_row int4, one_by_one boolean, of_tasks boolean)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000 ROWS 1
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_logical_grid';
COMMENT ON FUNCTION logical_grid(bigint, int4, int4, int4[], int4, int4, boolean) IS
	'The shape of a picture of steps from step_from to before step_to (NULL: open) of these locations (NULL: all), '
	'one row: the window, without NULL; stride: from one step of events to the next, 2, of tasks 1; columns: of '
	'steps, columns_a_cell: how many share a column of cells; n_rows, and locations_a_row: how many locations share '
	'one at most. aggregates: the time before events is wanted and has columns of its own, the one before each '
	'event. one_by_one: no cell is of several columns or locations. max_columns and max_rows NULL: no limit. Errors: '
	'as logical_steps; 22023 unless max_columns and max_rows are at least 1.';

CREATE OR REPLACE FUNCTION logical_rows(run bigint, locations int4[] DEFAULT NULL, max_rows int4 DEFAULT 500)
	RETURNS TABLE ("row" int4, locations int4[], n_locations int4, rank int4, last_rank int4, thread int4, name text,
		last_name text, host text, is_runtime boolean)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_logical_rows';
COMMENT ON FUNCTION logical_rows(bigint, int4[], int4) IS
	'The rows of a picture in logical time of those of these locations (NULL: all, ascending) that have events, in the '
	'order in which they are given (of tasks always ascending), by row: which locations share it, ranks and names of '
	'the first and the last of them, thread and host of the first. Of tasks rows are chares, then the run time''s of '
	'the processors (is_runtime), which share no row, so that there are two rows at the least; ranks, thread and host '
	'are null. Errors: as logical_grid.';

CREATE OR REPLACE FUNCTION logical_cells(run bigint, metric text DEFAULT NULL, step_from int4 DEFAULT NULL, step_to int4 DEFAULT NULL,
		locations int4[] DEFAULT NULL, max_columns int4 DEFAULT 1000, max_rows int4 DEFAULT 500, aggregates boolean DEFAULT false,
		phase int4 DEFAULT NULL, options jsonb DEFAULT NULL)
	RETURNS TABLE ("row" int4, "column" int4, n int8, value float8, location int4, seq int8, step int4, phase int4, rank int4,
		idle int8, enter int8, leave int8, peers int4, n_messages int4, earliest int4, is_aggregate boolean, region text, kind text,
		inferred boolean)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 10000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_logical_cells';
COMMENT ON FUNCTION logical_cells(bigint, text, int4, int4, int4[], int4, int4, boolean, int4, jsonb) IS
	'The cells of a picture in logical time that are not empty, by row, then column, both counted from 0 as '
	'logical_grid and logical_rows lay them out. A cell is n events (and times before events), shown as the one with '
	'the greatest value; an unknown value is greater than all, among equals the first location and event count. '
	'value: of metric, which is one of step_summary without aggregate_, counter, step_counter, idle_experienced, '
	'imbalance, deviation (from the ideal schedule of the phase, as exchange_patterns has it; found anew from the trace), '
	'phase, enter or leave (NULL: lateness; of tasks, which have no lateness, the phase), in ns but for '
	'counters and phase. location, seq, step, phase and rank are the event''s; of tasks rank is its processor. idle: '
	'the greatest idle experienced in the cell, ns; NULL: of processes. Where no cell is of several columns or '
	'locations also enter and leave (ns), peers, n_messages, earliest (rank of the peer that left first), '
	'is_aggregate (the time before the event), and of single events region and kind; else NULL. inferred: the event is '
	'a collective of which no record tells, only its call. max_columns NULL: '
	'every event is a cell, by location, then seq. phase: only its events. aggregates: as in logical_grid. options: '
	'as in logical_steps. The number of rows does not grow with the trace. Errors: as logical_grid; 22023 for '
	'another metric.';

CREATE OR REPLACE FUNCTION open_clusters(run bigint, phase int4, metric text DEFAULT NULL, clusters int4 DEFAULT 6,
		unfold int4[] DEFAULT NULL, fold int4[] DEFAULT NULL, centre int4 DEFAULT NULL)
	RETURNS TABLE (cluster int4, parent int4, distance float8, n_members int4, locations int4[], max_metric int8, centroid int4,
		latest int4, child_left int4, child_right int4, is_shown boolean, is_open boolean, is_centre boolean, latest_rank int4,
		latest_name text, centroid_rank int4, centroid_name text, ranks int4[], names text[])
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 40
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_open_clusters';
COMMENT ON FUNCTION open_clusters(bigint, int4, text, int4, int4[], int4[], int4) IS
	'The tree of step_clusters with the branches that a picture shows. is_open: a join among the last that leave so '
	'many clusters apart, or one to unfold, but none to fold; is_shown: all joins above are open. Those shown and '
	'not open part the processes of the phase; of these ranks or the first 200 names of the members. is_centre: the '
	'cluster of the argument, NULL: the root. Processes have ranks, chares of tasks names. Errors: as step_clusters; '
	'PH002 for a centre that is no cluster.';

CREATE OR REPLACE FUNCTION cluster_series(run bigint, phase int4, metric text, locations int4[], clusters int4[],
		max_columns int4 DEFAULT 1000, aggregates boolean DEFAULT false)
	RETURNS TABLE (cluster int4, first_sends boolean, n int4, "column" int4, step int4, sends int4, receives int4,
		collectives int4, send_value float8, receive_value float8, collective_value float8, send_before float8,
		receive_before float8, collective_before float8, received float8)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 1000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_cluster_series';
COMMENT ON FUNCTION cluster_series(bigint, int4, text, int4[], int4[], int4, boolean) IS
	'What the processes of each cluster do in a phase, by cluster, those that send first (first_sends) before '
	'others, then column of cells (as logical_grid lays out the steps of the phase): events by kind, and the means '
	'of their values and of those of the time before them, ns, NULL without events; received: messages by event that '
	'receives, to 3 decimals; step: the least. Only where processes send and receive in turn (pattern SRSR) some '
	'receive first. n: processes of the cluster that begin so. clusters: of each of the locations. metric: as in '
	'step_clusters. Errors: as step_clusters; PH002 for an unknown location, 22023 for another number of clusters '
	'than of locations, or unless max_columns is at least 1.';
