-- 060-pseudonyms.sql - what guests read: runs and their costs with pseudonyms for users, hosts and private paths.
--
-- Members of perfhouse_guest read these views and nothing else: no table, and no function that asks one. The views therefore ask
-- with their owner's rights, unlike all others; row-level security does not hold for him, so that they look for the caller's
-- projects themselves (guest_seen). What is hidden is what copy and load --redact all hide (054-copies.sql). Numbers of regions and
-- call paths are hashes of names, by which a guess could be proved: guests get other ones.

--
-- Nodes of a distributed warehouse work with the rights of who asks, and guests have none there: the views refuse. They do when a
-- query is planned, because Citus refuses some of them in its own words before any function of a query is called. That is what
-- IMMUTABLE is for here, and true enough: no database gets the extension citus or loses it while it is in use.

CREATE OR REPLACE FUNCTION perfhouse_internal.guests_answer() RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM perfhouse_internal.refuse_nodes('views for guests');
    RETURN true;
END $$;
COMMENT ON FUNCTION perfhouse_internal.guests_answer() IS 'True. Errors: 0A000 in a database with the extension citus.';

CREATE OR REPLACE VIEW perfhouse.guest_seen WITH (security_barrier = true) AS
SELECT r.run_id, s.salt
FROM perfhouse.run r CROSS JOIN perfhouse.pseudonym_salt s
WHERE r.state = 'ready' AND perfhouse_internal.guests_answer()
    AND (NOT (SELECT c.relrowsecurity FROM pg_catalog.pg_class c WHERE c.oid = 'perfhouse.run'::regclass)
        OR EXISTS (SELECT FROM pg_catalog.pg_roles a WHERE a.rolname = 'perfhouse_admin' AND pg_catalog.pg_has_role(a.oid, 'MEMBER'))
        OR r.project IN (SELECT m.project FROM perfhouse.project_member m JOIN pg_catalog.pg_roles o ON o.rolname = m.member
                         WHERE pg_catalog.pg_has_role(o.oid, 'MEMBER'))
        OR r.project IS NULL AND r.owner = CURRENT_USER);
COMMENT ON VIEW perfhouse.guest_seen IS
    'Runs of which the caller sees the guests'' views, by the projects that were granted to him, and the salt: not for guests.';

CREATE OR REPLACE VIEW perfhouse.guest_run WITH (security_barrier = true) AS
SELECT r.run_id, h.application, h.title, r.n_ranks, r.n_threads, r.commit_id, h.branch, r.started_at, h.user_name, r.cluster,
       r.format, r.n_nodes, r.n_columns, r.n_units, r.metrics, r.residual_cells, r.missing_columns, r.tags,
       h.excluded_reason, h.source, r.loaded_at, h.meta,
       r.n_events IS NOT NULL AND r.events_dropped_at IS NULL AS has_trace, r.n_events, r.completeness, h.missing, r.total,
       r.parallel_efficiency, r.efficiency_estimated, r.load_balance, r.communication_efficiency, r.project
FROM perfhouse.guest_seen g
JOIN perfhouse.run r ON r.run_id = g.run_id
CROSS JOIN LATERAL jsonb_populate_record(NULL::perfhouse.run, perfhouse_internal.hidden_run(to_jsonb(r), '{users,hosts,paths,commands}',
    ARRAY(SELECT DISTINCT l.host FROM perfhouse.location l WHERE l.run_id = r.run_id AND l.host <> '' ORDER BY 1), g.salt)) h;
COMMENT ON VIEW perfhouse.guest_run IS
    'run_overview for guests: pseudonyms in place of users, hosts and private folders, and no command lines.';
COMMENT ON COLUMN perfhouse.guest_run.project IS 'project that the run belongs to; null: none';

CREATE OR REPLACE VIEW perfhouse.guest_location WITH (security_barrier = true) AS
SELECT l.run_id, l.location_id, l.kind, l.rank, l.thread, h.host,
       perfhouse_internal.hidden_paths(CASE WHEN l.host <> '' THEN replace(l.name, l.host, h.host) ELSE l.name END, g.salt) AS name,
       l.iteration
FROM perfhouse.guest_seen g
JOIN perfhouse.location l ON l.run_id = g.run_id
CROSS JOIN LATERAL (SELECT perfhouse_internal.pseudonym('host', nullif(l.host, ''), g.salt) AS host) h;
COMMENT ON VIEW perfhouse.guest_location IS 'Execution units of runs for guests: perfhouse.location with pseudonyms in place of hosts.';

