-- 155-thread-efficiency.sql - what the efficiency of threads is made of, kept with the run as the others are.
--
-- Runs that have one have no factors of it yet: version 0 is stale, so doctor --repair finds them.
ALTER TABLE perfhouse.run ADD COLUMN thread_load_balance float8, ADD COLUMN thread_serialisation float8;

UPDATE perfhouse.derived d SET version = 0
WHERE d.kind = 'efficiency' AND EXISTS (SELECT FROM perfhouse.run r WHERE r.run_id = d.run_id AND r.thread_efficiency IS NOT NULL);
