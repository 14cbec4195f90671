-- The last loads, newest first.
SELECT pg_catalog.to_char(at, 'YYYY-MM-DD HH24:MI:SS') AS at, outcome, run_id, source, message
FROM perfhouse.load_log
ORDER BY load_id DESC
LIMIT 5
