-- 020-roles.sql - three roles that grant least, and one for guests; PUBLIC has nothing. 099-rights.sql gives the grants.
--
-- Roles belong to the whole cluster and are not dumped with a database: they are made here, when they
-- are missing and the caller may make them. Without them the warehouse works for its owner.

DO $$
DECLARE
    role text;
BEGIN
    FOREACH role IN ARRAY ARRAY['perfhouse_reader', 'perfhouse_loader', 'perfhouse_admin'] LOOP
        IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = role) THEN
            EXECUTE pg_catalog.format('CREATE ROLE %I NOLOGIN', role);
        END IF;
    END LOOP;
EXCEPTION
    WHEN insufficient_privilege THEN
        RAISE WARNING 'the roles perfhouse_reader, perfhouse_loader and perfhouse_admin are missing and cannot be created by %',
        current_user
            USING HINT = 'Let an administrator create them (CREATE ROLE ... NOLOGIN), then run perfhouse doctor --repair.';
    WHEN duplicate_object OR unique_violation THEN
        NULL; -- another session was faster
END $$;

-- The fourth role is for those who may not read names (060-pseudonyms.sql): nothing lacks it.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'perfhouse_guest') THEN
        CREATE ROLE perfhouse_guest NOLOGIN;
    END IF;
EXCEPTION
    WHEN insufficient_privilege OR duplicate_object OR unique_violation THEN
        NULL; -- an administrator may make it
END $$;

CREATE OR REPLACE FUNCTION perfhouse_internal.is_alone() RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT NOT EXISTS (
        SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname !~ '^pg_(toast|temp)'
            AND n.nspname NOT IN ('perfhouse', 'perfhouse_internal', 'pg_catalog', 'information_schema')
            AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'))
$$;
COMMENT ON FUNCTION perfhouse_internal.is_alone() IS
    'Whether the warehouse has this database for itself: no relation of somebody else''s is in it.';

-- Roles belong to the whole server. Their members were chosen for the warehouse that made them, which need not be this one.
CREATE OR REPLACE FUNCTION perfhouse_internal.databases_of_roles() RETURNS text[]
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT array_agg(DISTINCT d.datname::text ORDER BY d.datname::text)
    FROM pg_database d CROSS JOIN LATERAL aclexplode(d.datacl) a JOIN pg_roles r ON r.oid = a.grantee
    WHERE d.datname <> current_database() AND a.privilege_type = 'CONNECT'
        AND r.rolname IN ('perfhouse_reader', 'perfhouse_loader', 'perfhouse_admin', 'perfhouse_guest')
$$;
COMMENT ON FUNCTION perfhouse_internal.databases_of_roles() IS
    'Other databases of this server that let members of the roles in; null: there are none.';

CREATE OR REPLACE PROCEDURE perfhouse_internal.let_members_in() LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    others text[] := perfhouse_internal.databases_of_roles();
BEGIN
    IF others IS NULL THEN
        EXECUTE format('GRANT CONNECT ON DATABASE %I TO %s', current_database(), (
            SELECT string_agg(r.rolname::text, ', ') FROM pg_roles r
            WHERE r.rolname IN ('perfhouse_reader', 'perfhouse_loader', 'perfhouse_admin', 'perfhouse_guest')));
    ELSIF NOT has_database_privilege('perfhouse_reader', current_database(), 'CONNECT')
        AND EXISTS (SELECT FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.roleid
                    WHERE r.rolname IN ('perfhouse_reader', 'perfhouse_loader', 'perfhouse_admin')) THEN
        RAISE WARNING 'members of perfhouse_reader, perfhouse_loader and perfhouse_admin are not let into this database: they are of "%"',
            array_to_string(others, '", "')
            USING HINT = format('GRANT CONNECT ON DATABASE %I TO ...: whom of them this warehouse is for, or all three roles.',
                                current_database());
    END IF;
END $$;
COMMENT ON PROCEDURE perfhouse_internal.let_members_in() IS
    'Lets members of the roles connect, unless another database of the server has chosen them: then somebody has to say who may.';
REVOKE ALL ON PROCEDURE perfhouse_internal.let_members_in() FROM PUBLIC;

-- Nodes are connected to as the role that asks, which has to be one that may log in.
CREATE OR REPLACE FUNCTION perfhouse_internal.reading_role() RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_extension e WHERE e.extname = 'citus') THEN
        RETURN coalesce((SELECT r.rolname FROM pg_roles r WHERE r.rolname = 'perfhouse_reader' AND pg_has_role(r.oid, 'MEMBER')), 'none');
    ELSIF (SELECT r.rolsuper FROM pg_roles r WHERE r.rolname = CURRENT_USER) THEN
        RAISE EXCEPTION 'pages of a warehouse on several nodes are not for a superuser: they are asked for as who serves them'
            USING ERRCODE = '42501', HINT = 'Make a login for that: CREATE ROLE pages LOGIN IN ROLE perfhouse_reader.';
    END IF;
    RETURN 'none';
