-- 022-projects.sql - projects: row-level security that ties runs, and all that is told of them, to their project.
--
-- Off until enable_projects(), because PostgreSQL then refuses COPY to loaders that are not the tables' owner, and
-- INSERT (which perfhouse load uses instead) costs more. Policies never read a table with more rights than the
-- caller's: what a policy asks of perfhouse.run goes through the policy of perfhouse.run. Their calls are
-- uncorrelated subqueries, so that each is made once a statement, and leave conditions on run_id to the indexes.
-- Tables by run ask which runs the caller sees: not at all when he is an administrator, else of the index run_seen,
-- which is there while projects are enabled: reading the long rows of perfhouse.run took most of such questions. Tables
-- by application ask for the list of those of his runs.

-- ------------------------------------------------------------------------------------------- membership
-- These two are asked by every statement, several times: plpgsql keeps their plans, SQL would make them anew.
CREATE OR REPLACE FUNCTION perfhouse_internal.sees_every_project() RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN EXISTS (SELECT FROM pg_roles r WHERE r.rolname = 'perfhouse_admin' AND pg_has_role(r.oid, 'MEMBER'));
END $$;
COMMENT ON FUNCTION perfhouse_internal.sees_every_project() IS 'Whether the caller is a member of perfhouse_admin.';

CREATE OR REPLACE FUNCTION perfhouse.my_projects() RETURNS text[]
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (SELECT coalesce(array_agg(DISTINCT m.project ORDER BY m.project), '{}')
            FROM perfhouse.project_member m JOIN pg_roles r ON r.rolname = m.member
            WHERE pg_has_role(r.oid, 'MEMBER'));
END $$;
COMMENT ON FUNCTION perfhouse.my_projects() IS
    'The projects that were granted to the caller, or to a role that he is a member of.';

-- From one application to the next, which an index has, so that it takes as long as there are applications, not runs. With sequential scans
-- the planner would read all runs for one of them, since it takes any for frequent.
CREATE OR REPLACE FUNCTION perfhouse_internal.my_applications() RETURNS text[]
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
    me text := CURRENT_USER; -- a name has another collation than the index
BEGIN
    RETURN ARRAY(
        WITH RECURSIVE of_projects AS (
            SELECT p.project, (SELECT min(r.application) FROM perfhouse.run r WHERE r.project = p.project) AS application
            FROM unnest(perfhouse.my_projects()) p (project)
            UNION ALL
            SELECT o.project, (SELECT min(r.application) FROM perfhouse.run r WHERE r.project = o.project AND r.application > o.application)
            FROM of_projects o WHERE o.application IS NOT NULL
        ), own AS (
            SELECT (SELECT min(r.application) FROM perfhouse.run r WHERE r.project IS NULL AND r.owner = me) AS application
            UNION ALL
            SELECT (SELECT min(r.application) FROM perfhouse.run r
                    WHERE r.project IS NULL AND r.owner = me AND r.application > o.application)
            FROM own o WHERE o.application IS NOT NULL)
        SELECT o.application FROM of_projects o WHERE o.application IS NOT NULL
        UNION SELECT o.application FROM own o WHERE o.application IS NOT NULL);
END $$;
COMMENT ON FUNCTION perfhouse_internal.my_applications() IS
    'The applications of runs that the caller sees as a member of their project or as the owner of a run without one.';

CREATE OR REPLACE FUNCTION perfhouse_internal.projects_enabled() RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT c.relrowsecurity FROM pg_class c WHERE c.oid = 'perfhouse.run'::regclass
$$;
COMMENT ON FUNCTION perfhouse_internal.projects_enabled() IS 'Whether enable_projects() has been called.';

CREATE OR REPLACE FUNCTION perfhouse_internal.project_of(meta jsonb) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(nullif(meta ->> 'project', ''), CASE WHEN row_security_active('perfhouse.run') THEN (
        SELECT CASE cardinality(p.mine) WHEN 1 THEN p.mine[1] END FROM (SELECT perfhouse.my_projects() AS mine OFFSET 0) p) END)
$$;
COMMENT ON FUNCTION perfhouse_internal.project_of(jsonb) IS
    'The project that a new run with this metadata belongs to: the one it names, else its loader''s where he has '
    'exactly one and projects are enabled; null: none.';

CREATE OR REPLACE FUNCTION perfhouse_internal.search_scope() RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN row_security_active('perfhouse.run') AND NOT perfhouse_internal.sees_every_project()
                THEN array_to_string(perfhouse.my_projects(), ',') || ' ' || current_user ELSE '' END
