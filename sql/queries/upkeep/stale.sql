-- Runs with results that another version of their method stored, and which.
SELECT run_id, string_agg(kind, ', ' ORDER BY kind) FROM perfhouse.run_derived WHERE is_stale GROUP BY run_id ORDER BY run_id
