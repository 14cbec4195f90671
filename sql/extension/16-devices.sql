-- 16-devices.sql - what devices did in a trace: kernels, copies, how busy devices were, launches.
--
-- Times are ns, int8. t_from and t_to: activities that overlap the window, whole; ranks: those of the processes that
-- own the streams. NULL: all. Traces without devices have no rows.

CREATE OR REPLACE FUNCTION kernels(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL, ranks int4[] DEFAULT NULL)
	RETURNS TABLE (name text, calls int8, total int8, mean float8, min int8, max int8, deviation float8, share float8,
		n_ranks int4, rank_min int8, rank_max int8, communicates boolean, p10 float8, median float8, p90 float8)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_kernels';
COMMENT ON FUNCTION kernels(bigint, int8, int8, int4[]) IS
	'The kernels that ran on devices in a trace, by name, the dearest first: how often, their durations in ns (deviation: '
	'of the sample) and their share of the time of all kernels, on how many ranks, and the totals of the rank that took '
	'least and of the one that took most. p10, median, p90: durations that a tenth, half and nine tenths of the calls are '
	'not longer than, right to 5 %. communicates: it is of a library of collectives (NCCL, RCCL, HCCL, oneCCL). '
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
		stream_wait int8, other int8, n_gaps int4)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 10
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_gpu_idle';
COMMENT ON FUNCTION gpu_idle(bigint, int8, int8, int4[], int8) IS
	'Why each stream was idle between its activities, in ns: host_wait: what came next was launched after the stream was '
	'free; launch_gap: it had been launched, and the gap is shorter than threshold ns; other: longer gaps. Where events record what it '
	'waited for on another stream (stream_waits), a gap is host_wait until the launch, stream_wait until that was over, and then one of '
	'the other two. Activities that overlap are one stretch of busy. Errors: as kernels.';

