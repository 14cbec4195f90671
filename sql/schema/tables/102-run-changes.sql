-- 102-run-changes.sql - what people changed of runs' metadata, by set_metadata().
--
-- A log: rows stay when the run goes. Its key does not begin with run_id, so that it is no table by run
-- (tests/regress/sql/distributed.sql lists it with those) and loading a run again with --if-exists replace
-- leaves it, to be applied to the run's new row.

CREATE TABLE perfhouse.run_change (
    change_id  int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id     int8 NOT NULL,
    key        text NOT NULL,
    old_value  jsonb,                    -- null: there was none
    new_value  jsonb,                    -- null: removed
    changed_by text NOT NULL DEFAULT current_user,
    changed_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX run_change_run ON perfhouse.run_change (run_id);
COMMENT ON TABLE perfhouse.run_change IS 'What people changed of runs'' metadata (perfhouse set), a row per key and change.';
