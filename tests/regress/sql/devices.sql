-- devices.sql - a trace with devices, run 904: what its kernels, copies, devices and launches were.
\set ECHO none
\set QUIET on
BEGIN;
\i regress/data/devices.sql
\i regress/data/stream-waits.sql
\i regress/data/traces.sql
\set ECHO all

SELECT name, calls, total, mean, min, max, round(deviation::numeric, 3) AS deviation, round(share::numeric, 4) AS share, n_ranks,
	rank_min, rank_max, communicates FROM kernels(904);
SELECT name, calls, total FROM kernels(904, 1500, 2000);
SELECT name, calls, total FROM kernels(904, ranks => '{1}');
SELECT * FROM copies(904);
SELECT * FROM gpu_activity(904);
SELECT device, wall, busy FROM gpu_activity(904, ranks => '{3}');
SELECT * FROM gpu_idle(904);
SELECT stream, host_wait, launch_gap, other FROM gpu_idle(904, threshold => 100);
-- waits of streams as events record them; what held nothing up is there, too
SELECT * FROM stream_waits(908);
SELECT count(*) FROM stream_waits(908, 0, 300000);
SELECT count(*) FROM stream_waits(908, ranks => '{1}');
SELECT count(*) FROM stream_waits(904);
SELECT stream, busy, idle, host_wait, launch_gap, stream_wait, other, n_gaps FROM gpu_idle(908);
SELECT location, rank, device, stream, activity, kind, t_start, duration, bytes, queue FROM launches(904);
SELECT location, call, call_location, t_call, call_duration, delay, delay_from_end FROM launches(904);
SELECT * FROM launch_statistics(904);

SELECT device, bin, bin_start, bin_end, compute, overlap, exposed, copies, host_wait, launch_gap, other FROM gpu_over_time(904, 3);
SELECT device, compute, host_wait, launch_gap, other FROM gpu_over_time(904, 1, threshold => 100);
SELECT * FROM device_efficiency(904);
SELECT devices, elapsed, parallel, offload FROM device_efficiency(904, 1000, 3000, '{1}');
SELECT count(*) FROM device_efficiency(901);
-- those of devices are kept beside
SELECT assign_efficiency(904) IS NOT NULL AS assigned;
SELECT (o.device_efficiency, o.device_load_balance, o.device_communication, o.device_orchestration) IS NOT DISTINCT FROM
	(d.parallel, d.load_balance, d.communication, d.orchestration) AS same, round(o.device_efficiency::numeric, 3) AS devices
FROM run_overview o, device_efficiency(904) d WHERE o.run_id = 904;
SELECT sentence FROM explain_run(904) WHERE step = 'efficiency' AND sentence LIKE 'Devices%';
SELECT run_id FROM run_overview WHERE run_id IN (SELECT runs_matching('device_efficiency > 0'));
SELECT device, stream, bin, mean, longest, empty, "full" FROM gpu_queue(904, 2, 0, 8000, full_at => 2);
-- over streams, as timelines show it: the same means
SELECT count(*), count(*) FILTER (WHERE abs(s.mean - q.mean) < 1e-12 AND s.min = q.min AND s.max = q.max) AS equal
FROM perfhouse_internal.gpu_queue_spread(904, 7, NULL, NULL, NULL) s
JOIN (SELECT bin, avg(mean) AS mean, min(mean) AS min, max(mean) AS max FROM gpu_queue(904, 7) GROUP BY bin) q USING (bin);
SELECT * FROM copies_over_time(904, 2, 1000, 3000);
SELECT * FROM kernel_sequences(904, 2);
SELECT * FROM kernel_sequences(904, 2, 'cudaGraphLaunch');
SELECT count(*) FROM kernel_sequences(904, 2, 'nothing');
SELECT step, location, t_from, t_to, region, wait, peer_location FROM critical_path(904, true);
SELECT * FROM gpu_critical_path(904);
SELECT kind, victim, awaited, victim_rank, awaited_rank, region, awaited_region, origin, origin_region, round(origin_share::numeric, 3) AS
	origin_share, t_from, t_to, ns, inferred, part FROM wait_states(904);
SELECT path, seq, origin_path FROM wait_states(904);
SELECT * FROM delay_costs(904);
SELECT * FROM blame(904);
SELECT path, region, kind, ns, imbalance FROM critical_path_summary(904);
SELECT path, metric, exclusive FROM (VALUES ('wait'), ('wait caused'), ('on critical path')) m (metric),
	nodes(perfhouse_internal.blame_profile(904), m.metric) WHERE exclusive > 0 ORDER BY 2, 1;

-- rows of timelines: streams below their rank; two locations a row: threads and streams in rows of their own
SELECT "row", locations, rank, thread, name FROM timeline_rows(904);
SELECT "row", locations, rank, last_rank, thread FROM timeline_rows(904, NULL, 4);
SELECT "row", locations, rank, last_rank FROM timeline_rows(904, NULL, 1);
SELECT DISTINCT "row", region FROM timeline(904, 100) ORDER BY 1, 2;
SELECT DISTINCT "row", region FROM timeline(904, 100, NULL, NULL, NULL, 4) ORDER BY 1, 2;
SELECT * FROM timeline_launches(904, 100);
SELECT from_row, to_row, launches FROM timeline_launches(904, 1, max_rows => 4);
SELECT * FROM timeline_launches(904, 100, 2500, 5000, ARRAY[1, 5]);
SELECT count(*) FROM timeline_launches(901) UNION ALL SELECT count(*) FROM timeline_launches(NULL);
SELECT threads FROM efficiency(904);