CREATE OR REPLACE VIEW perfhouse.guest_function WITH (security_barrier = true) AS
SELECT s.run_id, CASE WHEN f.name ~ '[/\\]' THEN perfhouse_internal.hidden_paths(f.name, g.salt) ELSE f.name END AS name, f.kind,
       CASE WHEN perfhouse_internal.is_private_path(f.library) THEN perfhouse_internal.hidden_path(f.library, g.salt) ELSE f.library END
           AS library,
       CASE WHEN perfhouse_internal.is_private_path(f.file) THEN perfhouse_internal.hidden_path(f.file, g.salt) ELSE f.file END AS file,
       m.name AS metric, CASE m.dimension WHEN 'time' THEN 's' ELSE m.unit END AS unit, s.n_nodes,
       s.inclusive * m.factor AS inclusive, s.exclusive * m.factor AS exclusive, s.min * m.factor AS min, s.max * m.factor AS max
FROM perfhouse.guest_seen g
JOIN perfhouse.region_summary s ON s.run_id = g.run_id
JOIN perfhouse.region f ON f.region_id = s.region_id
CROSS JOIN LATERAL (
    SELECT o.name, o.unit, o.dimension, CASE o.dimension WHEN 'time' THEN o.factor ELSE 1 END AS factor
    FROM perfhouse.metric o WHERE o.metric_id = s.metric_id) m;
COMMENT ON VIEW perfhouse.guest_function IS
    'What functions cost in runs, for guests: means over execution units of inclusive and exclusive values, minima and maxima of '
    'the latter.';
COMMENT ON COLUMN perfhouse.guest_function.kind IS '0 function, 1 region, 2 loop, 3 statement, 4 root';

CREATE OR REPLACE VIEW perfhouse.guest_call_path WITH (security_barrier = true) AS
SELECT p.run_id, perfhouse_internal.pseudonym('call', p.callpath_id::text, g.salt) AS call,
       perfhouse_internal.pseudonym('call', c.parent_id::text, g.salt) AS caller, c.depth,
       CASE WHEN f.name ~ '[/\\]' THEN perfhouse_internal.hidden_paths(f.name, g.salt) ELSE f.name END AS name, f.kind, m.name AS metric,
       CASE WHEN m.kind <> 1 AND m.dimension = 'time' THEN 's' ELSE m.unit END AS unit, p.n,
       p.inclusive_sum * m.factor / r.n_units AS inclusive, p.exclusive_sum * m.factor / r.n_units AS exclusive
FROM perfhouse.guest_seen g
JOIN perfhouse.run r ON r.run_id = g.run_id
CROSS JOIN LATERAL (
    SELECT b.run_id, b.metric_id, s.callpath_id, s.n, s.inclusive_sum, s.exclusive_sum
    FROM perfhouse.summary_block b JOIN perfhouse.call_tree t ON t.tree_id = r.tree_id
    CROSS JOIN LATERAL perfhouse_internal.summary_rows(b.bytes, t.callpath_ids, b.block) s
    WHERE b.run_id = r.run_id
    UNION ALL
    SELECT o.run_id, o.metric_id, o.callpath_id, o.n, o.inclusive_sum, o.exclusive_sum
    FROM perfhouse.profile_summary_1 o WHERE o.run_id = r.run_id) p
JOIN perfhouse.callpath c ON c.callpath_id = p.callpath_id
JOIN perfhouse.region f ON f.region_id = c.region_id
CROSS JOIN LATERAL (
    SELECT o.name, o.unit, o.kind, o.dimension, CASE WHEN o.kind <> 1 AND o.dimension = 'time' THEN o.factor ELSE 1 END AS factor
    FROM perfhouse.metric o WHERE o.metric_id = p.metric_id) m;
COMMENT ON VIEW perfhouse.guest_call_path IS
    'What call paths cost in runs, for guests: means over execution units. Always restrict run_id: summaries are unpacked run by run.';
COMMENT ON COLUMN perfhouse.guest_call_path.call IS 'of the call path, the same in all runs';
COMMENT ON COLUMN perfhouse.guest_call_path.caller IS 'call of its caller; null: it has none';
COMMENT ON COLUMN perfhouse.guest_call_path.n IS 'execution units that have the call path';

