-- 129-blame.sql - waits and what caused them are metrics of traces' profiles.
--
-- Traces that are there have none yet: version 0 is stale, so doctor --repair finds them.
INSERT INTO perfhouse.derived (run_id, kind, version)
SELECT t.run_id, 'blame', 0 FROM perfhouse.trace t JOIN perfhouse.run r USING (run_id)
WHERE r.state = 'ready' AND r.rolled_up_at IS NULL AND t.events_dropped_at IS NULL AND t.n_messages + t.n_collectives > 0;