CREATE OR REPLACE FUNCTION stream_waits(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL, ranks int4[] DEFAULT NULL)
	RETURNS TABLE (location int4, rank int4, device text, stream int8, activity text, t_start int8, waited int8,
		awaited_location int4, awaited_stream int8, awaited_activity text, t_awaited int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 1000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_stream_waits_of_run';
COMMENT ON FUNCTION stream_waits(bigint, int8, int8, int4[]) IS
	'Which activities of devices waited for another stream, as events record it (cudaEventRecord and cudaStreamWaitEvent, and HIP''s): a '
	'row for the first activity behind each wait, with the last one that the other stream was given ahead of the event; of several '
	'waits the one that was over last. t_awaited: when that ended; waited: ns of it in which the stream was free and the activity '
	'launched, 0: it held nothing up. awaited_activity: null where it is not known. PyTorch''s traces have them (Stream Wait Event), '
	'Nsight Systems'' where events were recorded, rocpd where arguments of calls were. No rows: nothing was recorded. Errors: as kernels.';

CREATE OR REPLACE FUNCTION launches(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL, ranks int4[] DEFAULT NULL)
	RETURNS TABLE (location int4, rank int4, device text, stream int8, activity text, kind text, operation text, t_start int8,
		duration int8, bytes int8, queue int4, call text, call_location int4, call_seq int8, t_call int8, call_duration int8,
		delay int8, delay_from_end int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 10000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_launches';
COMMENT ON FUNCTION launches(bigint, int8, int8, int4[]) IS
	'The activities of devices in a trace with the calls of the host that launched them, by stream and start. kind: '
	'compute, communication, copy, set. '
	'operation: of those that communicate (device_operations). '
	'bytes: null where the source says none. '
	'delay: from the call''s start to the activity''s; '
	'delay_from_end: from the call''s '
	'end, which may be negative. queue: how many activities of the stream had been launched and had not begun when the '
	'call was entered, this one and others of the same call included. call_seq: number of the call''s ENTER among the events of '
	'its location. NULL where nobody is known to have launched it. '
	'Errors: as kernels.';

CREATE OR REPLACE FUNCTION perfhouse_internal.launch_totals(run bigint, t_from int8, t_to int8, ranks int4[], long_call int8,
		long_delay int8)
	RETURNS TABLE (rank int4, call text, activities int8, shorter_than_call int8, long_calls int8, long_delays int8,
		call_ns int8, duration_ns int8, delay_ns int8, max_delay int8, max_queue int4)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 10
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_launch_totals';
COMMENT ON FUNCTION perfhouse_internal.launch_totals(bigint, int8, int8, int4[], int8, int8) IS
	'What launch_statistics says, as sums in ns; a row for each region of the trace, of which several may have one name.';

CREATE OR REPLACE FUNCTION launch_statistics(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL,
		ranks int4[] DEFAULT NULL, long_call int8 DEFAULT 50000, long_delay int8 DEFAULT 100000)
	RETURNS TABLE (rank int4, call text, activities int8, shorter_than_call int8, long_calls int8, long_delays int8,
		mean_call float8, mean_duration float8, mean_delay float8, max_delay int8, max_queue int4)
	LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 10
	SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT l.rank, l.call, sum(l.activities)::int8, sum(l.shorter_than_call)::int8, sum(l.long_calls)::int8, sum(l.long_delays)::int8,
		(sum(l.call_ns) / sum(l.activities))::float8, (sum(l.duration_ns) / sum(l.activities))::float8,
		(sum(l.delay_ns) / sum(l.activities))::float8, max(l.max_delay), max(l.max_queue)
	FROM perfhouse_internal.launch_totals(run, t_from, t_to, ranks, long_call, long_delay) l
	GROUP BY l.rank, l.call ORDER BY l.rank, sum(l.activities) DESC, l.call
	$$;
COMMENT ON FUNCTION launch_statistics(bigint, int8, int8, int4[], int8, int8) IS
	'How the calls that launch activities fared, by rank and call: how many activities, how many ran shorter than their '
	'call took, how many calls took longer than long_call ns, how many activities began more than long_delay ns after '
	'their call did, means and maxima in ns, and the longest queue. Errors: as kernels.';

CREATE OR REPLACE FUNCTION gpu_over_time(run bigint, bins int4 DEFAULT 50, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL,
		ranks int4[] DEFAULT NULL, threshold int8 DEFAULT 30000)
	RETURNS TABLE (device text, rank int4, bin int4, bin_start int8, bin_end int8, compute int8, overlap int8, exposed int8,
		copies int8, host_wait int8, launch_gap int8, other int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 500
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_gpu_over_time';
COMMENT ON FUNCTION gpu_over_time(bigint, int4, int8, int8, int4[], int8) IS
	'What each device did, RANK/DEVICE, in equal bins [bin_start, bin_end) of the window, in ns, one thing at a time: '
	'computing alone, computing while communicating (overlap), communicating alone (exposed), copies and memsets beside '
	'which no kernel ran, and idle by what came next on the device, as in gpu_idle. The sum over a trace is the wall of '
	'gpu_activity; before its first and after its last activity a device has nothing. With 1 bin: by device. Errors: as '
	'kernels, and 22023 for an empty window or unless bins is 1 to 1000000.';

CREATE OR REPLACE FUNCTION device_efficiency(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL, ranks int4[] DEFAULT NULL)
	RETURNS TABLE (devices int4, elapsed int8, parallel float8, load_balance float8, communication float8, orchestration float8,
		offload float8)
	LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 1
	SET search_path = pg_catalog, pg_temp
	AS $$
	WITH device AS MATERIALIZED (
		SELECT sum(o.compute + o.overlap)::float8 AS computes, sum(o.exposed + o.copies)::float8 AS moves,
			sum(o.compute + o.overlap + o.exposed + o.copies + o.host_wait + o.launch_gap + o.other)::float8 AS wall
		FROM perfhouse.gpu_over_time(run, 1, device_efficiency.t_from, device_efficiency.t_to, ranks) o GROUP BY o.device
	), used AS (
		SELECT count(*)::int4 AS devices, avg(d.computes) AS mean, max(d.computes) AS longest, max(d.computes + d.moves) AS active,
			max(d.wall) AS wall
		FROM device d WHERE d.wall > 0
	), host AS (
		SELECT sum(p.exclusive) FILTER (WHERE p.name ~ '^(cu[A-Z]|cuda[A-Z]|hip[A-Z]|hsa_|nccl[A-Z]|rccl[A-Z])') AS calls,
			sum(p.exclusive) FILTER (WHERE p.name !~ '^(MPI|PMPI|P?MPIX)_') AS outside
		FROM used u, perfhouse.trace_profile(run, device_efficiency.t_from, device_efficiency.t_to) t (whole),
			LATERAL (SELECT CASE WHEN ranks IS NULL THEN t.whole ELSE perfhouse.subset_ranks(t.whole, ranks) END) r (profile),
			perfhouse.nodes(r.profile, 'time') p
		WHERE u.devices > 0
	)
	SELECT u.devices, u.wall::int8, u.mean / nullif(u.wall, 0), u.mean / nullif(u.longest, 0), u.longest / nullif(u.active, 0),
		u.active / nullif(u.wall, 0), (h.outside - coalesce(h.calls, 0)) / nullif(h.outside, 0)
	FROM used u, host h WHERE u.devices > 0
	$$;
COMMENT ON FUNCTION device_efficiency(bigint, int8, int8, int4[]) IS
	'How well a traced run uses its devices, 0 to 1; no row where none did anything. parallel = load_balance x communication x '
	'orchestration. Useful is that a device computes; load_balance: mean / max of it over devices; communication: max / the longest '
	'that a device did anything (what copies and communication cost that nothing hides); orchestration: that / elapsed (idle '
	'devices: the host launches too late, devices wait for each other). elapsed: ns from the first to the last activity of a '
	'device in the whole run, as far as they lie in the window, the longest. offload: of the time of the host outside of '
	'MPI the part outside of calls of CUDA, HIP, NCCL '
	'and RCCL. null: nothing to divide by. Errors: as gpu_over_time. Method: TALP''s of the library DLB.';

CREATE OR REPLACE FUNCTION gpu_queue(run bigint, bins int4 DEFAULT 50, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL,
		ranks int4[] DEFAULT NULL, full_at int8 DEFAULT 1024)
	RETURNS TABLE (device text, rank int4, context int8, stream int8, bin int4, bin_start int8, bin_end int8, mean float8,
		longest int4, empty int8, "full" int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 500
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_gpu_queue';
COMMENT ON FUNCTION gpu_queue(bigint, int4, int8, int8, int4[], int8) IS
	'How many activities of each stream were launched and had not begun, in equal bins of the window: mean over time, the '
	'longest queue, ns in which it was empty, and in which it had at least full_at of them (where launching blocks). An '
	'activity is in the queue from the start of its call; those that nobody is known to have launched are not. Errors: as '
	'gpu_over_time.';

CREATE OR REPLACE FUNCTION copies_over_time(run bigint, bins int4 DEFAULT 50, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL,
		ranks int4[] DEFAULT NULL)
	RETURNS TABLE (name text, bin int4, bin_start int8, bin_end int8, bytes float8, ns int8, bandwidth float8)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 500
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_copies_over_time';
COMMENT ON FUNCTION copies_over_time(bigint, int4, int8, int8, int4[]) IS
	'Copies and memsets by direction in equal bins of the window: bytes (of a copy in several bins by its time in each), ns '
	'in which they ran, summed over them, and bytes per second of the bin. Errors: as gpu_over_time.';

CREATE OR REPLACE FUNCTION kernel_sequences(run bigint, length int8 DEFAULT 3, below text DEFAULT NULL, t_from int8 DEFAULT NULL,
		t_to int8 DEFAULT NULL, ranks int4[] DEFAULT NULL)
	RETURNS TABLE (kernels text[], count int8, busy int8, gaps int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 1000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_kernel_sequences_of_run';
COMMENT ON FUNCTION kernel_sequences(bigint, int8, text, int8, int8, int4[]) IS
	'Sequences of length (2 to 64) computing kernels that follow each other on a stream with nothing else between, '
	'candidates to be fused: how often, without overlaps of one with itself, ns of the kernels, and ns between them; the '
	'dearest by both first. below: only kernels launched within calls of this function, those of a sequence within one '
	'call. Errors: as kernels, and 22023 for another length.';

CREATE OR REPLACE FUNCTION device_collectives(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL,
		ranks int4[] DEFAULT NULL)
	RETURNS TABLE (collective int4, name text, operation text, communicator int4, step int4, n_members int4, location int4, rank int4,
		device text, stream int8, bytes int8, t_call int8, t_start int8, t_end int8, lateness int8, wait int8, last_rank int4)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 1000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_device_collectives';
COMMENT ON FUNCTION device_collectives(bigint, int8, int8, int4[]) IS
	'Collective operations of devices (kernels of NCCL, RCCL, HCCL, oneCCL), a row a member: kernels of one operation on '
	'several ranks (as device_operations has it; '
	'of one name, where arguments and annotations say none) which all overlap in time, '
	'because none ends before all have begun; a kernel that none of another rank overlaps '
	'has no row. step: logical time, behind the latest earlier one of the same ranks; lateness: ns after the first member '
	'began; wait: ns until the last one, of last_rank, did. t_call: when it was launched. '
	'bytes: null where the source does not say them. communicator: local_id '
	'in trace_communicator of the process group that the operation is of; null: the source does not say it (PyTorch''s since 2024, '
	'Nsight Systems with payloads of NCCL and rocpd with arguments do), so that operations of one name that two groups run at the '
	'same time may be taken for one. Errors: as kernels.';

CREATE OR REPLACE FUNCTION device_operations(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL, ranks int4[] DEFAULT NULL)
	RETURNS TABLE (operation text, kernel text, calls int8, bytes int8, total int8, mean float8, n_ranks int4)
	LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 20
	SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT l.operation, l.activity, count(*), sum(l.bytes)::int8, sum(l.duration)::int8, (sum(l.duration) / count(*))::float8,
		count(DISTINCT l.rank)::int4
	FROM perfhouse.launches(run, device_operations.t_from, device_operations.t_to, ranks) l WHERE l.kind = 'communication'
	GROUP BY l.operation, l.activity ORDER BY 5 DESC, 1, 2
	$$;
COMMENT ON FUNCTION device_operations(bigint, int8, int8, int4[]) IS
	'What communicating kernels of devices did, as the name of a kernel does not tell it (an all_to_all runs kernels of SendRecv): the '
	'operation that arguments of the source say (of PyTorch''s kernels and of its record_param_comms; payloads of NCCL''s ranges and '
	'arguments of RCCL''s calls), else the annotation around their launch (nccl:all_reduce, ncclAllReduce), else the kernel''s name; null: '
	'none says it. It is of one spelling: all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, reduce, gather, scatter, send, '
	'recv, send_recv (both at once), barrier, coalesced (several at once). How often, bytes (what a rank sends, else '
	'receives; null: the source does not say them), ns, and on how many ranks; the dearest first. Errors: as kernels.';

CREATE OR REPLACE FUNCTION gpu_clocks(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL, ranks int4[] DEFAULT NULL)
	RETURNS TABLE (rank int4, reference int4, collectives int8, early int8, ahead int8, drift float8, error int8, worst int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_gpu_clocks';
COMMENT ON FUNCTION gpu_clocks(bigint, int8, int8, int4[]) IS
	'How far apart the clocks of ranks are in a trace as it is stored, told by the ends of collective operations of their devices, '
	'which are at the same time on all members. A row a rank that shares collectives with reference, its own number where it is the '
	'one that the others are compared with: how many were compared; early: that it ended before another member had begun, which '
	'cannot be; ahead: ns by which its clock is ahead at the first of them, and drift, ns by which it moves away in a ms; error: median '
	'difference of ends that is left then, in ns, and worst: the greatest. Loading brings clocks together where members are early '
	'(trace.clock is then logical). Ranks of sampled traces, whose collectives do not belong together, have no row. Errors: as kernels.';

CREATE OR REPLACE FUNCTION gpu_critical_path(run bigint)
	RETURNS TABLE (part text, ns int8, share float8, segments int8)
	LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000000 ROWS 8
	SET search_path = pg_catalog, pg_temp
	AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT p.part, sum(p.ns)::int8, (sum(p.ns) / nullif(sum(sum(p.ns)) OVER (), 0))::float8, count(*)
	FROM (SELECT c.t_to - c.t_from AS ns,
			CASE WHEN s.location_id IS NULL THEN
					CASE c.kind WHEN 'compute' THEN 'host' WHEN 'wait' THEN 'host waiting' ELSE 'host communication' END
				WHEN c.region IS NULL THEN
					CASE WHEN c.peer_location IS NULL OR f.location_id IS NOT NULL THEN 'stream idle' ELSE 'launch latency' END
				WHEN r.role IN ('memcpy', 'memset') THEN 'copy'
				WHEN r.role = 'collective kernel' OR c.region ~ '(nccl|rccl|hccl|ccl_)' THEN 'communication'
				ELSE 'kernel' END AS part
		FROM perfhouse.critical_path(run, true) c
			LEFT JOIN perfhouse.trace_stream s ON s.run_id = run AND s.location_id = c.location
			LEFT JOIN perfhouse.trace_stream f ON f.run_id = run AND f.location_id = c.peer_location
			LEFT JOIN (SELECT name, min(role) AS role FROM perfhouse.trace_region
				WHERE run_id = run AND role IN ('kernel', 'collective kernel', 'memcpy', 'memset') GROUP BY name) r ON r.name = c.region) p
	GROUP BY p.part ORDER BY 2 DESC, 1;
END $$;
COMMENT ON FUNCTION gpu_critical_path(bigint) IS
	'What the critical path of a trace (critical_path) consists of, in ns and as shares of it, with the number of segments: '
	'host, host communication (MPI), host waiting (for partners that were not recorded), kernel, communication (on devices), '
	'copy (and memset), launch latency (from the return of the launching call to the start of the activity), stream idle '
	'(gaps on a stream for which nothing is known to be the reason). Errors: as critical_path.';

CREATE OR REPLACE FUNCTION perfhouse_internal.gpu_queue_spread(run bigint, bins int4, t_from int8, t_to int8, ranks int4[])
	RETURNS TABLE (bin int4, bin_start int8, bin_end int8, mean float8, min float8, max float8)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 400
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_gpu_queue_spread';
COMMENT ON FUNCTION perfhouse_internal.gpu_queue_spread(bigint, int4, int8, int8, int4[]) IS
	'For timelines: of the mean lengths of queues that gpu_queue has for each stream, mean, least and greatest over streams, a row '
	'a bin; none where there are no activities.';

-- What a timeline shows below its calls: a metric of the trace, or the length of queues, also where no metric is named.
CREATE OR REPLACE FUNCTION perfhouse_internal.timeline_strip(run bigint, metric text, bins int4, t_from int8, t_to int8,
		locations int4[], ranks int4[])
	RETURNS TABLE (metric text, unit text, accumulated boolean, bin int4, bin_start int8, bin_end int8, mean float8, min float8,
		max float8)
	LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 400
	SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT $2, m.unit, m.accumulated, m.bin, m.bin_start, m.bin_end, m.mean, m.min, m.max
	FROM perfhouse.metric_over_time($1, nullif($2, 'gpu queue'), $3, $4, $5, $6) m
	UNION ALL SELECT 'gpu queue', 'waiting', false, q.bin, q.bin_start, q.bin_end, q.mean, q.min, q.max
	FROM (SELECT 1 WHERE coalesce($2, 'gpu queue') = 'gpu queue') wanted, perfhouse_internal.gpu_queue_spread($1, $3, $4, $5, $7) q
	$$;
COMMENT ON FUNCTION perfhouse_internal.timeline_strip(bigint, text, int4, int8, int8, int4[], int4[]) IS
	'For timelines: metric_over_time of locations; for "gpu queue", and for null, the mean over the streams of ranks of the lengths of '
	'their queues (gpu_queue), of which traces without devices have none.';
