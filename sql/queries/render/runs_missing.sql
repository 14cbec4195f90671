-- render_runs_missing.sql - which of these runs are not there, or not loaded yet.
--
-- :runs, int8[]
SELECT w.run_id FROM unnest(:runs::bigint[]) AS w(run_id)
WHERE NOT EXISTS (SELECT FROM perfhouse.run_overview r WHERE r.run_id = w.run_id) ORDER BY w.run_id;
