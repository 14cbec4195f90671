-- 128-derived-summaries.sql - summaries are results that can be made again: their runs are registered.
--
-- Those that are there stay valid, whatever version of the method made them; of runs that are rolled up they cannot be made again.
INSERT INTO perfhouse.derived (run_id, kind, version, made_at)
SELECT run_id, 'summaries', 1, loaded_at FROM perfhouse.run WHERE state = 'ready' AND n_nodes > 0 AND rolled_up_at IS NULL;
