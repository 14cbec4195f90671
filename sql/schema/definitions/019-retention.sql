-- 019-retention.sql - distributions over ranks, rolling runs up, dropping events, retention policies.

-- Other sessions hear of runs that became ready, were rolled up or dropped.
CREATE OR REPLACE FUNCTION perfhouse_internal.notify_run(run_id bigint, application text, state text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_notify('perfhouse_run', json_build_object('run_id', $1, 'application',
        CASE WHEN NOT perfhouse_internal.projects_enabled() THEN left($2, 1000) END, 'state', $3)::text);
END $$;
COMMENT ON FUNCTION perfhouse_internal.notify_run(bigint, text, text) IS
    'NOTIFY perfhouse_run with {"run_id", "application", "state"} when the transaction commits; state: ready, '
    'changed, rolled up, dropped. While projects are enabled application is null, because anyone may listen. The loader, drop_run and '
    'roll_up_run call it.';

CREATE OR REPLACE FUNCTION perfhouse_internal.notify_runs(runs bigint[], state text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    told boolean := NOT perfhouse_internal.projects_enabled();
BEGIN
    PERFORM pg_notify('perfhouse_run', json_build_object('run_id', r.run_id,
        'application', CASE WHEN told THEN left(r.application, 1000) END, 'state', $2)::text)
    FROM perfhouse.run r WHERE r.run_id = ANY ($1) ORDER BY r.run_id;
END $$;
COMMENT ON FUNCTION perfhouse_internal.notify_runs(bigint[], text) IS 'notify_run of several runs, of those that there are.';

-- Stored ones, or made of the vectors: the same either way.
CREATE OR REPLACE FUNCTION perfhouse_internal.run_sketches(run bigint, of_metric int DEFAULT NULL)
RETURNS TABLE (callpath_id bigint, metric_id int, inclusive bytea, exclusive bytea)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    r record;
BEGIN
    SELECT q.rolled_up_at, q.n_columns IS DISTINCT FROM q.n_units AS has_iterations INTO r
    FROM perfhouse.run q WHERE q.run_id = run AND q.state = 'ready';
    IF NOT FOUND THEN
        RAISE EXCEPTION 'there is no run %', run USING ERRCODE = 'PH002', HINT = 'perfhouse runs lists them; in SQL run_overview.';
    ELSIF r.rolled_up_at IS NOT NULL THEN
        RETURN QUERY SELECT k.callpath_id, k.metric_id, k.inclusive, k.exclusive FROM perfhouse.profile_sketch k
            WHERE k.run_id = run AND (of_metric IS NULL OR k.metric_id = of_metric);
    ELSIF NOT r.has_iterations THEN
        RETURN QUERY SELECT v.callpath_id, v.metric_id, perfhouse.merge_sketches(perfhouse.sketch(v.inclusive)),
        perfhouse.merge_sketches(perfhouse.sketch(v.exclusive))
            FROM perfhouse.profile_values v WHERE v.run_id = run AND (of_metric IS NULL OR v.metric_id = of_metric) GROUP BY 1, 2;
    ELSE
        RETURN QUERY
        WITH units AS MATERIALIZED (
            SELECT l.location_id, dense_rank() OVER (ORDER BY l.rank, l.thread, l.kind, l.host,
                CASE WHEN l.rank IS NULL THEN l.name END) AS unit
            FROM perfhouse.location l WHERE l.run_id = run),
        cells AS (
            SELECT v.callpath_id, v.metric_id, u.unit,
                   CASE WHEN m.kind <> 2 OR m.combine = 3 THEN sum(x.inclusive) WHEN m.combine = 1 THEN min(x.inclusive)
                        WHEN m.combine = 2 THEN max(x.inclusive) ELSE avg(x.inclusive) END AS inclusive,
                   CASE WHEN m.kind <> 2 OR m.combine = 3 THEN sum(x.exclusive) WHEN m.combine = 1 THEN min(x.exclusive)
                        WHEN m.combine = 2 THEN max(x.exclusive) ELSE avg(x.exclusive) END AS exclusive
            FROM perfhouse.profile_values v JOIN perfhouse.metric m ON m.metric_id = v.metric_id
            CROSS JOIN LATERAL unnest(v.inclusive, v.exclusive) WITH ORDINALITY x (inclusive, exclusive, position)
            JOIN units u ON u.location_id = v.block * 4096 + x.position - 1
            WHERE v.run_id = run AND (of_metric IS NULL OR v.metric_id = of_metric) AND x.inclusive IS NOT NULL
            GROUP BY v.callpath_id, v.metric_id, u.unit, m.kind, m.combine)
        SELECT c.callpath_id, c.metric_id, perfhouse.sketch(array_agg(c.inclusive)), perfhouse.sketch(array_agg(c.exclusive))
        FROM cells c GROUP BY 1, 2;
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse_internal.run_sketches(bigint, int) IS
    'The distribution over its units (iterations summed) of every call path and metric of a run (of_metric: of this '
    'one) as sketches: those that rolling up stored, else made of the vectors, which gives the same. Units without '
    'the call path are not in it. Errors: PH002 when there is no such run.';

-- The metric of a run by name; null: its primary one.
CREATE OR REPLACE FUNCTION perfhouse_internal.run_metric(run bigint, metric text) RETURNS int
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    r record;
    place int := 1;
BEGIN
    SELECT q.metrics, q.metric_ids INTO r FROM perfhouse.run q WHERE q.run_id = run AND q.state = 'ready';
    IF NOT FOUND THEN
        RAISE EXCEPTION 'there is no run %', run USING ERRCODE = 'PH002', HINT = 'perfhouse runs lists them; in SQL run_overview.';
    END IF;
    IF metric IS NOT NULL THEN
        place := array_position(r.metrics, metric);
    END IF;
    IF place IS NULL THEN
        RAISE EXCEPTION 'run % has no metric "%"', run, metric USING ERRCODE = 'PH002',
        HINT = format('Its metrics are %s.', array_to_string(r.metrics, ', '));
    END IF;
    RETURN r.metric_ids[place];
END $$;
COMMENT ON FUNCTION perfhouse_internal.run_metric(bigint, text) IS
    'The metric_id of a run''s metric by name; null: of its primary one. Errors: PH002 when there is no such run or metric.';

CREATE OR REPLACE FUNCTION perfhouse.run_distribution(run bigint, metric text DEFAULT NULL, cost text DEFAULT 'inclusive')
RETURNS TABLE (callpath_id bigint, name text, depth int, n_units int, n int, mean float8, sd float8, min float8, p05 float8,
    lower_quartile float8,
    median float8, upper_quartile float8, p95 float8, max float8, relative_error float8)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    IF cost IS NULL OR cost NOT IN ('inclusive', 'exclusive') THEN
        RAISE EXCEPTION 'unknown cost "%"', cost USING ERRCODE = '22023', HINT = 'cost is inclusive or exclusive.';
    END IF;
    RETURN QUERY
    SELECT k.callpath_id, g.name, c.depth, r.n_units, m.n::int, m.mean * o.factor, m.sd * o.factor, m.min * o.factor, q.q[1] * o.factor,
        q.q[2] * o.factor, q.q[3] * o.factor, q.q[4] * o.factor, q.q[5] * o.factor, m.max * o.factor, m.relative_error
    FROM perfhouse.run r, perfhouse_internal.run_sketches(r.run_id, perfhouse_internal.run_metric(r.run_id, $2)) k
    JOIN perfhouse.metric_overview o ON o.metric_id = k.metric_id
    JOIN perfhouse.callpath c ON c.callpath_id = k.callpath_id JOIN perfhouse.region g ON g.region_id = c.region_id
    CROSS JOIN LATERAL (SELECT CASE cost WHEN 'inclusive' THEN k.inclusive ELSE k.exclusive END AS sketch) s
    CROSS JOIN LATERAL (SELECT (perfhouse.sketch_moments(s.sketch)).n) present
    CROSS JOIN LATERAL perfhouse.sketch_moments(s.sketch, r.n_units - present.n) m
    CROSS JOIN LATERAL (SELECT perfhouse.sketch_quantiles(s.sketch, ARRAY[0.05, 0.25, 0.5, 0.75, 0.95], r.n_units - present.n)) q (q)
    WHERE r.run_id = run AND r.state = 'ready'
    ORDER BY m.mean DESC, k.callpath_id;
    IF NOT FOUND THEN
        PERFORM perfhouse_internal.run_metric(run, metric);
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse.run_distribution(bigint, text, text) IS
    'How the cost of every call path spreads over a run''s units (absent = 0; n: units in all, with the absent): '
    'mean, standard deviation (n - 1), percentiles by linear interpolation; the same before and after the run was '
    'rolled up. relative_error: how far percentiles may be off, relative to the values next to them; 0 (exact) up to '
    '16 units, else 0.005 and more where values spread widely; the other numbers are exact. Sorted by mean. Errors: '
    'PH002 for an unknown run or metric; 22023 for another cost.';

CREATE OR REPLACE FUNCTION perfhouse.run_histogram(run bigint, callpath_id bigint, bins int DEFAULT 20,
    cost text DEFAULT 'inclusive', metric text DEFAULT NULL)
RETURNS TABLE (bin int, low float8, high float8, count bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 20 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    IF cost IS NULL OR cost NOT IN ('inclusive', 'exclusive') THEN
        RAISE EXCEPTION 'unknown cost "%"', cost USING ERRCODE = '22023', HINT = 'cost is inclusive or exclusive.';
    END IF;
    RETURN QUERY
    SELECT h.bin, h.low * o.factor, h.high * o.factor, h.count
    FROM perfhouse.run r, perfhouse_internal.run_sketches(r.run_id, perfhouse_internal.run_metric(r.run_id, $5)) k
    JOIN perfhouse.metric_overview o ON o.metric_id = k.metric_id
    CROSS JOIN LATERAL (SELECT CASE cost WHEN 'inclusive' THEN k.inclusive ELSE k.exclusive END AS sketch) s
    CROSS JOIN LATERAL perfhouse.sketch_histogram(s.sketch, $3, r.n_units - (perfhouse.sketch_moments(s.sketch)).n) h
    WHERE r.run_id = run AND r.state = 'ready' AND k.callpath_id = $2
    ORDER BY h.bin;
    IF NOT FOUND THEN
        PERFORM perfhouse_internal.run_metric(run, metric);
        RAISE EXCEPTION 'run % has no call path %', run, $2 USING ERRCODE = 'PH002', HINT = format('nodes(profile(%s)) lists them.', run);
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse.run_histogram(bigint, bigint, int, text, text) IS
    'Equal bins over [min, max] of a call path''s cost over a run''s units (absent = 0), right-open, the last one '
    'closed: the same before and after the run was rolled up. Of more than 16 units, values may be in a neighbouring '
    'bin when they are within the sketch''s relative error of its bound. Errors: PH002 for an unknown run, metric or '
    'call path; 22023 for fewer than 1 or more than 10000 bins or another cost.';

-- ------------------------------------------------------------------------------------------ rolling up
CREATE OR REPLACE FUNCTION perfhouse.roll_up_run(run bigint) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    r record;
    removed bigint;
BEGIN
    SELECT q.state, q.rolled_up_at, q.application INTO r FROM perfhouse.run q WHERE q.run_id = run FOR UPDATE;
    IF NOT FOUND OR r.state <> 'ready' THEN
        RAISE EXCEPTION 'there is no run %', run USING ERRCODE = 'PH002', HINT = 'perfhouse runs lists them; in SQL run_overview.';
    ELSIF r.rolled_up_at IS NOT NULL THEN
        RETURN 0;
    END IF;
    IF EXISTS (SELECT 1 FROM perfhouse.run_without_summaries w WHERE w.run_id = run) THEN
        PERFORM perfhouse.remake_summaries(run); -- the last time that they can be
    END IF;
    INSERT INTO perfhouse.profile_sketch (run_id, callpath_id, metric_id, inclusive, exclusive, crc)
    SELECT run, k.callpath_id, k.metric_id, k.inclusive, k.exclusive, perfhouse_internal.crc32c(k.inclusive || k.exclusive)
    FROM perfhouse_internal.run_sketches(run) k;
    GET DIAGNOSTICS removed = ROW_COUNT;
    -- nothing goes that is not kept
    IF EXISTS (
        SELECT 1 FROM (SELECT * FROM perfhouse.profile_summary s WHERE s.run_id = run) s
        FULL JOIN (SELECT * FROM perfhouse.profile_sketch k WHERE k.run_id = run) k USING (metric_id, callpath_id)
        WHERE s.n IS DISTINCT FROM (perfhouse.sketch_moments(k.inclusive)).n)
    THEN
        RAISE EXCEPTION 'run % is not sound: its summaries are not those of its vectors', run USING ERRCODE = 'PH001',
            HINT = format('check_run(%s) says more, remake_derived(%1$s) makes summaries anew.', run);
    END IF;
    DELETE FROM perfhouse.value_block v WHERE v.run_id = run;
    DELETE FROM perfhouse.profile_values_1 v WHERE v.run_id = run;
    DELETE FROM perfhouse.derived d WHERE d.run_id = run AND d.kind = 'summaries'; -- cannot be made again
    PERFORM perfhouse_internal.seal_rows(ARRAY[run], '{region_summary}'); -- no values prove it any more
    UPDATE perfhouse.run q SET rolled_up_at = now() WHERE q.run_id = run;
    PERFORM perfhouse_internal.notify_run(run, r.application, 'rolled up');
    RETURN removed;
END $$;
COMMENT ON FUNCTION perfhouse.roll_up_run(bigint) IS
    'Replaces a run''s values per unit (rank, thread, iteration) by their distribution: sums, extremes and moments '
    'stay exact, percentiles nearly so (run_distribution). profile(run) then has one column, the mean over units, and '
    'so the same means; what needs single ranks fails with PH003. Cannot be undone but by loading the run again with '
    '--if-exists replace. Returns how many call paths'' vectors went, 0 when it was rolled up before. Waits for whoever writes to '
    'or removes the run. Errors: PH002 when there is no such run; PH001 when it is not sound, and nothing was changed.';
REVOKE ALL ON FUNCTION perfhouse.roll_up_run(bigint) FROM PUBLIC;

CREATE OR REPLACE FUNCTION perfhouse.drop_trace_events(run bigint) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    r record;
    removed bigint;
BEGIN
    SELECT q.state, q.application INTO r FROM perfhouse.run q WHERE q.run_id = run FOR UPDATE;
    IF NOT FOUND OR r.state <> 'ready' THEN
        RAISE EXCEPTION 'there is no run %', run USING ERRCODE = 'PH002', HINT = 'perfhouse runs lists them; in SQL run_overview.';
    END IF;
    UPDATE perfhouse.trace t SET events_dropped_at = now() WHERE t.run_id = run AND t.events_dropped_at IS NULL;
    IF NOT FOUND THEN
        RETURN 0;
    END IF;
    UPDATE perfhouse.run q SET events_dropped_at = now() WHERE q.run_id = run;
    DELETE FROM perfhouse.trace_chunk c WHERE c.run_id = run;
    GET DIAGNOSTICS removed = ROW_COUNT;
    DELETE FROM perfhouse.message_chunk c WHERE c.run_id = run;
    DELETE FROM perfhouse.launch_chunk c WHERE c.run_id = run;
    DELETE FROM perfhouse.logical_chunk c WHERE c.run_id = run;
    DELETE FROM perfhouse.trace_tile c WHERE c.run_id = run;
    DELETE FROM perfhouse.derived d WHERE d.run_id = run AND d.kind = 'pyramid';
    PERFORM perfhouse_internal.seal_rows(ARRAY[run], '{trace, trace_chunk, message_chunk, launch_chunk, logical_chunk}');
    PERFORM perfhouse_internal.notify_run(run, r.application, 'rolled up');
    RETURN removed;
END $$;
COMMENT ON FUNCTION perfhouse.drop_trace_events(bigint) IS
    'Removes the events, messages, tiles and logical steps of a run''s trace; its profile, phases, definitions and counts '
    'stay. What needs events then fails with PH003. Returns how many chunks went; 0 when there is no trace or its '
    'events were dropped before. Errors: PH002 when there is no such run.';
REVOKE ALL ON FUNCTION perfhouse.drop_trace_events(bigint) FROM PUBLIC;

-- -------------------------------------------------------------------------------------------- policies
CREATE OR REPLACE FUNCTION perfhouse.set_retention(name text, action text, older_than interval, filter text DEFAULT NULL,
    keep_tags text[] DEFAULT NULL, enabled boolean DEFAULT true) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF $2 IS NULL OR $2 NOT IN ('roll up', 'drop trace') THEN
        RAISE EXCEPTION 'unknown action "%" of a retention policy', $2 USING ERRCODE = '22023',
        HINT = 'The actions are: roll up, drop trace.';
    END IF;
    PERFORM perfhouse.run_filter_sql($4);
    INSERT INTO perfhouse.retention_policy AS p (name, action, older_than, filter, keep_tags, enabled)
    VALUES ($1, $2, $3, $4, coalesce($5, '{keep,baseline}'), $6)
    ON CONFLICT ON CONSTRAINT retention_policy_pkey DO UPDATE SET action = excluded.action, older_than = excluded.older_than,
    filter = excluded.filter,
        keep_tags = excluded.keep_tags, enabled = excluded.enabled, set_by = excluded.set_by, set_at = excluded.set_at;
END $$;
COMMENT ON FUNCTION perfhouse.set_retention(text, text, interval, text, text[], boolean) IS
    'Makes or changes a retention policy: action roll up (roll_up_run) or drop trace (drop_trace_events) for runs '
    'that were loaded longer ago than older_than and that the run filter selects (null: all). Runs with a tag of '
    'keep_tags (null: keep, baseline) and runs of commits that are baselines are left alone. Errors: 22023 for '
    'another action or what is not a filter.';
REVOKE ALL ON FUNCTION perfhouse.set_retention(text, text, interval, text, text[], boolean) FROM PUBLIC;

CREATE OR REPLACE FUNCTION perfhouse_internal.run_matches(run bigint, filter text) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    f record := perfhouse.run_filter_sql(filter);
    holds boolean;
BEGIN
    EXECUTE format('SELECT EXISTS (SELECT FROM perfhouse.run_overview r WHERE r.run_id = $2 AND (%s))', f.predicate)
        INTO holds USING f.arguments, run;
    RETURN holds;
END $$;
COMMENT ON FUNCTION perfhouse_internal.run_matches(bigint, text) IS
    'Whether a run filter holds for a ready run, which is all that is read. Errors: 22023 for what is not a filter.';

CREATE OR REPLACE FUNCTION perfhouse_internal.runs_due(of_policy text, of_run bigint)
RETURNS TABLE (policy text, action text, run_id bigint, application text, title text, loaded_at timestamptz)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    p perfhouse.retention_policy;
BEGIN
    FOR p IN SELECT * FROM perfhouse.retention_policy q WHERE q.enabled AND (of_policy IS NULL OR q.name = of_policy) ORDER BY q.name LOOP
        RETURN QUERY
        SELECT p.name, p.action, r.run_id, r.application, r.title, r.loaded_at
        FROM perfhouse.run r
        WHERE (of_run IS NULL OR r.run_id = of_run)
          AND r.state = 'ready' AND r.loaded_at < now() - p.older_than AND NOT r.tags && p.keep_tags
          AND CASE p.action WHEN 'roll up' THEN r.rolled_up_at IS NULL AND r.n_columns > 1
                            ELSE r.n_events IS NOT NULL AND r.events_dropped_at IS NULL END
          AND (p.filter IS NULL OR CASE WHEN of_run IS NULL THEN r.run_id IN (SELECT perfhouse.runs_matching(p.filter))
                                        ELSE perfhouse_internal.run_matches(r.run_id, p.filter) END)
          AND NOT EXISTS (
              SELECT FROM perfhouse.baseline b
              WHERE b.application = r.application AND (starts_with(b.commit_id, r.commit_id) OR starts_with(r.commit_id, b.commit_id)))
        ORDER BY r.run_id;
    END LOOP;
END $$;
COMMENT ON FUNCTION perfhouse_internal.runs_due(text, bigint) IS
    'What an enabled policy (null: each) asks for now, of one run or (null) of all: a row per policy and run.';

CREATE OR REPLACE FUNCTION perfhouse.retention_due(of_policy text DEFAULT NULL)
RETURNS TABLE (policy text, action text, run_id bigint, application text, title text, loaded_at timestamptz)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT * FROM perfhouse_internal.runs_due(of_policy, NULL);
END $$;
COMMENT ON FUNCTION perfhouse.retention_due(text) IS
    'What apply_retention() would do now, for all enabled policies or one: a row per policy and run.';

-- The list of runs is read once and takes hours to work off: what it says of a run holds no longer than until somebody replaces or
-- tags it. Behind the lock its row is read again, as the last one who wrote it left it.
CREATE OR REPLACE FUNCTION perfhouse_internal.apply_policy(of_policy text, run bigint) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    asked text;
BEGIN
    PERFORM 1 FROM perfhouse.run r WHERE r.run_id = run FOR UPDATE;
    SELECT d.action INTO asked FROM perfhouse_internal.runs_due(of_policy, run) d;
    RETURN CASE asked WHEN 'roll up' THEN perfhouse.roll_up_run(run) WHEN 'drop trace' THEN perfhouse.drop_trace_events(run) END;
END $$;
COMMENT ON FUNCTION perfhouse_internal.apply_policy(text, bigint) IS
    'Does with a run what a retention policy asks for, when it still does: how many rows went; null: the run is gone, or by now younger, '
    'kept by a tag or a baseline, or done. Waits for whoever writes to the run. Errors: as roll_up_run.';

CREATE OR REPLACE FUNCTION perfhouse.apply_retention(dry_run boolean DEFAULT false, of_policy text DEFAULT NULL)
RETURNS TABLE (policy text, action text, run_id bigint, application text, title text, rows_removed bigint)
LANGUAGE plpgsql ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    FOR policy, action, run_id, application, title IN
        SELECT d.policy, d.action, d.run_id, d.application, d.title FROM perfhouse.retention_due(of_policy) d ORDER BY d.run_id, d.policy
    LOOP
        rows_removed := CASE WHEN dry_run THEN NULL ELSE perfhouse_internal.apply_policy(policy, run_id) END;
        CONTINUE WHEN rows_removed IS NULL AND NOT coalesce(dry_run, false);
        RETURN NEXT;
    END LOOP;
    IF NOT coalesce(dry_run, false) THEN
        PERFORM perfhouse_internal.unused_trees(true);
        PERFORM perfhouse.refresh_months();
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse.apply_retention(boolean, text) IS
    'Does what the enabled retention policies (or one) ask for, in the caller''s transaction, and says what: a row '
    'per policy and run; runs that a policy does not concern any more when it is their turn are left out. dry_run: only '
    'says it. Call trees that no run has used for a day go, too, and months are rolled '
    'up (refresh_months). perfhouse retention apply does the same with a transaction per run.';
REVOKE ALL ON FUNCTION perfhouse.apply_retention(boolean, text) FROM PUBLIC;
