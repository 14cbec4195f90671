-- 101-projects.sql - whose a run is: its project and its owner, and who belongs to a project.
--
-- They are looked at when perfhouse.enable_projects() has switched row-level security on (022-projects.sql).

ALTER TABLE perfhouse.run ADD COLUMN project text, ADD COLUMN owner text;
ALTER TABLE perfhouse.run ALTER COLUMN owner SET DEFAULT current_user; -- of runs loaded from here on
COMMENT ON COLUMN perfhouse.run.project IS 'whose members see the run when projects are enabled; null: its owner alone';
COMMENT ON COLUMN perfhouse.run.owner IS 'role that loaded the run; null: loaded before this was kept';
UPDATE perfhouse.run SET project = meta ->> 'project' WHERE meta ->> 'project' <> '';

-- The same content may be in two projects, whose members do not see each other's runs.
ALTER TABLE perfhouse.run DROP CONSTRAINT run_fingerprint_repeat_key;
ALTER TABLE perfhouse.run ADD CONSTRAINT run_fingerprint_repeat_project_key
    UNIQUE NULLS NOT DISTINCT (fingerprint, repeat, project);

CREATE TABLE perfhouse.project_member (
    project text NOT NULL CHECK (project <> ''),
    member  text NOT NULL,               -- a role: all its members
    granted_by text NOT NULL DEFAULT current_user,
    granted_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (project, member)
);
COMMENT ON TABLE perfhouse.project_member IS 'Roles whose members see and load a project''s runs: what grant_project() was told.';

-- What was searched depends on the runs that the searcher sees.
ALTER TABLE perfhouse.regression_watch ADD COLUMN scope text NOT NULL DEFAULT '';
ALTER TABLE perfhouse.regression_watch DROP CONSTRAINT regression_watch_pkey, ADD PRIMARY KEY (application, scope);
COMMENT ON COLUMN perfhouse.regression_watch.scope IS 'projects whose runs were searched; empty: every run';
