-- export-event-words.sql - what numbers in columns of events mean; $1: run. No row: it has no trace.
SELECT 'region' AS of_column, g.local_id AS number, g.name AS word FROM perfhouse.trace_region g WHERE g.run_id = $1::bigint
UNION ALL
SELECT 'kind', k.code, k.kind FROM perfhouse.event_kinds() k WHERE EXISTS (SELECT 1 FROM perfhouse.trace t WHERE t.run_id = $1::bigint)
ORDER BY 1, 2;
