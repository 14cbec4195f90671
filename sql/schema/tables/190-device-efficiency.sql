-- 190-device-efficiency.sql - how well a traced run used its devices, kept with the run as the efficiencies of its processes are.
--
-- Runs with devices that are there have none yet: version 0 is stale, so doctor --repair finds them.
ALTER TABLE perfhouse.run ADD COLUMN device_efficiency float8, ADD COLUMN device_load_balance float8,
    ADD COLUMN device_communication float8, ADD COLUMN device_orchestration float8;
INSERT INTO perfhouse.derived AS d (run_id, kind, version)
SELECT t.run_id, 'efficiency', 0 FROM perfhouse.trace t
WHERE t.events_dropped_at IS NULL AND EXISTS (SELECT FROM perfhouse.trace_stream s WHERE s.run_id = t.run_id)
ON CONFLICT (run_id, kind) DO UPDATE SET version = 0;