$$;
COMMENT ON FUNCTION perfhouse_internal.search_scope() IS
    'Names what the caller sees of the runs; empty: all of them. Two scopes'' searches for regressions are kept apart.';

-- --------------------------------------------------------------------------------------------- policies
-- The condition of a table's policy; null: its rows tell nothing of a run (the dictionary, commits).
CREATE OR REPLACE FUNCTION perfhouse_internal.project_condition(relation regclass) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    WITH c AS (
        SELECT t.relname, array_agg(a.attname::text) AS columns
        FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
        WHERE t.oid = relation GROUP BY 1)
    SELECT CASE
        WHEN relname = 'run' THEN '(SELECT perfhouse_internal.sees_every_project())'
            ' OR project = ANY ((SELECT perfhouse.my_projects())::text[])'
            ' OR project IS NULL AND owner = CURRENT_USER'
        WHEN relname = 'job' THEN '(SELECT perfhouse_internal.sees_every_project())'
            ' OR project = ANY ((SELECT perfhouse.my_projects())::text[]) OR owner = CURRENT_USER'
        WHEN relname = 'load_log' THEN '(SELECT perfhouse_internal.sees_every_project()) OR by_user = CURRENT_USER'
            ' OR EXISTS (SELECT FROM perfhouse.run r WHERE r.run_id = load_log.run_id)'
        WHEN relname = 'project_member' THEN '(SELECT perfhouse_internal.sees_every_project())'
            ' OR EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.rolname = member AND pg_catalog.pg_has_role(r.oid, ''MEMBER''))'
        WHEN relname IN ('run_month', 'region_month', 'noise') THEN '(SELECT perfhouse_internal.sees_every_project())' -- made of all
        WHEN relname = 'label_data' THEN '(SELECT perfhouse_internal.sees_every_project())'
            ' OR EXISTS (SELECT FROM perfhouse.run r WHERE r.labels_id = label_data.labels_id)'
        WHEN relname = 'regression_watch' THEN 'scope = (SELECT perfhouse_internal.search_scope())'
        WHEN 'run_id' = ANY (columns) THEN
            '(SELECT perfhouse_internal.sees_every_project()) OR '
            || format('EXISTS (SELECT FROM perfhouse.run r WHERE r.run_id = %I.run_id)', relname)
        WHEN 'application' = ANY (columns) THEN
            '(SELECT perfhouse_internal.sees_every_project()) OR application IS NULL'
            || CASE WHEN 'set_by' = ANY (columns) THEN ' OR set_by = CURRENT_USER' ELSE '' END
            || ' OR application = ANY ((SELECT perfhouse_internal.my_applications())::text[])'
            || ' OR application = '''' AND EXISTS (SELECT FROM perfhouse.run r WHERE r.application IS NULL)' -- as color_of has it
        END
    FROM c
$$;
COMMENT ON FUNCTION perfhouse_internal.project_condition(regclass) IS
    'What a row of a table of the warehouse must meet to be seen and written while projects are enabled: tables with a '
    'run_id follow their run, those with an application are for who sees a run of it. Null: all rows may be seen.';

CREATE OR REPLACE PROCEDURE perfhouse_internal.apply_projects() LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    t record;
BEGIN
    FOR t IN SELECT c.oid::regclass AS relation, perfhouse_internal.project_condition(c.oid) AS condition,
                    EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'project') AS has_policy
             FROM pg_class c WHERE c.relnamespace = 'perfhouse'::regnamespace AND c.relkind IN ('r', 'p') ORDER BY c.relname
    LOOP
        IF t.has_policy THEN
            EXECUTE format('DROP POLICY project ON %s', t.relation);
        END IF;
        IF t.condition IS NOT NULL THEN
            EXECUTE format('CREATE POLICY project ON %s USING (%s)', t.relation, t.condition)
                || CASE t.relation WHEN 'perfhouse.label_data'::regclass THEN ' WITH CHECK (true)' ELSE '' END; -- before its run
            EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', t.relation);
        END IF;
    END LOOP;
    CREATE INDEX IF NOT EXISTS run_seen ON perfhouse.run (run_id) INCLUDE (project, owner);
    CREATE INDEX IF NOT EXISTS run_of_project ON perfhouse.run (project, application) INCLUDE (owner);
    CREATE INDEX IF NOT EXISTS run_of_owner ON perfhouse.run (owner, application) WHERE project IS NULL;
END $$;
COMMENT ON PROCEDURE perfhouse_internal.apply_projects() IS
    'Gives every table of the warehouse the policy that it has while projects are enabled. For the tables'' owner.';
REVOKE ALL ON PROCEDURE perfhouse_internal.apply_projects() FROM PUBLIC;

CREATE OR REPLACE PROCEDURE perfhouse.enable_projects() LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM pg_extension e WHERE e.extname = 'citus') THEN
        RAISE EXCEPTION 'projects cannot be enabled in a database with the extension citus' USING ERRCODE = '0A000',
            HINT = 'Its policies may not look at other tables. Give each team a database of its own.';
    END IF;
    CALL perfhouse_internal.apply_projects();
END $$;
COMMENT ON PROCEDURE perfhouse.enable_projects() IS
    'From here on a run, and all that is kept of it, is seen and changed by the members of its project only (see '
    'grant_project), by its owner where it has none, by members of perfhouse_admin, and by the tables'' owner, who '
    'alone may call this. Functions, files, call paths and trees of them, commits and metrics stay common to all.';
REVOKE ALL ON PROCEDURE perfhouse.enable_projects() FROM PUBLIC;

CREATE OR REPLACE PROCEDURE perfhouse.disable_projects() LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    relation regclass;
BEGIN
    FOR relation IN SELECT p.polrelid::regclass FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid
                    WHERE c.relnamespace = 'perfhouse'::regnamespace AND p.polname = 'project' ORDER BY c.relname
    LOOP
        EXECUTE format('DROP POLICY project ON %s', relation);
        EXECUTE format('ALTER TABLE %s DISABLE ROW LEVEL SECURITY', relation);
    END LOOP;
    DROP INDEX IF EXISTS perfhouse.run_seen, perfhouse.run_of_project, perfhouse.run_of_owner;
END $$;
COMMENT ON PROCEDURE perfhouse.disable_projects() IS
    'Everybody who may read the warehouse sees every run again. Projects and their members are kept.';
REVOKE ALL ON PROCEDURE perfhouse.disable_projects() FROM PUBLIC;

CREATE OR REPLACE FUNCTION perfhouse.grant_project(project text, member text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles r WHERE r.rolname = $2) THEN
        RAISE EXCEPTION 'there is no role "%"', $2 USING ERRCODE = 'PH002', HINT = 'CREATE ROLE makes one.';
    END IF;
    IF coalesce($1, '') = '' THEN
        RAISE EXCEPTION 'a project needs a name' USING ERRCODE = '22023';
    END IF;
    INSERT INTO perfhouse.project_member (project, member) VALUES ($1, $2) ON CONFLICT DO NOTHING;
END $$;
COMMENT ON FUNCTION perfhouse.grant_project(text, text) IS
    'Members of a role see a project''s runs from here on, and who of them is a loader may load into it. Errors: PH002 '
    'when there is no such role.';
REVOKE ALL ON FUNCTION perfhouse.grant_project(text, text) FROM PUBLIC;

CREATE OR REPLACE FUNCTION perfhouse.revoke_project(project text, member text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM perfhouse.project_member m WHERE m.project = $1 AND m.member = $2;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'project "%" was not granted to "%"', $1, $2 USING ERRCODE = 'PH002';
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse.revoke_project(text, text) IS
    'Takes back what grant_project() gave. Errors: PH002 when it had not been given.';
REVOKE ALL ON FUNCTION perfhouse.revoke_project(text, text) FROM PUBLIC;

CREATE OR REPLACE VIEW perfhouse.project_overview WITH (security_invoker = true) AS
SELECT coalesce(r.project, m.project) AS project, coalesce(r.runs, 0) AS runs, coalesce(m.members, '{}') AS members
FROM (SELECT q.project, count(*) AS runs FROM perfhouse.run q WHERE q.state = 'ready' AND q.project IS NOT NULL GROUP BY 1) r
FULL JOIN (SELECT p.project, array_agg(p.member ORDER BY p.member) AS members FROM perfhouse.project_member p GROUP BY 1) m USING (project);
COMMENT ON VIEW perfhouse.project_overview IS 'Projects that the caller sees, with their runs and the roles they were granted to.';
COMMENT ON COLUMN perfhouse.project_overview.project IS 'name of the project: perfhouse load --set project=NAME';
COMMENT ON COLUMN perfhouse.project_overview.runs IS 'runs that are completely loaded';
COMMENT ON COLUMN perfhouse.project_overview.members IS 'roles that it was granted to';
