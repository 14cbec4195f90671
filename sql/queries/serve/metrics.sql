-- serve_metrics.sql - figures of the warehouse as lines of OpenMetrics: what is cheap in any warehouse, of the last 1,000 loads.
WITH recent AS (
    SELECT outcome, seconds, at FROM perfhouse.load_log ORDER BY load_id DESC LIMIT 1000
), metric (position, name, type, help, labels, value) AS (
    SELECT 1, 'perfhouse_load_log', 'counter', 'Loads that were ever logged.', '', max(load_id)::float8 FROM perfhouse.load_log
    UNION ALL
    SELECT 2, 'perfhouse_recent_loads', 'gauge', 'The last 1,000 loads by outcome.', format('{outcome="%s"}', o), count(r.outcome)
    FROM unnest('{loaded,replaced,appended,skipped,failed}'::text[]) o LEFT JOIN recent r ON r.outcome = o GROUP BY o
    UNION ALL
    SELECT 3, 'perfhouse_recent_load_seconds', 'gauge', 'How long those of them took that stored a run.', format('{quantile="%s"}', q),
           (SELECT percentile_cont(q) WITHIN GROUP (ORDER BY seconds) FROM recent WHERE outcome NOT IN ('skipped', 'failed'))
    FROM unnest('{0.5,0.95,1}'::float8[]) q
    UNION ALL
    SELECT 4, 'perfhouse_last_load_timestamp_seconds', 'gauge', 'When the last of them stored a run.', '', extract(epoch FROM max(at))
    FROM recent WHERE outcome NOT IN ('skipped', 'failed')
    UNION ALL
    SELECT 5, 'perfhouse_newest_run', 'gauge', 'The largest number of a run.', '', max(run_id) FROM perfhouse.run
    UNION ALL
    SELECT 6, 'perfhouse_unfinished_runs', 'gauge', 'Of the newest 10,000: being loaded, or left by killed loaders.', '', count(*)
    FROM perfhouse.run WHERE state <> 'ready' AND run_id > (SELECT max(run_id) - 10000 FROM perfhouse.run)
    UNION ALL
    SELECT 7, 'perfhouse_regressions', 'gauge', 'Regressions by what was decided.', format('{state="%s"}', state), count(*)
    FROM perfhouse.regression GROUP BY state
    UNION ALL
    SELECT 8, 'perfhouse_database_size_bytes', 'gauge', 'Size of the database.', '', pg_database_size(current_database())
    UNION ALL
    SELECT 9, 'perfhouse_database_sessions', 'gauge', 'Sessions in the database.', '', numbackends
    FROM pg_stat_database WHERE datname = current_database()
), family AS (
    SELECT position, format(E'# HELP %s %s\n# TYPE %1$s %3$s\n', name, help, type)
           || string_agg(format(E'%s%s%s %s\n', name, CASE type WHEN 'counter' THEN '_total' END, labels, value), '' ORDER BY labels)
           AS lines
    FROM metric WHERE value IS NOT NULL GROUP BY position, name, type, help
)
SELECT convert_to(coalesce(string_agg(lines, '' ORDER BY position), ''), 'UTF8') FROM family
