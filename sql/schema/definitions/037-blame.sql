-- 037-blame.sql - waits and what caused them, stored as metrics of a trace's profile (docs/design/blame.md 5).

CREATE OR REPLACE FUNCTION perfhouse_internal.blame_metrics() RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT ARRAY['wait', 'wait caused', 'on critical path']
$$;
COMMENT ON FUNCTION perfhouse_internal.blame_metrics() IS 'The metrics that assign_blame stores.';

CREATE OR REPLACE FUNCTION perfhouse_internal.blame_metric_ids() RETURNS int[]
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO perfhouse.metric (name, unit) SELECT u.name, 's' FROM unnest(perfhouse_internal.blame_metrics()) u (name)
    WHERE NOT EXISTS (SELECT FROM perfhouse.metric m WHERE (m.name, m.unit, m.kind, m.combine, m.is_signed) = (u.name, 's', 0, 0, false))
    ORDER BY u.name ON CONFLICT DO NOTHING;
    RETURN (SELECT array_agg(m.metric_id ORDER BY u.place)
            FROM unnest(perfhouse_internal.blame_metrics()) WITH ORDINALITY u (name, place)
            JOIN perfhouse.metric m ON (m.name, m.unit, m.kind, m.combine, m.is_signed) = (u.name, 's', 0, 0, false)
             AND m.numerator_id IS NULL AND m.denominator_id IS NULL);
END $$;
COMMENT ON FUNCTION perfhouse_internal.blame_metric_ids() IS 'Ids of blame_metrics(), by place; those that no run has had are made.';