-- invariants: kernels by name, by stream and by call path are the same time; busy and idle are the wall clock
SELECT (SELECT sum(total) FROM kernels(904)) + (SELECT sum(total) FROM copies(904)) AS by_name,
	(SELECT sum(duration) FROM launches(904)) AS by_stream,
	(SELECT round(4e9 * sum(exclusive)) FROM nodes(trace_profile(904), 'gpu time')) AS by_path;
SELECT bool_and(wall = busy + idle AND communication = overlap + exposed) FROM gpu_activity(904);
SELECT a.device, a.wall = sum(t.compute + t.overlap + t.exposed + t.copies + t.host_wait + t.launch_gap + t.other) AS wall,
	a.compute = sum(t.compute + t.overlap) AS compute, a.exposed = sum(t.exposed) AS exposed FROM gpu_activity(904) a
	JOIN gpu_over_time(904, 7) t USING (device) GROUP BY a.device, a.wall, a.compute, a.exposed ORDER BY a.device;
SELECT (SELECT sum(t_to - t_from) FROM critical_path(904)) = duration AS tiles FROM perfhouse.trace WHERE run_id = 904;
SELECT c.name, c.bytes = sum(t.bytes) AS bytes, c.total = sum(t.ns) AS ns FROM copies(904) c
	JOIN copies_over_time(904, 5) t USING (name) GROUP BY c.name, c.bytes, c.total ORDER BY c.name;
SELECT bool_and(delay >= 0) FROM launches(904);

-- what lies in other tables does not see devices
SELECT count(*) FROM messages(904);
SELECT location, rank, thread, "time", kind, region FROM events(904) WHERE location = 5;

-- traces without devices, nulls, errors
SELECT (SELECT count(*) FROM kernels(901)) + (SELECT count(*) FROM copies(901)) + (SELECT count(*) FROM gpu_activity(901))
	+ (SELECT count(*) FROM gpu_over_time(901)) + (SELECT count(*) FROM gpu_queue(901)) + (SELECT count(*) FROM copies_over_time(901))
	+ (SELECT count(*) FROM kernel_sequences(901)) + (SELECT count(*) FROM device_collectives(901)) + (SELECT count(*) FROM gpu_clocks(901))
	+ (SELECT count(*) FROM gpu_idle(901)) + (SELECT count(*) FROM launches(901)) + (SELECT count(*) FROM launch_statistics(901)) AS rows;
SELECT (SELECT count(*) FROM kernels(NULL)) + (SELECT count(*) FROM gpu_over_time(NULL)) + (SELECT count(*) FROM gpu_queue(NULL))
	+ (SELECT count(*) FROM copies_over_time(NULL)) + (SELECT count(*) FROM kernel_sequences(NULL))
	+ (SELECT count(*) FROM device_collectives(NULL)) + (SELECT count(*) FROM device_operations(NULL))
	+ (SELECT count(*) FROM gpu_clocks(NULL)) AS rows;
SELECT call, public.fails(call) FROM unnest(ARRAY['SELECT * FROM kernels(999)', 'SELECT * FROM copies(999)',
	'SELECT * FROM gpu_activity(999)', 'SELECT * FROM gpu_idle(999)', 'SELECT * FROM launches(999)', 'SELECT * FROM stream_waits(999)',
	'SELECT * FROM launch_statistics(999)', 'SELECT * FROM gpu_over_time(999)', 'SELECT * FROM gpu_over_time(904, 0)',
	'SELECT * FROM gpu_queue(999)', 'SELECT * FROM copies_over_time(999)', 'SELECT * FROM kernel_sequences(999)',
	'SELECT * FROM kernel_sequences(904, 1)', 'SELECT * FROM kernel_sequences(904, 65)', 'SELECT * FROM device_collectives(999)',
	'SELECT * FROM device_operations(999)', 'SELECT * FROM gpu_clocks(999)',
	'SELECT * FROM gpu_critical_path(999)', 'SELECT * FROM kernels(904, 9, 1)']) call;
-- explanations of traces with millions of activities look at a part
SELECT * FROM perfhouse_internal.device_window(904);
SAVEPOINT many;
UPDATE perfhouse.trace_chunk SET n_enter = 4000000 WHERE run_id = 904 AND location_id = 4;
SELECT * FROM perfhouse_internal.device_window(904);
ROLLBACK TO many;
-- a collective operation of both ranks' devices: one of rank 1's two kernels overlaps rank 3's
SELECT count(*) FROM device_collectives(904);
UPDATE perfhouse.trace_region SET name = 'ncclDevKernel_AllReduce' WHERE run_id = 904 AND local_id = 7;
UPDATE perfhouse.trace_chunk SET t_prev = t_prev + 3200, t_first = t_first + 3200, t_last = t_last + 3200
	WHERE run_id = 904 AND location_id = 4;
DELETE FROM perfhouse.launch_chunk WHERE run_id = 904 AND location_id = 4;
SELECT * FROM device_collectives(904);
SELECT * FROM gpu_clocks(904);
SELECT count(*) FROM device_collectives(904, ranks => '{1}');
SELECT location, t_from, t_to, region, wait, peer_location FROM critical_path(904, true) WHERE t_from > 4000;

UPDATE perfhouse.launch_chunk SET t_call_min = t_call_min + 1 WHERE run_id = 904 AND location_id = 5;
SELECT public.fails('SELECT * FROM launches(904)');
ROLLBACK;
