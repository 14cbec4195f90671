-- 197-run-traces.sql - whether a run has a trace stands in its own row: lists, filters and coverage read nothing else for it.

ALTER TABLE perfhouse.run ADD COLUMN n_events bigint, ADD COLUMN events_dropped_at timestamptz;
COMMENT ON COLUMN perfhouse.run.n_events IS 'Events of its trace, as in perfhouse.trace; null: it has none.';
COMMENT ON COLUMN perfhouse.run.events_dropped_at IS 'When the events of its trace were removed; null: never.';

-- Run by run: several nodes take no other update of a row by rows of tables by run.
DO $$
DECLARE
    t record;
BEGIN
    FOR t IN SELECT s.run_id, s.n_events, s.events_dropped_at FROM perfhouse.trace s LOOP
        UPDATE perfhouse.run SET n_events = t.n_events, events_dropped_at = t.events_dropped_at WHERE run_id = t.run_id;
    END LOOP;
END $$;
