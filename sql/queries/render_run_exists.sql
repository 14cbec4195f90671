-- render_run_exists.sql - is there such a run, for hints.
--
-- $1 run
SELECT r.run_id FROM perfhouse.run_overview r WHERE r.run_id = $1::bigint;
