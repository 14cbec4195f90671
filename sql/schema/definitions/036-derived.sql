-- 036-derived.sql - results that are stored and can be made again, and runs that older releases stored.

-- --------------------------------------------------------------------------------------- derived results
-- A new kind is a line here, and a row in perfhouse.derived where its result is stored.
CREATE OR REPLACE FUNCTION perfhouse_internal.derived_kinds() RETURNS TABLE (kind text, oldest int, version int, remake text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
    VALUES ('logical steps', perfhouse_internal.logical_version(), perfhouse_internal.logical_version(),
            'SELECT perfhouse_internal.assign_again($1)'),
        ('efficiency', 1, 1, 'SELECT perfhouse.assign_efficiency($1)'),
        ('blame', perfhouse_internal.blame_version(), perfhouse_internal.blame_version(), 'SELECT perfhouse.assign_blame($1)'),
        ('pyramid', perfhouse_internal.pyramid_version(), perfhouse_internal.pyramid_version(), 'SELECT perfhouse.store_tiles($1)'),
        ('summaries', 1, perfhouse_internal.summaries_version(), 'SELECT perfhouse.remake_summaries($1)')
$$;
COMMENT ON FUNCTION perfhouse_internal.derived_kinds() IS
    'The kinds of stored results that are made of a run''s data: the oldest version of the method whose results are valid, the '
    'version that makes them now, and the statement that makes that of run $1 anew.';

CREATE OR REPLACE FUNCTION perfhouse_internal.assign_again(run bigint) RETURNS jsonb
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (
        -- with the options that it was assigned with, as far as there still are such
        SELECT perfhouse.assign_logical_steps(l.run_id, coalesce((
            SELECT jsonb_object_agg(o.key, o.value) FROM jsonb_each(l.options) o
            WHERE o.key IN (SELECT jsonb_object_keys(perfhouse.logical_options('{}', t.run_id IS NOT NULL)))), '{}'))
        FROM perfhouse.logical l LEFT JOIN perfhouse.task_trace t USING (run_id) WHERE l.run_id = run);
END $$;
COMMENT ON FUNCTION perfhouse_internal.assign_again(bigint) IS
    'assign_logical_steps with the options that the run''s steps were assigned with. Null: it has none.';

-- Runs whose values are in blocks of which there is no summary. No value is read: two primary keys are compared.
CREATE OR REPLACE VIEW perfhouse.run_without_summaries WITH (security_invoker = true) AS
SELECT DISTINCT v.run_id
FROM perfhouse.value_block v JOIN perfhouse.run r USING (run_id) JOIN perfhouse.metric m USING (metric_id)
WHERE r.state = 'ready' AND (
    NOT EXISTS (SELECT 1 FROM perfhouse.summary_block s WHERE s.run_id = v.run_id AND s.metric_id = v.metric_id AND s.block = v.block)
        AND NOT EXISTS (SELECT 1 FROM perfhouse.profile_summary_1 o WHERE o.run_id = v.run_id)
    OR m.kind = 0 AND NOT EXISTS (SELECT 1 FROM perfhouse.region_summary g WHERE g.run_id = v.run_id AND g.metric_id = v.metric_id));
COMMENT ON VIEW perfhouse.run_without_summaries IS
    'Runs that have lost summaries: statistics of a block of values, or those of all functions by a metric. doctor --repair '
    'makes them anew. Runs that are rolled up, whose values are gone, are not told.';

CREATE OR REPLACE VIEW perfhouse.run_derived WITH (security_invoker = true) AS
SELECT d.run_id, d.kind, d.version, d.made_at, (d.version BETWEEN k.oldest AND k.version) IS NOT TRUE AS is_stale,
       d.kind = 'summaries' AND EXISTS (SELECT 1 FROM perfhouse.run_without_summaries w WHERE w.run_id = d.run_id) AS is_lost
FROM perfhouse.derived d JOIN perfhouse.run r USING (run_id) LEFT JOIN perfhouse_internal.derived_kinds() k USING (kind)
WHERE r.state = 'ready';
COMMENT ON VIEW perfhouse.run_derived IS
    'Stored results that were computed from a run''s data, and can be again: a row per run and kind.';
COMMENT ON COLUMN perfhouse.run_derived.kind IS
    'what it is: blame (waits of a trace and what caused them, as metrics), efficiency (stored with the '
    'run), logical steps, pyramid (tiles of a trace), summaries '
    '(statistics over processes and threads, of call paths and functions)';
COMMENT ON COLUMN perfhouse.run_derived.version IS 'of the method that made it';
COMMENT ON COLUMN perfhouse.run_derived.is_stale IS
    'a version of the method made it whose results are not valid any more: readers refuse it (of a pyramid, blame and efficiencies '
    'they do without, or take the older one); '
    'remake_derived(run) or perfhouse doctor --repair makes it anew';
COMMENT ON COLUMN perfhouse.run_derived.is_lost IS
    'it is not all there any more (of summaries); remake_derived(run) or perfhouse doctor --repair makes it anew';

CREATE OR REPLACE FUNCTION perfhouse.remake_summaries(run bigint) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    r record;
    n_blocks bigint;
    n_regions bigint;
BEGIN
    SELECT q.application, q.rolled_up_at INTO r FROM perfhouse.run q WHERE q.run_id = run AND q.state = 'ready' FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'there is no run %', run USING ERRCODE = 'PH002', HINT = 'perfhouse runs lists them; in SQL run_overview.';
    ELSIF r.rolled_up_at IS NOT NULL THEN
        RAISE EXCEPTION 'values of single ranks and iterations of run % were rolled up', run USING ERRCODE = 'PH003',
            HINT = 'Summaries are made of them. Loading the run again with --if-exists replace brings them back.';
    END IF;
    DELETE FROM perfhouse.summary_block s WHERE s.run_id = run;
    DELETE FROM perfhouse.profile_summary_1 s WHERE s.run_id = run;
    DELETE FROM perfhouse.region_summary s WHERE s.run_id = run;
    DELETE FROM perfhouse.derived d WHERE d.run_id = run AND d.kind = 'summaries';
    INSERT INTO perfhouse.summary_block (run_id, metric_id, block, bytes)
    SELECT q.run_id, u.metric_id, b.block, b.bytes
    FROM perfhouse.run q CROSS JOIN LATERAL unnest(q.metric_ids, q.metrics) u (metric_id, name)
    CROSS JOIN LATERAL perfhouse_internal.run_summary_blocks(q.run_id, u.name) b
    WHERE q.run_id = run;
    GET DIAGNOSTICS n_blocks = ROW_COUNT;
    INSERT INTO perfhouse.region_summary (run_id, region_id, metric_id, n_nodes, inclusive, exclusive, min, max)
    SELECT q.run_id, s.region_id, u.metric_id, s.n_nodes, s.inclusive, s.exclusive, s.min, s.max
    FROM perfhouse.run q CROSS JOIN LATERAL unnest(q.metric_ids, q.metrics) u (metric_id, name)
    CROSS JOIN LATERAL perfhouse_internal.run_region_summaries(q.run_id, u.name) s
    WHERE q.run_id = run;
    GET DIAGNOSTICS n_regions = ROW_COUNT;
    INSERT INTO perfhouse.derived (run_id, kind, version) VALUES (run, 'summaries', perfhouse_internal.summaries_version());
    -- what was made of those that were there is made again: pictures, by the run's version, and the roll-up of its month
    UPDATE perfhouse.run q SET storage = q.storage WHERE q.run_id = run;
    UPDATE perfhouse.run_month m SET mark = m.mark + 1 FROM perfhouse.month_run c
    WHERE c.run_id = run AND m.application = c.application_key AND m.month = c.month;
    PERFORM perfhouse_internal.notify_run(run, r.application, 'changed');
    RETURN n_blocks + n_regions;
END $$;
COMMENT ON FUNCTION perfhouse.remake_summaries(bigint) IS
    'Makes a run''s summaries anew, of its values, which must be sound: statistics over units of call paths and of functions, '
    'bit by bit as loading the run does. Returns how many rows are stored. Other runs and readers go on. NOTIFY perfhouse_run. '
    'Errors: PH002 when there is no such run, PH001 when its values are damaged, PH003 when they were rolled up.';
REVOKE ALL ON FUNCTION perfhouse.remake_summaries(bigint) FROM PUBLIC;

-- What is lost is seen without reading values, all of which check_run() reads.
CREATE OR REPLACE FUNCTION perfhouse_internal.needs_summaries(run bigint) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM perfhouse.run_without_summaries w WHERE w.run_id = run) THEN
        RETURN true;
    END IF;
    IF NOT EXISTS (SELECT 1 FROM perfhouse.run q WHERE q.run_id = run AND q.rolled_up_at IS NULL AND q.n_nodes > 0) THEN
        RETURN false;
    END IF;
    RETURN EXISTS (SELECT 1 FROM perfhouse.check_run(run) c WHERE c.check_name = 'summaries' AND NOT c.ok);
