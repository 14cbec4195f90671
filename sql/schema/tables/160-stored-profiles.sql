-- 160-stored-profiles.sql - runs that nobody measured: profiles that were computed of others and kept (store_profile).

ALTER TABLE perfhouse.run ADD COLUMN derived_from int8[]; -- without a default: functions use the row type of run
COMMENT ON COLUMN perfhouse.run.derived_from IS
    'runs that its profile was computed of when store_profile() kept it, which may be gone; null: the run was measured';

CREATE TABLE perfhouse.run_provenance (  -- provenance(profile) as it was when the profile was kept
    run_id int8 NOT NULL,
    place  int4 NOT NULL,                -- from 1
    item   text NOT NULL,
    value  text,
    PRIMARY KEY (run_id, place)
);
COMMENT ON TABLE perfhouse.run_provenance IS
    'What the numbers of a profile rest on that store_profile() kept as a run, a row as provenance() told it then.';
