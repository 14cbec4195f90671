-- 10-traces.sql - event traces of stored runs as rows.
--
-- Times are nanoseconds since the run's first event. A window [t_from, t_to) is half-open, null is an
-- open end. location counts the run's execution units and is the location of perfhouse.location. The
-- functions of a run read the warehouse with their caller's rights and a pinned search_path.

CREATE OR REPLACE FUNCTION events(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL, locations int4[] DEFAULT NULL)
	RETURNS TABLE (location int4, rank int4, thread int4, "time" int8, kind text, region text, peer int4, tag int4,
		bytes int8, communicator int4, seq int8, request int8, operation text, root int4, bytes_received int8,
		"values" float8[], depth int4)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 100000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_events';
COMMENT ON FUNCTION events(bigint, int8, int8, int4[]) IS
	'A row per event of the window in these locations (NULL: all), by location, then seq, the event''s number within '
	'its location. kind: the record''s name as otf2-print writes it (ENTER, LEAVE, MPI_SEND, …, UNKNOWN). region: of '
	'ENTER and LEAVE theirs, else the innermost open one. peer and root are ranks of the run. operation: of '
	'collectives (barrier, allreduce, …), the first metric''s name of METRIC, on or off of MEASUREMENT. values: of '
	'metrics in their units, of other records as they are. depth: calls around the event, or around the call that it '
	'enters or leaves. What a kind does not have is null. Errors: PH002 for an unknown run or location, or a run '
	'without a trace; 22023 for a window that ends before it begins.';

CREATE OR REPLACE FUNCTION perfhouse_internal.chunk_events_support(internal) RETURNS internal
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_chunk_events_support';
COMMENT ON FUNCTION perfhouse_internal.chunk_events_support(internal) IS 'Planner support of chunk_events.';

CREATE OR REPLACE FUNCTION perfhouse_internal.chunk_events(location_id int4, chunk_no int4, format int2, n_events int4, n_enter int4,
		n_message int4, first_seq int8, t_prev int8, t_first int8, t_last int8, stack bytea, dt bytea, kind bytea,
		region bytea, msg bytea, extra bytea, t_from int8 DEFAULT NULL, t_until int8 DEFAULT NULL)
	RETURNS TABLE ("time" int8, kind text, region_id int4, peer int4, tag int4, bytes int8, communicator int4,
		seq int8, request int8, operation text, root int4, bytes_received int8, operation_id int4, "values" int8[],
		depth int4)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 16384 SUPPORT perfhouse_internal.chunk_events_support
	AS 'MODULE_PATHNAME', 'ph_trace_chunk_events';
COMMENT ON FUNCTION perfhouse_internal.chunk_events(int4, int4, int2, int4, int4, int4, int8, int8, int8, int8, bytea, bytea, bytea,
	bytea, bytea, bytea, int8, int8) IS
	'The events from t_from to t_until, both inclusive, of one row of perfhouse.trace_chunk, whose columns are the '
	'first arguments; for LATERAL, as in the view perfhouse.event. A chunk outside of the window is not even '
	'detoasted, and comparisons of the column time with what is known before the query runs are taken for the window '
	'by the planner. region_id: local_id of perfhouse.trace_region; operation_id: the number behind operation; '
	'values: as stored. The other columns are those of events. Errors: PH001 for bytes that are no chunk.';

CREATE OR REPLACE FUNCTION perfhouse_internal.chunk_event_columns(location_id int4, chunk_no int4, format int2, n_events int4,
		n_enter int4, n_message int4, first_seq int8, t_prev int8, t_first int8, t_last int8, stack bytea, dt bytea, kind bytea,
		region bytea, msg bytea, extra bytea)
	RETURNS TABLE (n int4, "time" bytea, kind bytea, region bytea, peer bytea, bytes bytea)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 1
	AS 'MODULE_PATHNAME', 'ph_trace_chunk_event_columns';
COMMENT ON FUNCTION perfhouse_internal.chunk_event_columns(int4, int4, int2, int4, int4, int4, int8, int8, int8, int8, bytea, bytea,
	bytea, bytea, bytea, bytea) IS
	'The events of one row of perfhouse.trace_chunk, whose columns are the arguments, as columns: see the view '
	'perfhouse.event_columns. No row when one of them is null. Errors: PH001 for bytes that are no chunk.';

CREATE OR REPLACE FUNCTION event_kinds() RETURNS TABLE (code int4, kind text)
	LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 100 AS 'MODULE_PATHNAME', 'ph_event_kinds';