END $$;
COMMENT ON FUNCTION perfhouse_internal.needs_summaries(bigint) IS
    'Whether a run that has values has lost summaries, or such that are not those of its values.';

CREATE OR REPLACE FUNCTION perfhouse.remake_derived(run bigint) RETURNS text[]
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    k record;
    made text[] := '{}';
BEGIN
    FOR k IN SELECT o.kind, o.remake
             FROM perfhouse_internal.derived_kinds() o LEFT JOIN perfhouse.run_derived d ON d.run_id = run AND d.kind = o.kind
             WHERE d.is_stale OR o.kind = 'summaries' AND perfhouse_internal.needs_summaries(run) ORDER BY o.kind LOOP
        EXECUTE k.remake USING run;
        made := made || k.kind;
    END LOOP;
    RETURN made;
END $$;
COMMENT ON FUNCTION perfhouse.remake_derived(bigint) IS
    'Makes those results of a run anew that are stale or lost (run_derived), and summaries that are damaged (check_run), and '
    'returns their kinds. Errors: those of the functions that make them, such as PH003 when the events are gone.';
REVOKE ALL ON FUNCTION perfhouse.remake_derived(bigint) FROM PUBLIC;

-- ------------------------------------------------------------------------------- runs of older releases
CREATE OR REPLACE FUNCTION perfhouse_internal.convert_tree(run bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE perfhouse.run q SET tree_id = perfhouse_internal.intern_tree(perfhouse.skeleton(perfhouse_internal.mean_profile(run, '{}')))
    WHERE q.run_id = run AND q.tree_id IS NULL AND EXISTS (SELECT 1 FROM perfhouse.profile_tree_1 t WHERE t.run_id = run);
    UPDATE perfhouse.run q SET labels_id = (
        SELECT perfhouse_internal.intern_labels(array_agg(l.region_id), array_agg(l.local_id), array_agg(l.line), array_agg(l.module),
            array_agg(l.raw_file), array_agg(l.paradigm)) FROM perfhouse.run_region_1 l WHERE l.run_id = run)
    WHERE q.run_id = run AND q.labels_id IS NULL AND EXISTS (SELECT 1 FROM perfhouse.run_region_1 l WHERE l.run_id = run);
    DELETE FROM perfhouse.profile_tree_1 t WHERE t.run_id = run;
    DELETE FROM perfhouse.run_region_1 l WHERE l.run_id = run;
END $$;
COMMENT ON FUNCTION perfhouse_internal.convert_tree(bigint) IS
    'The call tree and the labels of regions of a run of an older release go where runs share them.';

-- What the blocks give is compared with the rows before those go: a conversion changes no answer.
CREATE OR REPLACE FUNCTION perfhouse_internal.convert_values(run bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    m record;
BEGIN
    UPDATE perfhouse.run q SET storage = 2 WHERE q.run_id = run AND q.rolled_up_at IS NOT NULL;
    IF FOUND THEN
        RETURN; -- there are none
    END IF;
    INSERT INTO perfhouse.value_block (run_id, metric_id, stripe, block, bytes)
    SELECT q.run_id, u.metric_id, b.stripe, b.block, b.bytes
    FROM perfhouse.run q CROSS JOIN LATERAL unnest(q.metric_ids, q.metrics) u (metric_id, name)
    CROSS JOIN LATERAL perfhouse_internal.run_value_blocks(q.run_id, u.name) b
    WHERE q.run_id = run;
    UPDATE perfhouse.run q SET storage = 2 WHERE q.run_id = run;
    FOR m IN SELECT u.metric_id, u.name FROM perfhouse.run q CROSS JOIN LATERAL unnest(q.metric_ids, q.metrics) u (metric_id, name)
             WHERE q.run_id = run LOOP
        IF EXISTS (
            SELECT 1 FROM (SELECT * FROM perfhouse.profile_values_1 o WHERE o.run_id = run AND o.metric_id = m.metric_id) o
            FULL JOIN perfhouse_internal.run_values(run, m.name) n USING (callpath_id, block)
            WHERE array_send(o.inclusive) IS DISTINCT FROM array_send(n.inclusive)
               OR array_send(o.exclusive) IS DISTINCT FROM array_send(n.exclusive))
        THEN
            RAISE EXCEPTION 'values of run % would not be the same in blocks', run USING ERRCODE = 'PH001',
                HINT = format('check_run(%s) says what is wrong with it. It was left as it is.', run);
        END IF;
    END LOOP;
    DELETE FROM perfhouse.profile_values_1 v WHERE v.run_id = run;
END $$;
COMMENT ON FUNCTION perfhouse_internal.convert_values(bigint) IS
    'The values of a run of an older release go into blocks. Errors: PH001 when they would not be the same there.';

-- Compared as text, which tells all bits of a number.
CREATE OR REPLACE FUNCTION perfhouse_internal.convert_summaries(run bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM perfhouse.profile_summary_1 s WHERE s.run_id = run) THEN
        RETURN; -- there are none, or they were made anew
    END IF;
    INSERT INTO perfhouse.summary_block (run_id, metric_id, block, bytes)
    SELECT run, b.metric_id, b.block, b.bytes FROM perfhouse_internal.summary_blocks(run) b;
    IF EXISTS (
        SELECT 1 FROM (SELECT metric_id, callpath_id, (o.*)::text AS told FROM perfhouse.profile_summary_1 o WHERE o.run_id = run) o
        FULL JOIN (
            SELECT b.metric_id, s.callpath_id, ROW(run, s.callpath_id, b.metric_id, s.n, s.inclusive_sum, s.inclusive_sumsq,
                s.inclusive_min, s.inclusive_max, s.inclusive_argmin, s.inclusive_argmax, s.exclusive_sum, s.exclusive_sumsq,
                s.exclusive_min, s.exclusive_max, s.exclusive_argmin, s.exclusive_argmax)::text AS told
            FROM perfhouse.run q JOIN perfhouse.call_tree t USING (tree_id) JOIN perfhouse.summary_block b ON b.run_id = q.run_id
            CROSS JOIN LATERAL perfhouse_internal.summary_rows(b.bytes, t.callpath_ids, b.block) s WHERE q.run_id = run) n
            USING (metric_id, callpath_id)
        WHERE o.told IS DISTINCT FROM n.told)
    THEN
        RAISE EXCEPTION 'summaries of run % would not be the same in blocks', run USING ERRCODE = 'PH001',
            HINT = format('check_run(%s) says what is wrong with it. It was left as it is.', run);
    END IF;
    DELETE FROM perfhouse.profile_summary_1 s WHERE s.run_id = run;
END $$;
COMMENT ON FUNCTION perfhouse_internal.convert_summaries(bigint) IS
    'The summaries of a run of an older release go into blocks. Errors: PH001 when they would not be the same there, PH003 '
    'when one lacks a moment.';

CREATE OR REPLACE FUNCTION perfhouse_internal.convert_trace(run bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE perfhouse.trace_chunk c SET crc = s.crc FROM perfhouse_internal.event_sums(run) s
    WHERE c.run_id = run AND c.location_id = s.location_id AND c.chunk_no = s.chunk_no AND c.crc IS NULL;
    UPDATE perfhouse.message_chunk c SET crc = s.crc FROM perfhouse_internal.link_sums(run) s
    WHERE c.run_id = run AND c.location_id = s.location_id AND c.chunk_no = s.chunk_no AND c.crc IS NULL;
END $$;
COMMENT ON FUNCTION perfhouse_internal.convert_trace(bigint) IS 'The chunks of a trace of an older release get their checksums.';

CREATE OR REPLACE FUNCTION perfhouse.convert_run(run bigint) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    r record;
BEGIN
    SELECT q.storage INTO r FROM perfhouse.run q WHERE q.run_id = run AND q.state = 'ready' FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'there is no run %', run USING ERRCODE = 'PH002', HINT = 'perfhouse runs lists them; in SQL run_overview.';
    ELSIF r.storage = 2 THEN
        RETURN false;
    END IF;
    PERFORM perfhouse_internal.convert_tree(run);
    PERFORM perfhouse_internal.convert_values(run);
    PERFORM perfhouse_internal.convert_summaries(run);
    PERFORM perfhouse_internal.convert_trace(run);
    RETURN true;
END $$;
COMMENT ON FUNCTION perfhouse.convert_run(bigint) IS
    'Stores a run as this release does, when an older one stored it: its values in compressed blocks, its call tree once for '
    'all runs that have the same, checksums with its events. Every answer stays what it is; other runs and readers go on. '
    'Returns whether there was anything to do. perfhouse doctor --repair and perfhouse retention apply do it for all runs, each in '
    'a transaction of its own. Errors: PH002 when there is no such run; PH001 when it is not sound, and nothing was changed.';
REVOKE ALL ON FUNCTION perfhouse.convert_run(bigint) FROM PUBLIC;
