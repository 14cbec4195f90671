-- 002-rows-by-run.sql - rows by run no longer refer to their run by foreign keys.
--
-- A foreign key is checked once a row, with a query and a lock on the run's row each time. With 1000
-- runs of 60 call paths, metrics and ranks the checks took half of the server's time (2.3 s of CPU
-- with them, 1.15 s without), and they could never fail: the loader writes a run's row and its other
-- rows in one transaction. The other half of their use, that a deleted run takes its rows along, is
-- done by perfhouse.clear_run (015-rows-by-run.sql), which perfhouse.drop_run calls. A plain DELETE
-- FROM perfhouse.run leaves rows behind that nobody sees; `perfhouse doctor` finds and removes them.
--
-- Whoever writes rows of a run that is committed already must hold a lock on its row in the same
-- transaction (SELECT ... FOR KEY SHARE at least), as a foreign key's check would: then drop_run waits.
ALTER TABLE perfhouse.location        DROP CONSTRAINT IF EXISTS location_run_id_fkey;
ALTER TABLE perfhouse.run_region      DROP CONSTRAINT IF EXISTS run_region_run_id_fkey;
ALTER TABLE perfhouse.profile_tree    DROP CONSTRAINT IF EXISTS profile_tree_run_id_fkey;
ALTER TABLE perfhouse.profile_values  DROP CONSTRAINT IF EXISTS profile_values_run_id_fkey;
ALTER TABLE perfhouse.profile_summary DROP CONSTRAINT IF EXISTS profile_summary_run_id_fkey;
ALTER TABLE perfhouse.region_summary  DROP CONSTRAINT IF EXISTS region_summary_run_id_fkey;

-- Trees: the default method of compression took 2 % of the time of loading small runs.
ALTER TABLE perfhouse.profile_tree ALTER tree SET COMPRESSION lz4;
