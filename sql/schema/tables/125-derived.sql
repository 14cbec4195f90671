-- 125-derived.sql - what was computed from a run's data and stored, so that a later method finds what it has to do anew; and
-- which runs are stored as releases before 0.2.0 did. Distributed by run_id on Citus.

CREATE TABLE perfhouse.derived (
    run_id  int8 NOT NULL,
    kind    text NOT NULL,               -- of derived_kinds()
    version int4 NOT NULL,               -- of the method that made it
    made_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (run_id, kind)
);
INSERT INTO perfhouse.derived (run_id, kind, version, made_at)
SELECT run_id, 'logical steps', version, assigned_at FROM perfhouse.logical;

CREATE INDEX run_to_convert ON perfhouse.run (run_id) WHERE storage IS DISTINCT FROM 2;
COMMENT ON COLUMN perfhouse.run.storage IS
    'how the rows of its profile and trace are stored: 2, or null or 1 as releases before 0.2.0 did (convert_run)';
