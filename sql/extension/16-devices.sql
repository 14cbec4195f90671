-- 16-devices.sql - what devices did in a trace: kernels, copies, how busy devices were, launches.
--
-- Times are ns, int8. t_from and t_to: activities that overlap the window, whole; ranks: those of the processes that
-- own the streams. NULL: all. Traces without devices have no rows.

CREATE OR REPLACE FUNCTION kernels(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL, ranks int4[] DEFAULT NULL)
	RETURNS TABLE (name text, calls int8, total int8, mean float8, min int8, max int8, deviation float8, share float8,
		n_ranks int4, rank_min int8, rank_max int8, communicates boolean)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_kernels';
COMMENT ON FUNCTION kernels(bigint, int8, int8, int4[]) IS
	'The kernels that ran on devices in a trace, by name, the dearest first: how often, their durations in ns (deviation: '
	'of the sample) and their share of the time of all kernels, on how many ranks, and the totals of the rank that took '
	'least and of the one that took most. communicates: it is of a library of collectives (NCCL, RCCL, HCCL, oneCCL). '
	'Errors: PH002 for an unknown run or one without a trace; PH003 when its events were dropped; 22023 for a window that '
	'ends before it begins.';

CREATE OR REPLACE FUNCTION copies(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL, ranks int4[] DEFAULT NULL)
	RETURNS TABLE (name text, calls int8, bytes int8, total int8, bandwidth float8, share float8)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 10
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_copies';
COMMENT ON FUNCTION copies(bigint, int8, int8, int4[]) IS
	'Copies to, from and on devices in a trace by direction (memcpy HtoD, DtoH, DtoD, PtoP), and memsets, the dearest '
	'first: how many, bytes, ns, bytes per second while they ran, and share of the time of all of them. Errors: as kernels.';

CREATE OR REPLACE FUNCTION gpu_activity(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL, ranks int4[] DEFAULT NULL)
	RETURNS TABLE (device text, rank int4, wall int8, busy int8, compute int8, communication int8, copies int8, overlap int8,
		exposed int8, idle int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 10
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_gpu_activity';
COMMENT ON FUNCTION gpu_activity(bigint, int8, int8, int4[]) IS
	'How busy each device was, RANK/DEVICE, between its first and its last activity (wall): ns in which anything ran, '
	'computing kernels, communicating ones, copies and memsets ran, and idle. Unions over streams: nothing counts twice. '
	'overlap: communication while something computed; exposed: the rest of it. Errors: as kernels.';

CREATE OR REPLACE FUNCTION gpu_idle(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL, ranks int4[] DEFAULT NULL,
		threshold int8 DEFAULT 30000)
	RETURNS TABLE (device text, rank int4, context int8, stream int8, busy int8, idle int8, host_wait int8, launch_gap int8,
		other int8, n_gaps int4)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 10
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_gpu_idle';
COMMENT ON FUNCTION gpu_idle(bigint, int8, int8, int4[], int8) IS
	'Why each stream was idle between its activities, in ns: host_wait: what came next was launched after the stream was '
	'free; launch_gap: it had been launched, and the gap is shorter than threshold ns; other: longer gaps, for instance '
	'waits for other streams. Activities that overlap are one stretch of busy. Errors: as kernels.';

CREATE OR REPLACE FUNCTION launches(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL, ranks int4[] DEFAULT NULL)
	RETURNS TABLE (location int4, rank int4, device text, stream int8, activity text, kind text, t_start int8, duration int8,
		bytes int8, queue int4, call text, call_location int4, t_call int8, call_duration int8, delay int8, delay_from_end int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 10000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_launches';
COMMENT ON FUNCTION launches(bigint, int8, int8, int4[]) IS
	'The activities of devices in a trace with the calls of the host that launched them, by stream and start. kind: '
	'compute, communication, copy, set. delay: from the call''s start to the activity''s; delay_from_end: from the call''s '
	'end, which may be negative. queue: how many activities of the stream had been launched and had not begun when the '
	'call was entered, this one and others of the same call included. NULL where nobody is known to have launched it. '
	'Errors: as kernels.';

CREATE OR REPLACE FUNCTION launch_statistics(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL,
		ranks int4[] DEFAULT NULL, long_call int8 DEFAULT 50000, long_delay int8 DEFAULT 100000)
	RETURNS TABLE (rank int4, call text, activities int8, shorter_than_call int8, long_calls int8, long_delays int8,
		mean_call float8, mean_duration float8, mean_delay float8, max_delay int8, max_queue int4)
	LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 10
	SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT l.rank, l.call, count(*), count(*) FILTER (WHERE l.duration < l.call_duration),
		count(*) FILTER (WHERE l.call_duration > long_call), count(*) FILTER (WHERE l.delay > long_delay),
		avg(l.call_duration)::float8, avg(l.duration)::float8, avg(l.delay)::float8, max(l.delay), max(l.queue)
	FROM perfhouse.launches(run, t_from, t_to, ranks) l WHERE l.call IS NOT NULL
	GROUP BY l.rank, l.call ORDER BY l.rank, count(*) DESC, l.call
	$$;
COMMENT ON FUNCTION launch_statistics(bigint, int8, int8, int4[], int8, int8) IS
	'How the calls that launch activities fared, by rank and call: how many activities, how many ran shorter than their '
	'call took, how many calls took longer than long_call ns, how many activities began more than long_delay ns after '
	'their call did, means and maxima in ns, and the longest queue. Errors: as kernels.';
