-- 140-efficiency.sql - how well a run used its processes, kept with the run: lists and histories of thousands of runs ask for it.
--
-- Runs that are there have none yet: version 0 is stale, so doctor --repair finds them.
ALTER TABLE perfhouse.run ADD COLUMN parallel_efficiency float8, ADD COLUMN load_balance float8,
    ADD COLUMN communication_efficiency float8, ADD COLUMN serialisation_efficiency float8,
    ADD COLUMN transfer_efficiency float8, ADD COLUMN thread_efficiency float8, ADD COLUMN efficiency_estimated bool;
COMMENT ON COLUMN perfhouse.run.parallel_efficiency IS 'efficiency(run): load balance x communication x threads; null: not known';
COMMENT ON COLUMN perfhouse.run.efficiency_estimated IS 'the efficiencies are from the profile, not from the events; null: there are none';

INSERT INTO perfhouse.derived (run_id, kind, version)
SELECT r.run_id, 'efficiency', 0 FROM perfhouse.run r WHERE r.state = 'ready' AND r.n_nodes > 0 AND r.rolled_up_at IS NULL;
