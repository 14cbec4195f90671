-- render_runs.sql - the runs that can be drawn, for hints.
SELECT r.run_id FROM perfhouse.run_overview r ORDER BY r.run_id;