END $$;
COMMENT ON FUNCTION perfhouse_internal.reading_role() IS
    'The role that sessions of perfhouse serve take, which only reads; none: they keep their login''s. Errors: 42501 for a superuser in a '
    'database with the extension citus, where they would keep that.';

-- Only its owner may ANALYZE a table (before PostgreSQL 17 nobody can be given that), and most loaders own nothing.
CREATE OR REPLACE FUNCTION perfhouse_internal.analyze_loaded(n_loaded bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET default_statistics_target = 10 AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_class WHERE oid = 'perfhouse.run'::regclass AND (reltuples < 0 OR n_loaded > 0.2 * reltuples)) THEN
        RETURN false;
    END IF;
    ANALYZE perfhouse.run, perfhouse.region, perfhouse.callpath, perfhouse.metric, perfhouse.location,
        perfhouse.call_tree (tree_id, n_nodes), perfhouse.label_set, perfhouse.label_data (labels_id),
        perfhouse.value_block (run_id, metric_id, stripe, block), perfhouse.summary_block (run_id, metric_id, block),
        perfhouse.region_summary;
    RETURN true;
END $$;
COMMENT ON FUNCTION perfhouse_internal.analyze_loaded(bigint) IS
    'Tells the planner of n_loaded new runs, when they are much against what it knows of; loads call it, with the rights of the tables'' '
    'owner. A small sample is enough to know how large tables are and how run_id is spread; packed values need no statistics.';
REVOKE ALL ON FUNCTION perfhouse_internal.analyze_loaded(bigint) FROM PUBLIC;