COMMENT ON FUNCTION event_kinds() IS
	'What the codes of kind in perfhouse.event_columns mean: the names of events.kind. Codes are never given anew.';

CREATE OR REPLACE FUNCTION messages(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL, locations int4[] DEFAULT NULL)
	RETURNS TABLE (sender int4, receiver int4, send_time int8, receive_time int8, tag int4, bytes int8, communicator int4,
		sender_location int4, receiver_location int4, send_seq int8, receive_seq int8, send_region text, receive_region text)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 10000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_messages';
COMMENT ON FUNCTION messages(bigint, int8, int8, int4[]) IS
	'A row per point-to-point message that is under way in the window, one of its ends being in these locations '
	'(NULL: all), by send_time (nulls last), receive_time (nulls last), sender, receiver. sender and receiver are '
	'ranks of the run; send_seq and receive_seq are the events'' numbers in events. The k-th send of (sender, '
	'receiver, communicator, tag) meets the k-th receive that was posted. A message with one end only has nulls for '
	'the other''s. bytes: as received, else as sent. Errors: as events.';

CREATE OR REPLACE FUNCTION perfhouse_internal.chunk_messages_support(internal) RETURNS internal
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_chunk_messages_support';
COMMENT ON FUNCTION perfhouse_internal.chunk_messages_support(internal) IS 'Planner support of chunk_messages.';

CREATE OR REPLACE FUNCTION perfhouse_internal.chunk_messages(location_id int4, chunk_no int4, format int2, n_events int4, n_enter int4,
		n_message int4, first_seq int8, t_prev int8, t_first int8, t_last int8, stack bytea, dt bytea, kind bytea,
		region bytea, msg bytea, extra bytea, receiver int4, links bytea, t_send_min int8, t_send_max int8,
		send_from int8 DEFAULT NULL, send_until int8 DEFAULT NULL, receive_from int8 DEFAULT NULL, receive_until int8 DEFAULT NULL)
	RETURNS TABLE (sender int4, receiver int4, send_time int8, receive_time int8, tag int4, bytes int8, communicator int4,
		sender_location int4, receiver_location int4, send_seq int8, receive_seq int8, receive_region_id int4)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 4096 SUPPORT perfhouse_internal.chunk_messages_support
	AS 'MODULE_PATHNAME', 'ph_trace_chunk_messages';
COMMENT ON FUNCTION perfhouse_internal.chunk_messages(int4, int4, int2, int4, int4, int4, int8, int8, int8, int8, bytea, bytea,
	bytea, bytea, bytea, bytea, int4, bytea, int8, int8, int8, int8, int8, int8) IS
	'The messages that were received in one row of perfhouse.trace_chunk, whose columns are the first arguments, '
	'followed by the rank of its location and the columns of perfhouse.message_chunk (null: none); for LATERAL, as in '
	'the view perfhouse.message. A chunk without messages in the windows of sending and receiving times (both ends '
	'inclusive) is not even detoasted; from others all messages come. Comparisons of send_time and receive_time are '
	'taken for the windows by the planner. Errors: PH001 for bytes that are no chunk.';

CREATE OR REPLACE FUNCTION collectives(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL)
	RETURNS TABLE (collective int8, operation text, communicator int4, root int4, n_members int4, n_present int4,
		first_enter int8, last_enter int8, first_leave int8, last_leave int8, bytes_sent int8, bytes_received int8,
		last_rank int4, wait int8, is_mixed bool, inferred bool)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000000 ROWS 1000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_collectives';
COMMENT ON FUNCTION collectives(bigint, int8, int8) IS
	'A row per collective operation that overlaps the window, by first_enter, communicator, order within the '
	'communicator; collective counts all of the run in that order, from 0. An instance is the k-th collective that '
	'each member starts on the communicator, fences and creation and end of a window on the window; '
	'creation and destruction of other handles are '
	'left out. n_members: of the '
	'communicator, null when unknown; n_present: of them recorded. bytes: sums over members. last_rank: who came '
	'last; wait: ns that the others waited for it, the sum over members of last_enter - enter. is_mixed: members '
	'disagree on operation or root. inferred: of some members no record tells, only their calls (see trace_summary); '
	'their bytes are not counted, and the root is null where no record names it. Errors: PH002 and 22023 as events.';

