-- 005-history.sql - commits in order, branches and tags, baselines, regressions.

ALTER TABLE perfhouse.commit ADD COLUMN "position" int4; -- parents before children, else by date; from 0 per repository
COMMENT ON COLUMN perfhouse.commit."position" IS 'place in an order in which parents come before children, from 0';
COMMENT ON COLUMN perfhouse.commit.first_parent_position IS 'place on the main line (first parents of the head), from 0; null: on a side branch';
-- run.commit_id may be the beginning of a hash
CREATE INDEX commit_prefix ON perfhouse.commit (commit_id text_pattern_ops);
CREATE INDEX region_by_name ON perfhouse.region USING hash (name);

CREATE TABLE perfhouse.commit_ref (
    repository text NOT NULL,
    name       text NOT NULL,            -- short: main, v1.0
    kind       text NOT NULL CHECK (kind IN ('head', 'branch', 'remote', 'tag')),
    commit_id  text NOT NULL,
    PRIMARY KEY (repository, kind, name)
);
COMMENT ON TABLE perfhouse.commit_ref IS 'Branches and tags as perfhouse commits last saw them; the head is the main line''s newest commit.';

CREATE TABLE perfhouse.baseline (
    application text NOT NULL,
    name        text NOT NULL,
    commit_id   text NOT NULL,
    reason      text,
    set_by      text NOT NULL DEFAULT current_user,
    set_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (application, name)
);
COMMENT ON TABLE perfhouse.baseline IS 'Commits that people compare with, by name.';

CREATE TABLE perfhouse.regression (
    regression_id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    application text NOT NULL,
    n_ranks     int4,
    n_threads   int4,
    cluster     text,
    metric_id   int4 NOT NULL,
    callpath_id int8 NOT NULL,           -- top of the smallest subtree that explains the change
    path        text NOT NULL,
    commit_id   text,                    -- first measured one of the new level
    previous_commit_id text,             -- last measured one of the old level
    run_id      int8 NOT NULL,           -- first run of the new level
    mean_before float8 NOT NULL,         -- inclusive, mean over units and runs
    mean_after  float8 NOT NULL,
    own_change  float8 NOT NULL,         -- part of the change that is the path's own cost
    total_change float8 NOT NULL,        -- change of the whole program at the same place
    p_value     float8 NOT NULL,
    q_value     float8 NOT NULL,
    n_before    int4 NOT NULL,
    n_after     int4 NOT NULL,
    lost_node_hours float8,              -- in the runs of the new level so far
    state       text NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'active', 'ignored', 'fixed')),
    reason      text,
    changed_by  text NOT NULL DEFAULT current_user,
    found_at    timestamptz NOT NULL DEFAULT now(),
    changed_at  timestamptz NOT NULL DEFAULT now(),
    UNIQUE NULLS NOT DISTINCT (application, n_ranks, n_threads, cluster, metric_id, callpath_id, run_id)
);
CREATE INDEX regression_state ON perfhouse.regression (state, application);
COMMENT ON TABLE perfhouse.regression IS 'Changes for the worse that update_regressions() found, and what people decided about them.';

-- What update_regressions() has looked at: conditions whose runs are the same are not searched again.
CREATE TABLE perfhouse.regression_watch (
    application text NOT NULL,
    runs        int8 NOT NULL,           -- how many were there
    fingerprint text NOT NULL,           -- of their numbers, commits and exclusions
    searched_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (application)
);
