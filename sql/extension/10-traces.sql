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
	'A row per event of the window in these locations (NULL: all), by location, then seq, the event''s number within its location. kind: the record''s name as otf2-print writes it (ENTER, LEAVE, MPI_SEND, …, UNKNOWN). region: of ENTER and LEAVE theirs, else the innermost open one. peer and root are ranks of the run. operation: of collectives (barrier, allreduce, …), the first metric''s name of METRIC, on or off of MEASUREMENT. values: of metrics in their units, of other records as they are. depth: calls around the event, or around the call that it enters or leaves. What a kind does not have is null. Errors: PH002 for an unknown run or location, or a run without a trace; 22023 for a window that ends before it begins.';

CREATE OR REPLACE FUNCTION chunk_events_support(internal) RETURNS internal
	LANGUAGE C IMMUTABLE STRICT AS 'MODULE_PATHNAME', 'ph_chunk_events_support';
REVOKE ALL ON FUNCTION chunk_events_support(internal) FROM PUBLIC;

CREATE OR REPLACE FUNCTION chunk_events(location_id int4, chunk_no int4, format int2, n_events int4, n_enter int4,
		n_message int4, first_seq int8, t_prev int8, t_first int8, t_last int8, stack bytea, dt bytea, kind bytea,
		region bytea, msg bytea, extra bytea, t_from int8 DEFAULT NULL, t_until int8 DEFAULT NULL)
	RETURNS TABLE ("time" int8, kind text, region_id int4, peer int4, tag int4, bytes int8, communicator int4,
		seq int8, request int8, operation text, root int4, bytes_received int8, operation_id int4, "values" int8[],
		depth int4)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 16384 SUPPORT chunk_events_support
	AS 'MODULE_PATHNAME', 'ph_trace_chunk_events';
COMMENT ON FUNCTION chunk_events(int4, int4, int2, int4, int4, int4, int8, int8, int8, int8, bytea, bytea, bytea, bytea, bytea, bytea, int8, int8) IS
	'The events from t_from to t_until, both inclusive, of one row of perfhouse.trace_chunk, whose columns are the first arguments; for LATERAL, as in the view perfhouse.event. A chunk outside of the window is not even detoasted, and comparisons of the column time with what is known before the query runs are taken for the window by the planner. region_id: local_id of perfhouse.trace_region; operation_id: the number behind operation; values: as stored. The other columns are those of events. Errors: PH001 for bytes that are no chunk.';

CREATE OR REPLACE FUNCTION messages(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL, locations int4[] DEFAULT NULL)
	RETURNS TABLE (sender int4, receiver int4, send_time int8, receive_time int8, tag int4, bytes int8, communicator int4,
		sender_location int4, receiver_location int4, send_seq int8, receive_seq int8, send_region text, receive_region text)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 10000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_messages';
COMMENT ON FUNCTION messages(bigint, int8, int8, int4[]) IS
	'A row per point-to-point message that is under way in the window, one of its ends being in these locations (NULL: all), by send_time (nulls last), receive_time (nulls last), sender, receiver. sender and receiver are ranks of the run; send_seq and receive_seq are the events'' numbers in events. The k-th send of (sender, receiver, communicator, tag) meets the k-th receive that was posted. A message with one end only has nulls for the other''s. bytes: as received, else as sent. Errors: as events.';

CREATE OR REPLACE FUNCTION chunk_messages_support(internal) RETURNS internal
	LANGUAGE C IMMUTABLE STRICT AS 'MODULE_PATHNAME', 'ph_chunk_messages_support';
REVOKE ALL ON FUNCTION chunk_messages_support(internal) FROM PUBLIC;

CREATE OR REPLACE FUNCTION chunk_messages(location_id int4, chunk_no int4, format int2, n_events int4, n_enter int4,
		n_message int4, first_seq int8, t_prev int8, t_first int8, t_last int8, stack bytea, dt bytea, kind bytea,
		region bytea, msg bytea, extra bytea, receiver int4, links bytea, t_send_min int8, t_send_max int8,
		send_from int8 DEFAULT NULL, send_until int8 DEFAULT NULL, receive_from int8 DEFAULT NULL, receive_until int8 DEFAULT NULL)
	RETURNS TABLE (sender int4, receiver int4, send_time int8, receive_time int8, tag int4, bytes int8, communicator int4,
		sender_location int4, receiver_location int4, send_seq int8, receive_seq int8, receive_region_id int4)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 4096 SUPPORT chunk_messages_support
	AS 'MODULE_PATHNAME', 'ph_trace_chunk_messages';
COMMENT ON FUNCTION chunk_messages(int4, int4, int2, int4, int4, int4, int8, int8, int8, int8, bytea, bytea, bytea, bytea, bytea, bytea, int4, bytea, int8, int8, int8, int8, int8, int8) IS
	'The messages that were received in one row of perfhouse.trace_chunk, whose columns are the first arguments, followed by the rank of its location and the columns of perfhouse.message_chunk (null: none); for LATERAL, as in the view perfhouse.message. A chunk without messages in the windows of sending and receiving times (both ends inclusive) is not even detoasted; from others all messages come. Comparisons of send_time and receive_time are taken for the windows by the planner. Errors: PH001 for bytes that are no chunk.';

CREATE OR REPLACE FUNCTION collectives(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL)
	RETURNS TABLE (collective int8, operation text, communicator int4, root int4, n_members int4, n_present int4,
		first_enter int8, last_enter int8, first_leave int8, last_leave int8, bytes_sent int8, bytes_received int8,
		last_rank int4, wait int8, is_mixed bool)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000000 ROWS 1000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_collectives';
COMMENT ON FUNCTION collectives(bigint, int8, int8) IS
	'A row per collective operation that overlaps the window, by first_enter, communicator, order within the communicator; collective counts all of the run in that order, from 0. An instance is the k-th collective that each member starts on the communicator; creation and destruction of handles are left out. n_members: of the communicator, null when unknown; n_present: of them recorded. bytes: sums over members. last_rank: who came last; wait: ns that the others waited for it, the sum over members of last_enter - enter. is_mixed: members disagree on operation or root. Errors: PH002 and 22023 as events.';