-- ------------------------------------------------------------------------- aggregates over chunk columns
CREATE OR REPLACE FUNCTION perfhouse_internal.comm_tally_add(state bytea, location_id int4, chunk_no int4, format int2,
	n_events int4, n_enter int4,
		n_message int4, first_seq int8, t_prev int8, t_first int8, t_last int8, stack bytea, dt bytea, kind bytea,
		region bytea, msg bytea, extra bytea, rank int4, key text, t_from int8, t_to int8, bins int4) RETURNS bytea
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_comm_tally_add';
COMMENT ON FUNCTION perfhouse_internal.comm_tally_add(bytea, int4, int4, int2, int4, int4, int4, int8, int8, int8, int8, bytea,
	bytea, bytea, bytea, bytea, bytea, int4, text, int8, int8, int4) IS 'Transition function of comm_tally.';
CREATE OR REPLACE FUNCTION perfhouse_internal.comm_tally_combine(a bytea, b bytea) RETURNS bytea
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_comm_tally_combine';
COMMENT ON FUNCTION perfhouse_internal.comm_tally_combine(bytea, bytea) IS 'Combine function of comm_tally.';
CREATE OR REPLACE AGGREGATE perfhouse_internal.comm_tally(location_id int4, chunk_no int4, format int2, n_events int4, n_enter int4,
		n_message int4, first_seq int8, t_prev int8, t_first int8, t_last int8, stack bytea, dt bytea, kind bytea,
		region bytea, msg bytea, extra bytea, rank int4, key text, t_from int8, t_to int8, bins int4)
	(SFUNC = perfhouse_internal.comm_tally_add, STYPE = bytea, COMBINEFUNC = perfhouse_internal.comm_tally_combine, PARALLEL = SAFE);
COMMENT ON AGGREGATE perfhouse_internal.comm_tally(int4, int4, int2, int4, int4, int4, int8, int8, int8, int8, bytea, bytea, bytea,
	bytea, bytea, bytea, int4, text, int8, int8, int4) IS
	'Counts and bytes of the messages of event chunks by a key, for comm_tally_rows. The columns of '
	'perfhouse.trace_chunk, then the rank of the location, then the key: pair (sends by sender and receiver), size '
	'(sends by bytes), time (sends by time bin) or process (sends and receives by rank), then the window [t_from, '
	't_to) (nulls: open) and the number of its bins, which only time uses (null: 1). Chunks of many runs may be '
	'tallied together. Parallel. Errors: 22023 for another key or an empty window; PH001 for bytes that are no chunk.';
CREATE OR REPLACE FUNCTION perfhouse_internal.comm_tally_rows(tally bytea)
	RETURNS TABLE (key int8, first int4, second int4, messages int8, bytes int8)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 100 AS 'MODULE_PATHNAME', 'ph_comm_tally_rows';
COMMENT ON FUNCTION perfhouse_internal.comm_tally_rows(bytea) IS
	'What comm_tally counted, by key. pair: first is the sender, second the receiver; size and time: key is the size '
	'or bin; process: first is the rank, second 0 for sends and 1 for receives. Errors: PH001 for other bytes.';

CREATE OR REPLACE FUNCTION perfhouse_internal.region_profile_add(state bytea, location_id int4, chunk_no int4, format int2,
	n_events int4, n_enter int4,
		n_message int4, first_seq int8, t_prev int8, t_first int8, t_last int8, stack bytea, dt bytea, kind bytea,
		region bytea, msg bytea, extra bytea, t_from int8, t_to int8) RETURNS bytea
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_region_profile_add';
COMMENT ON FUNCTION perfhouse_internal.region_profile_add(bytea, int4, int4, int2, int4, int4, int4, int8, int8, int8, int8, bytea,
	bytea, bytea, bytea, bytea, bytea, int8, int8) IS 'Transition function of region_profile.';
CREATE OR REPLACE FUNCTION perfhouse_internal.region_profile_combine(a bytea, b bytea) RETURNS bytea
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_region_profile_combine';
COMMENT ON FUNCTION perfhouse_internal.region_profile_combine(bytea, bytea) IS 'Combine function of region_profile.';
CREATE OR REPLACE AGGREGATE perfhouse_internal.region_profile(location_id int4, chunk_no int4, format int2, n_events int4, n_enter int4,
		n_message int4, first_seq int8, t_prev int8, t_first int8, t_last int8, stack bytea, dt bytea, kind bytea,
		region bytea, msg bytea, extra bytea, t_from int8, t_to int8)
	(SFUNC = perfhouse_internal.region_profile_add, STYPE = bytea, COMBINEFUNC = perfhouse_internal.region_profile_combine,
		PARALLEL = SAFE);