CREATE OR REPLACE FUNCTION perfhouse_internal.forget_blame(run bigint, ids int[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM perfhouse.value_block v WHERE v.run_id = run AND v.metric_id = ANY (ids);
    DELETE FROM perfhouse.summary_block s WHERE s.run_id = run AND s.metric_id = ANY (ids);
    DELETE FROM perfhouse.region_summary s WHERE s.run_id = run AND s.metric_id = ANY (ids);
    DELETE FROM perfhouse.derived d WHERE d.run_id = run AND d.kind = 'blame';
    UPDATE perfhouse.run q SET (metric_ids, metrics) = (
        SELECT coalesce(array_agg(u.id ORDER BY u.place), '{}'), coalesce(array_agg(u.name ORDER BY u.place), '{}')
        FROM unnest(q.metric_ids, q.metrics) WITH ORDINALITY u (id, name, place) WHERE u.id <> ALL (ids))
    WHERE q.run_id = run AND q.metric_ids && ids;
END $$;
COMMENT ON FUNCTION perfhouse_internal.forget_blame(bigint, int[]) IS 'Removes what store_blame stored.';

-- Summaries are made of the stored values, so that they have the bytes that remake_summaries gives them.
CREATE OR REPLACE FUNCTION perfhouse_internal.add_metrics(run bigint, p perfhouse.profile, ids int[], names text[]) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    n bigint;
BEGIN
    IF (SELECT t.callpath_ids FROM perfhouse.run q JOIN perfhouse.call_tree t USING (tree_id) WHERE q.run_id = run)
        IS DISTINCT FROM perfhouse_internal.tree_callpaths(perfhouse.skeleton(p))
        OR (SELECT count(*) FROM perfhouse.columns(p)) IS DISTINCT FROM (SELECT q.n_columns FROM perfhouse.run q WHERE q.run_id = run)
    THEN
        RAISE EXCEPTION 'the call tree of run % is not that of its trace', run USING ERRCODE = 'PH001',
            HINT = format('check_run(%s) says more. Load the run again with --if-exists replace.', run);
    END IF;
    INSERT INTO perfhouse.value_block (run_id, metric_id, stripe, block, bytes)
    SELECT run, ids[array_position(names, b.metric)], b.stripe, b.block, b.bytes
    FROM perfhouse_internal.value_blocks(p) b WHERE b.metric = ANY (names);
    GET DIAGNOSTICS n = ROW_COUNT;
    UPDATE perfhouse.run q SET metric_ids = q.metric_ids || ids, metrics = q.metrics || names WHERE q.run_id = run;
    INSERT INTO perfhouse.summary_block (run_id, metric_id, block, bytes)
    SELECT run, u.id, b.block, b.bytes
    FROM unnest(ids, names) u (id, name) CROSS JOIN LATERAL perfhouse_internal.run_summary_blocks(run, u.name) b;
    INSERT INTO perfhouse.region_summary (run_id, region_id, metric_id, n_nodes, inclusive, exclusive, min, max)
    SELECT run, s.region_id, u.id, s.n_nodes, s.inclusive, s.exclusive, s.min, s.max
    FROM unnest(ids, names) u (id, name) CROSS JOIN LATERAL perfhouse_internal.run_region_summaries(run, u.name) s;
    RETURN n;
END $$;
COMMENT ON FUNCTION perfhouse_internal.add_metrics(bigint, perfhouse.profile, int[], text[]) IS
    'Stores metrics of a profile that has the nodes and columns of a run as metrics of the run, after those that it has, with '
    'their summaries; how many blocks. Errors: PH001 when the profile has another call tree.';

CREATE OR REPLACE FUNCTION perfhouse_internal.store_blame(run bigint) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    names text[] := perfhouse_internal.blame_metrics();
    ids int[] := perfhouse_internal.blame_metric_ids();
    p perfhouse.profile := perfhouse_internal.blame_profile(run);
    n bigint := 0;
BEGIN
    PERFORM perfhouse_internal.forget_blame(run, ids);
    IF EXISTS (SELECT 1 FROM perfhouse.run q WHERE q.run_id = run AND q.metrics && names) THEN
        RAISE EXCEPTION 'run % has a metric of its own that is called like one of %', run, names USING ERRCODE = 'PH003',
            HINT = 'Loading the run again with --if-exists replace gives it another name.';
    END IF;
    IF p IS NOT NULL THEN
        n := perfhouse_internal.add_metrics(run, p, ids, names);
    END IF;
    INSERT INTO perfhouse.derived (run_id, kind, version) VALUES (run, 'blame', perfhouse_internal.blame_version());
    RETURN n;
END $$;
COMMENT ON FUNCTION perfhouse_internal.store_blame(bigint) IS
    'Stores waits and their causes as metrics of a run that the transaction holds, in place of those that it has; how many blocks.';

CREATE OR REPLACE FUNCTION perfhouse.assign_blame(run bigint) RETURNS text[]
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    r record;
    n bigint;
BEGIN
    SELECT q.application, q.rolled_up_at INTO r FROM perfhouse.run q WHERE q.run_id = run AND q.state = 'ready' FOR UPDATE;
    IF run IS NULL THEN
        RETURN NULL;
    ELSIF NOT FOUND THEN
        RAISE EXCEPTION 'there is no run %', run USING ERRCODE = 'PH002', HINT = 'perfhouse runs lists them; in SQL run_overview.';
    ELSIF r.rolled_up_at IS NOT NULL THEN
        RAISE EXCEPTION 'values of single ranks and iterations of run % were rolled up', run USING ERRCODE = 'PH003',
            HINT = 'Loading the run again with --if-exists replace brings them back.';
    END IF;
    PERFORM perfhouse.convert_run(run);
    n := perfhouse_internal.store_blame(run);
    PERFORM perfhouse_internal.notify_run(run, r.application, 'changed');
    RETURN CASE WHEN n > 0 THEN perfhouse_internal.blame_metrics() ELSE '{}' END;
END $$;
COMMENT ON FUNCTION perfhouse.assign_blame(bigint) IS
    'Finds who waited and who caused it in a run''s trace, as loading it does, and stores it as metrics of the run, in place of '
    'what was there: "wait" (how long a call path of a unit waited), "wait caused" (how much waiting it caused, in all units, '
    'directly and through others) and "on critical path" (how long it was on it), in seconds. Call paths with less than 0.1 % '
    'of the sum of a metric count for the root of theirs. Returns their names, none where nothing communicates; null for null. '
    'Needs the rights of a loader. NOTIFY perfhouse_run. Errors: PH002 for an unknown run, or a run without a trace; PH003 when '
    'its events were dropped or its values rolled up; PH001 when it is damaged. Method: as delay_costs and critical_path.';
REVOKE ALL ON FUNCTION perfhouse.assign_blame(bigint) FROM PUBLIC;