CREATE OR REPLACE VIEW perfhouse.guest_job WITH (security_barrier = true) AS
SELECT j.cluster, j.job, perfhouse_internal.hidden_paths(j.application, s.salt) AS application,
       perfhouse_internal.pseudonym('user', j.user_name, s.salt) AS user_name, j.project, j.queue, j.state, j.exit_code, j.submitted_at,
       j.started_at, j.ended_at, j.elapsed, j.n_nodes, j.n_cpus, j.cpu_time, j.max_memory, j.energy,
       perfhouse_internal.pseudonym('host', j.node_list, s.salt) AS node_list
FROM perfhouse.job j CROSS JOIN perfhouse.pseudonym_salt s
WHERE perfhouse_internal.guests_answer()
    AND (NOT (SELECT c.relrowsecurity FROM pg_catalog.pg_class c WHERE c.oid = 'perfhouse.run'::regclass)
        OR EXISTS (SELECT FROM pg_catalog.pg_roles a WHERE a.rolname = 'perfhouse_admin' AND pg_catalog.pg_has_role(a.oid, 'MEMBER'))
        OR j.project IN (SELECT m.project FROM perfhouse.project_member m JOIN pg_catalog.pg_roles o ON o.rolname = m.member
                         WHERE pg_catalog.pg_has_role(o.oid, 'MEMBER'))
        OR j.owner = CURRENT_USER);
COMMENT ON VIEW perfhouse.guest_job IS 'Jobs of the batch system for guests: perfhouse.job with pseudonyms in place of users and nodes.';

-- Columns mean what they mean where they come from.
DO $$
DECLARE
    c record;
BEGIN
    FOR c IN
        SELECT v.oid::pg_catalog.regclass AS view, a.attname, pg_catalog.col_description(o.attrelid, o.attnum) AS words
        FROM (VALUES ('guest_run', 'run_overview'), ('guest_location', 'location'), ('guest_function', 'region_summary'),
                     ('guest_call_path', 'profile_row'), ('guest_job', 'job')) f (name, source)
        JOIN pg_catalog.pg_class v ON v.relname = f.name AND v.relnamespace = 'perfhouse'::pg_catalog.regnamespace
        JOIN pg_catalog.pg_attribute a ON a.attrelid = v.oid AND a.attnum > 0
        JOIN pg_catalog.pg_attribute o ON o.attrelid = ('perfhouse.' || f.source)::pg_catalog.regclass AND o.attname = a.attname
        WHERE pg_catalog.col_description(v.oid, a.attnum) IS NULL
    LOOP
        EXECUTE pg_catalog.format('COMMENT ON COLUMN %s.%I IS %L', c.view, c.attname, c.words);
    END LOOP;
END $$;
COMMENT ON COLUMN perfhouse.guest_seen.salt IS 'goes into every pseudonym that guests read';

-- Functions of a view are called with the rights of who reads it, and find each other by their schema's name.
CREATE OR REPLACE PROCEDURE perfhouse_internal.grant_guests() LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'perfhouse_guest') THEN
        RETURN;
    END IF;
    GRANT USAGE ON SCHEMA perfhouse, perfhouse_internal TO perfhouse_guest;
    GRANT SELECT ON perfhouse.guest_run, perfhouse.guest_location, perfhouse.guest_function, perfhouse.guest_call_path, perfhouse.guest_job
        TO perfhouse_guest;
    GRANT EXECUTE ON FUNCTION perfhouse_internal.guests_answer(), perfhouse_internal.refuse_nodes(text),
        perfhouse_internal.pseudonym(text, text, text), perfhouse_internal.is_private_path(text),
        perfhouse_internal.hidden_path(text, text), perfhouse_internal.hidden_paths(text, text),
        perfhouse_internal.hidden_words(text, text[], text, text),
        perfhouse_internal.hidden_text(text, text[], text[], text[], text),
        perfhouse_internal.hidden_json(text, text[]),
        perfhouse_internal.hidden_value(jsonb, text[], text[], text[], text),
        perfhouse_internal.hidden_meta(jsonb, text[], text[], text[], text),
        perfhouse_internal.hidden_run(jsonb, text[], text[], text), perfhouse_internal.summary_rows(bytea, bigint[], int, bigint[])
        TO perfhouse_guest;
END $$;
COMMENT ON PROCEDURE perfhouse_internal.grant_guests() IS
    'Lets members of perfhouse_guest read the guests'' views, where there is that role, and nothing else.';
REVOKE ALL ON PROCEDURE perfhouse_internal.grant_guests() FROM PUBLIC;
