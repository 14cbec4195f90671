-- Who waited in a trace, for whom, and whose fault it was (core/blame; docs/design/blame.md).

CREATE OR REPLACE FUNCTION wait_states(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL,
		locations int4[] DEFAULT NULL)
	RETURNS TABLE (kind text, victim int4, awaited int4, origin int4, victim_rank int4, awaited_rank int4, origin_rank int4,
		victim_thread int4, awaited_thread int4, origin_thread int4, region text, path text, awaited_region text,
		origin_region text, origin_path text, origin_share float8, t_from int8, t_to int8, ns int8, instance int8, seq int8,
		inferred bool, part text)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000000 ROWS 10000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_wait_states';
COMMENT ON FUNCTION wait_states(bigint, int8, int8, int4[]) IS
	'All waits of a trace, a row each: in [t_from, t_to) (ns; ns = t_to - t_from) the call seq (the ordinal of its ENTER) '
	'of the location victim, in region at path, could not go on because of the location awaited, which ended the wait in '
	'awaited_region (null: outside of calls that communicate). A call has at most one, for whom it waited longest, so no '
	'ns counts twice. kind: late sender; wrong order (a late sender, while another message had been sent: of '
	'the same sender, received later, or of another one, received before the victim sends anything or is in a '
	'collective); late receiver (as late_receivers); barrier; N to N; late broadcast (for the root); early reduce (of '
	'the root); early scan (for lower ranks). Of threads of one rank: team barrier (explicit or implicit, for the last '
	'thread of the team to come); lock (in a critical section or a function for locks, for who had it before); '
	'thread join (of who forked, for the last other thread to end its part); idle thread '
	'(between two teams, for the fork: region is null, path that of what the thread began next, seq the record of its '
	'begin). Of one-sided communication: fence (for the last member of the window); window (where one is created or ends); '
	'late post (in MPI_Win_start or, where that did not wait, MPI_Win_complete, for MPI_Win_post); late complete (in MPI_Win_wait, '
	'for MPI_Win_complete); window lock (for who had it before, where records leave no doubt). '
	'I/O: a call that reads or writes files (by its role, or MPI_File_...), beside its other waits: awaited is null, '
	'origin the victim''s own call path. '
	'device: of a thread of the host in a call that synchronises or a blocking copy, for the activity '
	'awaited_region of the stream awaited (inferred: that of its rank which ended last in the call). '
	'origin, origin_region, origin_path: the location and call path that caused '
	'the largest part of it, through all waits in between, and which part (origin_share); null where nothing explains '
	'it. instance: the collective, as in collectives. inferred: only calls tell of that collective. '
	'part: ''start-up'' until the victim left MPI_Init, ''shut-down'' from '
	'where it entered MPI_Finalize, else ''main''. The window gives '
	'waits that end in (t_from, t_to], locations those of these victims. By victim, then time. Errors: PH002 as events. '
	'Method: wait states after Scalasca, origins as in delay_costs.';

CREATE OR REPLACE FUNCTION delay_costs(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL)
	RETURNS TABLE (location int4, rank int4, region text, path text, short_term int8, long_term int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000000 ROWS 1000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_delay_costs';
COMMENT ON FUNCTION delay_costs(bigint, int8, int8) IS
	'What each call path of each location cost others: ns of waits in the window (as wait_states) that it caused '
	'directly (short_term) and through others that waited in between (long_term). A wait is blamed on the call paths in '
	'which the awaited location took longer than the victim since both met last, in proportion; where it waited itself, '
	'that part goes on to those it waited for. Streams of devices are locations, too: of what the host waited for them it is '
	'blamed on their kernels and copies, below the calls that launched them, on who launched late, on the streams that they '
	'came behind, and on the last member of a collective. All costs, what nothing explains and the waits '
	'for files, which nobody else causes, add up to all waits. Errors: PH002 as '
	'events. Method: delay analysis (Boehme et al., ICPP 2010, TOPC 2016), with all time that is no waiting, and '
	'intervals that begin when the first of the two left the last call in which both were at one time.';

CREATE OR REPLACE FUNCTION blame(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL)
	RETURNS TABLE (origin int4, origin_rank int4, origin_path text, victim int4, victim_rank int4, victim_path text, ns int8,
		waits int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000000 ROWS 10000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_blame';
COMMENT ON FUNCTION blame(bigint, int8, int8) IS
	'Who made whom wait: ns of waits in the window (as wait_states) from the location and call path that caused them to '
	'those that waited, in so many waits. Each wait is shared among its eight largest origins and, without a call path, '
	'the four locations that caused most of the rest; what is left then, and what nothing explains, '
	'has a null origin, so that all rows add up to all waits. Of each location they add up to its delay_costs, but for what is '
	'rounded and left. By ns descending, victim, origin. '
	'Errors: PH002 as events. Method: as delay_costs.';

CREATE OR REPLACE FUNCTION critical_path_summary(run bigint)
	RETURNS TABLE (location int4, rank int4, region text, path text, kind text, ns int8, imbalance int8, blame int8,
		start_up int8, shut_down int8)
	LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000000 ROWS 1000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_critical_path_summary';
COMMENT ON FUNCTION critical_path_summary(bigint) IS
	'What each call path of each location took of the critical path (critical_path), in no order: ns there; imbalance: the '
	'ns of them beyond what the call path takes of a location on average, waits left out, which balance would save; blame: '
	'the long-term costs of its delays (delay_costs), also of those that were not on the path; start_up, shut_down: the ns '
	'of them before the location left MPI_Init and after it entered MPI_Finalize. kind: compute, message, '
	'collective or waiting, as critical_path, by what calls of the region hold. Sums over regions, kinds and ranks are '
	'plain sums; all ns are the run without time outside of calls. Errors: PH002 as events. Method: critical imbalance '
	'after Scalasca (Boehme et al. 2012).';
