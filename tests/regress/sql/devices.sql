-- devices.sql - a trace with devices, run 904: what its kernels, copies, devices and launches were.
\set ECHO none
\set QUIET on
BEGIN;
\i regress/data/devices.sql
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
SELECT location, rank, device, stream, activity, kind, t_start, duration, bytes, queue FROM launches(904);
SELECT location, call, call_location, t_call, call_duration, delay, delay_from_end FROM launches(904);
SELECT * FROM launch_statistics(904);

-- invariants: kernels by name, by stream and by call path are the same time; busy and idle are the wall clock
SELECT (SELECT sum(total) FROM kernels(904)) + (SELECT sum(total) FROM copies(904)) AS by_name,
	(SELECT sum(duration) FROM launches(904)) AS by_stream,
	(SELECT round(4e9 * sum(exclusive)) FROM nodes(trace_profile(904), 'gpu time')) AS by_path;
SELECT bool_and(wall = busy + idle AND communication = overlap + exposed) FROM gpu_activity(904);
SELECT bool_and(delay >= 0) FROM launches(904);

-- what lies in other tables does not see devices
SELECT count(*) FROM messages(904);
SELECT location, rank, thread, "time", kind, region FROM events(904) WHERE location = 5;

-- traces without devices, nulls, errors
SELECT (SELECT count(*) FROM kernels(901)) + (SELECT count(*) FROM copies(901)) + (SELECT count(*) FROM gpu_activity(901))
	+ (SELECT count(*) FROM gpu_idle(901)) + (SELECT count(*) FROM launches(901)) + (SELECT count(*) FROM launch_statistics(901)) AS rows;
SELECT count(*) FROM kernels(NULL);
SELECT call, public.fails(call) FROM unnest(ARRAY['SELECT * FROM kernels(999)', 'SELECT * FROM copies(999)',
	'SELECT * FROM gpu_activity(999)', 'SELECT * FROM gpu_idle(999)', 'SELECT * FROM launches(999)',
	'SELECT * FROM launch_statistics(999)', 'SELECT * FROM kernels(904, 9, 1)']) call;
UPDATE perfhouse.launch_chunk SET t_call_min = t_call_min + 1 WHERE run_id = 904 AND location_id = 5;
SELECT public.fails('SELECT * FROM launches(904)');
ROLLBACK;
