-- export-trace-launches.sql - calls of a window that started something on a device, and what; $1: run, $2 and $3: from and to in ns or
-- null.
SELECT call_location, location, t_call, t_start
FROM perfhouse.launches($1::bigint, $2::bigint, $3::bigint)
WHERE call IS NOT NULL AND ($2::bigint IS NULL OR t_call + call_duration >= $2::bigint);
