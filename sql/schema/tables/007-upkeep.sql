-- 007-upkeep.sql - runs rolled up: distributions instead of a value per rank; which runs that happens to.

ALTER TABLE perfhouse.run ADD COLUMN rolled_up_at timestamptz;
COMMENT ON COLUMN perfhouse.run.rolled_up_at IS 'when its values per unit were replaced by profile_sketch; null: they are there';

ALTER TABLE perfhouse.trace ADD COLUMN events_dropped_at timestamptz;
COMMENT ON COLUMN perfhouse.trace.events_dropped_at IS 'when its events were dropped, which left the profile, phases and definitions; null: they are there';

-- What stays of profile_values when a run is rolled up (extension/core/sketch.h), besides profile_summary.
-- Over the units that have the node, the iterations of a unit summed first, as profile_summary.
CREATE TABLE perfhouse.profile_sketch (
    run_id      int8 NOT NULL,
    callpath_id int8 NOT NULL,
    metric_id   int4 NOT NULL,
    inclusive   bytea NOT NULL,
    exclusive   bytea NOT NULL,
    PRIMARY KEY (run_id, metric_id, callpath_id)
);
ALTER TABLE perfhouse.profile_sketch ALTER inclusive SET COMPRESSION lz4, ALTER exclusive SET COMPRESSION lz4;

CREATE TABLE perfhouse.retention_policy (
    name       text PRIMARY KEY,
    action     text NOT NULL CHECK (action IN ('roll up', 'drop trace')),
    older_than interval NOT NULL CHECK (older_than >= interval '0'), -- since the run was loaded
    filter     text,                     -- a run filter; null: every run
    keep_tags  text[] NOT NULL DEFAULT '{keep,baseline}', -- runs with one of these stay as they are
    enabled    boolean NOT NULL DEFAULT true,
    set_by     text NOT NULL DEFAULT current_user,
    set_at     timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE perfhouse.retention_policy IS
    'What apply_retention() does to runs that were loaded longer ago than older_than. Runs with a tag of keep_tags and runs of commits that are baselines are left alone.';