COMMENT ON AGGREGATE perfhouse_internal.region_profile(int4, int4, int2, int4, int4, int4, int8, int8, int8, int8, bytea, bytea,
	bytea, bytea, bytea, bytea, int8, int8) IS
	'Calls and times of the regions of event chunks, for region_profile_rows: the columns of perfhouse.trace_chunk, '
	'then the window [t_from, t_to) (nulls: open); of calls that overlap it the overlap counts. Aggregate chunks of '
	'one run. Parallel. Errors: PH001 for bytes that are no chunk.';
CREATE OR REPLACE FUNCTION perfhouse_internal.region_profile_rows(profile bytea)
	RETURNS TABLE (region_id int4, calls int8, inclusive int8, exclusive int8)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 100 AS 'MODULE_PATHNAME', 'ph_region_profile_rows_of';
COMMENT ON FUNCTION perfhouse_internal.region_profile_rows(bytea) IS
	'What region_profile counted, by region_id (local_id of perfhouse.trace_region): calls and times in ns, summed '
	'over locations. inclusive counts recursion once. Errors: PH001 for other bytes.';

-- ------------------------------------------------------------------------------------------ communication
CREATE OR REPLACE FUNCTION comm_matrix(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL)
	RETURNS TABLE (sender int4, receiver int4, messages int8, bytes int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000000 ROWS 1000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_comm_matrix';
COMMENT ON FUNCTION comm_matrix(bigint, int8, int8) IS
	'Messages and bytes that were sent in the window by each pair of ranks that occurs, by sender, receiver. Sends '
	'count, whether or not they were received. Errors: PH002 and 22023 as events.';

CREATE OR REPLACE FUNCTION message_histogram(run bigint, bins int4 DEFAULT 20, t_from int8 DEFAULT NULL,
		t_to int8 DEFAULT NULL, locations int4[] DEFAULT NULL)
	RETURNS TABLE (bin int4, low int8, high int8, messages int8, bytes int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000000 ROWS 20
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_message_histogram';
COMMENT ON FUNCTION message_histogram(bigint, int4, int8, int8, int4[]) IS
	'Sends of the window from these locations (NULL: all) by size in equal bins between the smallest and the largest, '
	'empty ones too; where the largest is at least 100 times the smallest, or 1, in at most so many bins between powers '
	'of two. Sizes in [low, high), in the last bin [low, high], in bytes. None is narrower than a byte: '
	'one bin when all are of one size; none without messages. Errors: PH002 and 22023 as events; 22023 unless bins is 1 to 1000000.';

CREATE OR REPLACE FUNCTION comm_over_time(run bigint, bins int4 DEFAULT 50, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL)
	RETURNS TABLE (bin int4, bin_start int8, bin_end int8, messages int8, bytes int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000000 ROWS 50
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_comm_over_time';
COMMENT ON FUNCTION comm_over_time(bigint, int4, int8, int8) IS
	'Messages and bytes by the time at which they were sent, in equal bins [bin_start, bin_end) of the window, empty '
	'ones too. Without a window: from 0 to one ns after the last event. Errors: PH002 as events; 22023 for an empty '
	'window or unless bins is 1 to 1000000.';

CREATE OR REPLACE FUNCTION comm_by_process(run bigint)
	RETURNS TABLE (rank int4, messages_sent int8, messages_received int8, bytes_sent int8, bytes_received int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_comm_by_process';
COMMENT ON FUNCTION comm_by_process(bigint) IS
	'What each rank that communicates sent and received (completed receives), in point-to-point messages, by rank. '
	'Errors: PH002 as events.';

-- ---------------------------------------------------------------------------------------------- calls
CREATE OR REPLACE FUNCTION calls(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL, locations int4[] DEFAULT NULL)
	RETURNS TABLE (location int4, rank int4, thread int4, call int8, parent int8, depth int4, region text, enter int8,
		leave int8, inclusive int8, exclusive int8, region_id int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 100000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_calls';
COMMENT ON FUNCTION calls(bigint, int8, int8, int4[]) IS
	'A row per call that overlaps the window (enter < t_to, leave >= t_from) in these locations (NULL: all), by '
	'location, then call, which is the number of its ENTER in events. parent: the call around it, null for outermost '
	'ones, whose depth is 0. leave is null when the call was not left; it then ends with the location''s last event. '
	'inclusive and exclusive are ns of the whole call, also outside of the window; exclusive is without the calls '
	'that it makes. region_id: in perfhouse.region. Errors: as events.';

-- ----------------------------------------------------------------------------------------------- time
CREATE OR REPLACE FUNCTION time_profile(run bigint, bins int4 DEFAULT 50, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL,
	locations int4[] DEFAULT NULL)
	RETURNS TABLE (bin int4, bin_start int8, bin_end int8, region text, exclusive int8, share float8)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000000 ROWS 1000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_time_profile';
COMMENT ON FUNCTION time_profile(bigint, int4, int8, int8, int4[]) IS
	'Exclusive time in ns of each region in equal bins [bin_start, bin_end) of the window, summed over these '
	'locations (NULL: all), cut exactly at the bins'' borders; only regions that have some, by bin, region. Regions '
	'of one name are one. share: of the bin''s width times the locations that have calls; what is missing to 1 was '
	'outside of all calls. Without a window: from 0 to one ns after the last event. Errors: PH002 as events; 22023 '
	'for an empty window or unless bins is 1 to 1000000.';

CREATE OR REPLACE FUNCTION idle(run bigint, functions text[] DEFAULT NULL)
	RETURNS TABLE (location int4, rank int4, thread int4, idle int8, share float8)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_idle';
COMMENT ON FUNCTION idle(bigint, text[]) IS
	'For each location that has calls the time in ns during which a call of one of these functions (exact names; '
	'NULL: MPI_Recv, MPI_Wait, MPI_Waitall, MPI_Waitany, MPI_Waitsome, Idle) is open, and its share of the run''s '
	'duration. Functions that the trace lacks count 0. Errors: PH002 as events.';

CREATE OR REPLACE FUNCTION load_imbalance(run bigint, top int4 DEFAULT 1)
	RETURNS TABLE (region text, mean float8, max float8, imbalance_ratio float8, imbalance_excess float8, top_ranks int4[],
		top_locations int4[])
	LANGUAGE C STABLE PARALLEL SAFE COST 1000000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_load_imbalance';
COMMENT ON FUNCTION load_imbalance(bigint, int4) IS
	'Exclusive time in ns of each region over the locations that have calls (absent = 0): mean, max, imbalance_ratio '
	'= max / mean, imbalance_excess = (max - mean) / mean (null when the mean is 0), and the top locations that took '
	'most, with their ranks (-1: none), equals by location. By mean descending, then region. Regions of one name are '
	'one. Errors: PH002 as events; 22023 for a negative top.';

-- -------------------------------------------------------------------------------------- profile and trust
CREATE OR REPLACE FUNCTION trace_profile(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL) RETURNS profile
	LANGUAGE C STABLE PARALLEL SAFE COST 1000000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_profile';
COMMENT ON FUNCTION trace_profile(bigint, int8, int8) IS
	'The profile of the window of a trace, with the call paths of profile(run): metrics time [s], visits [count] and '
	'the trace''s own accumulated ones; its columns, also those without calls in the window. Of calls that overlap '
	'the window the overlap counts as time, and each as a visit. Errors: PH002 as events, and when there are no calls '
	'in the window; 22023 for a window that ends before it begins.';

CREATE OR REPLACE FUNCTION trace_summary(run bigint)
	RETURNS TABLE (item text, value text, trusted bool)
	LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000000 ROWS 16
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_summary';
COMMENT ON FUNCTION trace_summary(bigint) IS
	'What a trace holds and how far to trust it, a row per item in fixed order: locations, events, duration, clock '
	'(uncorrected, offsets, logical), messages, sends that nobody received, receives that nobody sent, messages '
	'received before they were sent and by how much, calls of sending and of receiving functions of which the source '
	'records no message at all, collectives, how many of them are inferred from calls because records are missing, '
	'calls of collective functions of which that is impossible; where there are windows one-sided operations, locks, begins and '
	'ends of epochs with one process, and those whose counterpart is not known; calls for epochs without a record; '
	'calls not left at the end (the trace was cut off), '
	'records not understood. trusted is false where something is amiss. Inferred is the k-th call of each member of a '
	'communicator: of the one on which a rank alone lacks as many as it has such calls, else of all ranks, if all '
	'called the function equally often in the same order and nobody left before all had come. Errors: PH002 as events.';

-- ----------------------------------------------------------------------------------------- wait states
CREATE OR REPLACE FUNCTION late_senders(run bigint)
	RETURNS TABLE (sender int4, receiver int4, receive_region text, receive_enter int8, send_time int8, receive_time int8,
		wait int8, tag int4, bytes int8, communicator int4, receiver_location int4, receive_seq int8, sender_location int4,
		send_seq int8, receive_leave int8, n_messages int4, n_late int4)
	LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000000 ROWS 10000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_late_senders';
COMMENT ON FUNCTION late_senders(bigint) IS
	'The late senders of wait_states, in wrong order or not: a row per receiving call (MPI_Recv, MPI_Wait, ...) that '
	'waited from receive_enter until the call that sent the message was entered, or to its own end (receive_leave) when '
	'that came first; wait in ns, by wait descending, receiver_location, receive_seq. send_time, receive_time: the '
	'records of the message. A call that completes n_messages, n_late of them sent by calls entered after it, shows the '
	'one that it waited for longest. Errors: PH002 as events. Method: late sender after Scalasca.';

CREATE OR REPLACE FUNCTION late_receivers(run bigint)
	RETURNS TABLE (sender int4, receiver int4, send_region text, send_enter int8, receive_enter int8, send_leave int8,
		wait int8, tag int4, bytes int8, communicator int4, sender_location int4, send_seq int8, receiver_location int4,
		receive_seq int8)
	LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000000 ROWS 1000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_late_receivers';
COMMENT ON FUNCTION late_receivers(bigint) IS
	'The late receivers of wait_states: a row per call (send_region) that waited from send_enter until the receive of what '
	'it sent, or what it completed of a non-blocking send before, was entered, or was posted: receive_enter; wait in ns, '
	'by wait descending, sender_location, send_seq. Only MPI_Ssend, and messages of sizes (powers of two, on one host or '
	'between two) that are sent by rendezvous: of calls that had nothing else to wait for, nine in ten lasted until then, '
	'and longer than such calls do whose receiver is there before. Others are buffered, and nobody waits for who receives '
	'them late. Errors: PH002 as events. Method: late receiver after Scalasca.';

CREATE OR REPLACE FUNCTION collective_waits(run bigint)
	RETURNS TABLE (collective int8, operation text, communicator int4, rank int4, enter int8, wait int8, cause int4,
		cause_enter int8, location int4, seq int8, cause_location int4, inferred bool)
	LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000000 ROWS 10000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_collective_waits';
COMMENT ON FUNCTION collective_waits(bigint) IS
	'The waits in collectives of wait_states: a row per call that waited for others, in barriers and all-to-all kinds for '
	'the last one, as in fences and where windows are created or end, in broadcast kinds for the '
	'root, as the root of reductions for the last one, in scans for lower ranks. '
	'cause: the rank that it waited for, which came at cause_enter; wait in ns from enter (of the call), until the '
	'collective''s end at the latest, by wait descending, collective (as in collectives), location. A call that '
	'completes several shows the one that it waited for longest. seq: the event that ended it. inferred: no record tells '
	'that the waiter, or whom it waited for, was part of it, only its call. Errors: PH002 as events. '
	'Method: wait at barrier, wait at NxN, late broadcast and early reduce after Scalasca.';

CREATE OR REPLACE FUNCTION critical_path(run bigint, detail boolean DEFAULT false)
	RETURNS TABLE (step int4, location int4, rank int4, thread int4, t_from int8, t_to int8, region text, kind text, wait int8,
		peer int4, peer_location int4, inferred bool, compute int8, message int8, collective int8, waiting int8, segments int4)
	LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000000 ROWS 10000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_critical_path';
COMMENT ON FUNCTION critical_path(bigint, boolean) IS
	'What determines how long the run takes, in order of time: a row per stay on a location, start-up (until MPI_Init is '
	'left), main part and shut-down (from MPI_Finalize on) apart; their times [t_from, t_to) '
	'in ns tile it from the first event to the last. Followed backward from the last event: stay on a location until a '
	'call that waited (wait_states), go on with the rank waited for at the time when it ended the wait. compute, message, collective, '
	'waiting (for a partner that was not recorded): ns of the stay in each; kind: the one with the most; region: the '
	'innermost call with the most, null when all is outside of calls; segments: how many there would be by call. '
	'detail: a row per segment, which is in one call (region) and of one kind: as many as half the events. peer: the '
	'rank that the path came from, null when it was here before; wait: ns that the call waited for it, before t_from. '
	'In traces with devices it goes through them, too: from an activity to the call that launched it when the stream was free, '
	'else to what its stream did before, or to the stream whose activity ended just then; from a call that synchronises, or '
	'copied, to the activity that ended in it; from a collective operation of devices to the member that began last. Between '
	'the return of a launching call and the activity the path is on the stream, in no call: latency of the launch. '
	'Errors: PH002 as events. Method: after Scalasca (Boehme et al. 2012).';