-- Grants are repeated by `perfhouse doctor --repair`, so they are a procedure of the warehouse.
CREATE OR REPLACE PROCEDURE perfhouse.apply_grants() LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    by_run regclass;
BEGIN
    REVOKE ALL ON SCHEMA perfhouse, perfhouse_internal FROM PUBLIC;
    REVOKE ALL ON ALL TABLES IN SCHEMA perfhouse FROM PUBLIC;
    REVOKE ALL ON ALL FUNCTIONS IN SCHEMA perfhouse_internal FROM PUBLIC;
    IF (SELECT pg_catalog.count(*) FROM pg_catalog.pg_roles
        WHERE rolname IN ('perfhouse_reader', 'perfhouse_loader', 'perfhouse_admin')) < 3 THEN
        RETURN;
    END IF;
    -- views and functions call the decoders and tallies with the rights of who asks
    GRANT USAGE ON SCHEMA perfhouse, perfhouse_internal TO perfhouse_reader, perfhouse_loader, perfhouse_admin;
    GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA perfhouse_internal TO perfhouse_reader, perfhouse_loader, perfhouse_admin;
    REVOKE EXECUTE ON FUNCTION perfhouse_internal.analyze_loaded(bigint) FROM perfhouse_reader; -- it works with the owner's rights
    GRANT SELECT ON ALL TABLES IN SCHEMA perfhouse TO perfhouse_reader, perfhouse_loader, perfhouse_admin;
    GRANT INSERT ON perfhouse.region, perfhouse.callpath, perfhouse.metric, perfhouse.commit, perfhouse.run,
        perfhouse.load_log, perfhouse.color_of, perfhouse.call_tree, perfhouse.label_set, perfhouse.label_data
        TO perfhouse_loader, perfhouse_admin;
    IF EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'citus') THEN -- which has no grants of columns
        GRANT UPDATE ON perfhouse.call_tree, perfhouse.label_set TO perfhouse_loader, perfhouse_admin;
    ELSE
        GRANT UPDATE (used_at) ON perfhouse.call_tree, perfhouse.label_set TO perfhouse_loader, perfhouse_admin;
    END IF;
    GRANT DELETE ON perfhouse.call_tree, perfhouse.label_set, perfhouse.label_data TO perfhouse_admin;
    GRANT UPDATE, DELETE ON perfhouse.run TO perfhouse_loader, perfhouse_admin;
    GRANT INSERT, UPDATE, DELETE ON perfhouse.commit_ref, perfhouse.baseline, perfhouse.regression, perfhouse.regression_watch,
        perfhouse.region_alias, perfhouse.application, perfhouse.derived_metric, perfhouse.exchange_pattern, perfhouse.saved_query,
        perfhouse.run_month, perfhouse.region_month, perfhouse.noise TO perfhouse_loader, perfhouse_admin;
    GRANT UPDATE ON perfhouse.commit TO perfhouse_loader;
    FOR by_run IN SELECT perfhouse.tables_by_run() LOOP
        EXECUTE pg_catalog.format('GRANT INSERT, DELETE ON %s TO perfhouse_loader, perfhouse_admin', by_run);
    END LOOP;
    GRANT UPDATE, DELETE ON perfhouse.region, perfhouse.callpath, perfhouse.metric, perfhouse.commit,
        perfhouse.load_log TO perfhouse_admin;
    GRANT USAGE ON ALL SEQUENCES IN SCHEMA perfhouse TO perfhouse_loader, perfhouse_admin;
    GRANT EXECUTE ON FUNCTION perfhouse.drop_run(bigint), perfhouse.clear_run(bigint),
        perfhouse.rows_without_run(boolean), perfhouse.update_regressions(text), perfhouse.set_regression(bigint, text, text),
        perfhouse.add_alias(text, text, text, text, text, text, text, boolean, text), perfhouse.remove_alias(bigint),
        perfhouse.set_application(text, text[], text[], text), perfhouse.reset_application(text),
        perfhouse.define_metric(text, text, text), perfhouse.drop_metric(text),
        perfhouse.define_pattern(text, text, text), perfhouse.drop_pattern(text, text),
        perfhouse.roll_up_run(bigint), perfhouse.drop_trace_events(bigint), perfhouse.apply_retention(boolean, text),
        perfhouse.refresh_months(text, float8), perfhouse.refresh_noise(text), perfhouse.convert_run(bigint),
        perfhouse.remake_derived(bigint), perfhouse.remake_summaries(bigint), perfhouse.assign_blame(bigint),
        perfhouse.assign_efficiency(bigint), perfhouse.store_profile(perfhouse.profile, text, text, jsonb)
        TO perfhouse_loader, perfhouse_admin;
    GRANT EXECUTE ON FUNCTION perfhouse.rows_without_run(boolean) TO perfhouse_reader; -- to see them; doctor does
    GRANT INSERT, UPDATE ON perfhouse.job TO perfhouse_loader, perfhouse_admin;
    GRANT DELETE ON perfhouse.job TO perfhouse_admin;
    GRANT EXECUTE ON FUNCTION perfhouse.load_jobs(text, text) TO perfhouse_loader, perfhouse_admin;
    GRANT UPDATE ON perfhouse.trace TO perfhouse_loader, perfhouse_admin;
    GRANT INSERT ON perfhouse.run_change TO perfhouse_loader, perfhouse_admin;
    GRANT EXECUTE ON FUNCTION perfhouse.set_metadata(bigint, text, jsonb) TO perfhouse_loader, perfhouse_admin;
    GRANT INSERT, UPDATE, DELETE ON perfhouse.retention_policy TO perfhouse_admin;
    GRANT INSERT, DELETE ON perfhouse.project_member TO perfhouse_admin;
    GRANT EXECUTE ON FUNCTION perfhouse.grant_project(text, text), perfhouse.revoke_project(text, text) TO perfhouse_admin;
    GRANT EXECUTE ON FUNCTION perfhouse.set_retention(text, text, interval, text, text[], boolean) TO perfhouse_admin;
    EXECUTE pg_catalog.format('GRANT TEMPORARY ON DATABASE %I TO perfhouse_loader, perfhouse_admin', pg_catalog.current_database());
    IF perfhouse_internal.is_alone() THEN -- else others live here, whose rights are not ours
        EXECUTE pg_catalog.format('REVOKE CONNECT, TEMPORARY ON DATABASE %I FROM PUBLIC', pg_catalog.current_database());
        IF (SELECT r.rolsuper FROM pg_catalog.pg_roles r WHERE r.rolname = CURRENT_USER) THEN -- readers fill no disk
            REVOKE EXECUTE ON FUNCTION pg_catalog.lo_create(oid), pg_catalog.lo_creat(int), pg_catalog.lo_from_bytea(oid, bytea)
            FROM PUBLIC;
        END IF;
    END IF;
    CALL perfhouse_internal.grant_guests();
    CALL perfhouse_internal.let_members_in();
END $$;
COMMENT ON PROCEDURE perfhouse.apply_grants() IS
    'Takes everything from PUBLIC and gives the three roles what they need: reading; loading and removing runs; upkeep of the dictionary.';
REVOKE ALL ON PROCEDURE perfhouse.apply_grants() FROM PUBLIC;
