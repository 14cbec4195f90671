-- 175-traced-efficiency.sql - efficiencies of traces that did not wait in MPI_Finalize, nor for windows.
--
-- Older ones counted the time in MPI_Finalize as work and knew no waits of one-sided communication: version 0 is stale, so doctor
-- --repair finds them. Without their events they are what can be known.
UPDATE perfhouse.derived d SET version = 0
WHERE d.kind = 'efficiency' AND EXISTS (SELECT FROM perfhouse.trace t WHERE t.run_id = d.run_id AND t.events_dropped_at IS NULL);
