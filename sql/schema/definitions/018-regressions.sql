-- 018-regressions.sql - changes for the worse, kept with what people decided; what explains them; what to measure next.

CREATE OR REPLACE FUNCTION perfhouse.regression_rules(OUT placing_error float8, OUT largest_blur float8,
    OUT explained_share float8, OUT fixed_share float8, OUT min_hosts int, OUT slow_node_z float8, OUT deviations_per_mad float8)
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT 40, 0.25, 0.75, 0.5, 4, 3, 1.4826
$$;
COMMENT ON FUNCTION perfhouse.regression_rules() IS
    'The numbers that regressions and slow nodes are judged by. A change can be placed to placing_error * (deviation / '
    'change)^2 runs, and to largest_blur of the shorter level at worst. Callees that make up explained_share of a path''s '
    'change explain it. A later change for the better of fixed_share closes a regression. Hosts are compared in runs of '
    'min_hosts or more; from slow_node_z robust standard deviations on a host is slow. deviations_per_mad: what times the '
    'median absolute deviation is the standard deviation, of normally distributed values.';

-- ------------------------------------------------------------------------------------------- finding
-- Change points of call paths for the worse, without those whose change their own callees explain.
CREATE OR REPLACE FUNCTION perfhouse.find_regressions(application text, metric text DEFAULT 'time', max_p_value float8 DEFAULT NULL,
    max_q_value float8 DEFAULT 0.05, min_magnitude float8 DEFAULT 0)
RETURNS TABLE (n_ranks int, n_threads int, cluster text, metric_id int, callpath_id bigint, path text, commit_id text,
    previous_commit_id text, run_id bigint, mean_before float8, mean_after float8, own_change float8, total_change float8,
    p_value float8, q_value float8, n_before int, n_after int, lost_node_hours float8, experiment text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
    WITH history AS MATERIALIZED (SELECT * FROM perfhouse.history_runs($1, perfhouse_internal.require_stored($1, $2))),
    points AS MATERIALIZED (
        SELECT c.*, h.commit_no,
               -- a weak change is placed less exactly
               least(ceil(k.placing_error * (c.sd_before / (c.mean_after - c.mean_before)) ^ 2),
                     ceil(k.largest_blur * least(c.n_before, c.n_after))) AS blur,
               (c.mean_after - c.mean_before) * CASE WHEN m.better = 1 THEN -1 ELSE 1 END AS worse
        FROM perfhouse.change_points($1, $2, 'path', NULL, 'default', $3, $4, $5) c
        CROSS JOIN perfhouse.regression_rules() k
        JOIN history h ON h.run_id = c.run_id AND h.series = c.series
        JOIN perfhouse.metric m ON m.metric_id = c.metric_id),
    slower AS MATERIALIZED (SELECT * FROM points WHERE worse > 0),
    aliased AS MATERIALIZED (SELECT * FROM perfhouse_internal.aliased_callpaths($1)),
    -- every call path's change between the same runs: a path's change is its own and its callees'
    changes AS MATERIALIZED (
        SELECT s.callpath_id, s.series, s.index, k.callpath_id AS part, coalesce(a.parent_key, k.parent_id) AS parent_id, w.change
        FROM slower s
        JOIN perfhouse.history_series($1, $2, 'path') v ON v.series = s.series
        JOIN perfhouse.callpath k ON k.callpath_id = v.key::bigint
        LEFT JOIN aliased a ON a.callpath_id = k.callpath_id
        CROSS JOIN LATERAL (
            SELECT avg(x.value ORDER BY x.place) FILTER (WHERE x.place > s.index)
                - avg(x.value ORDER BY x.place) FILTER (WHERE x.place <= s.index) AS change
            FROM unnest(v."values"[s.index - s.n_before + 1 : s.index + s.n_after]) WITH ORDINALITY y (value, nth),
                 LATERAL (SELECT y.value, y.nth + s.index - s.n_before AS place) x) w
        WHERE coalesce(a.parent_key, k.parent_id) = s.callpath_id OR k.parent_id IS NULL),
    -- the change of all callees, and of those that changed at the same place
    explained AS (
        SELECT s.callpath_id, s.series, s.index,
               coalesce(sum(c.change ORDER BY c.part) FILTER (WHERE c.parent_id = s.callpath_id), 0) AS callees,
               coalesce(sum(c.change ORDER BY c.part) FILTER (WHERE c.parent_id = s.callpath_id AND EXISTS (
                   SELECT FROM slower t
                   WHERE t.callpath_id = c.part AND t.series = s.series
                     AND (abs(t.commit_no - s.commit_no) <= 1 OR abs(t.index - s.index) <= s.blur))), 0) AS found,
               sum(c.change ORDER BY c.part) FILTER (WHERE c.parent_id IS NULL) AS total
        FROM slower s
        LEFT JOIN changes c USING (callpath_id, series, index)
        GROUP BY 1, 2, 3)
    SELECT s.n_ranks, s.n_threads, s.cluster, s.metric_id, s.callpath_id, s.path, s.commit_id, s.previous_commit_id, s.run_id,
           s.mean_before, s.mean_after, s.mean_after - s.mean_before - e.callees, e.total, s.p_value, s.q_value, s.n_before, s.n_after,
           s.worse * perfhouse.seconds_of(s.unit) / 3600 * (
               SELECT sum(perfhouse.nodes_of(h.run_id)) FROM history h
               WHERE h.series = s.series AND h.place >= s.index AND h.place < s.index + s.n_after), s.experiment
    FROM slower s
    CROSS JOIN perfhouse.regression_rules() k
    JOIN explained e USING (callpath_id, series, index)
    WHERE abs(e.found) < k.explained_share * s.worse
    ORDER BY s.series, s.index, s.worse DESC, s.callpath_id
$$;
COMMENT ON FUNCTION perfhouse.find_regressions(text, text, float8, float8, float8) IS
    'Where an application became slower along its history: the smallest subtrees that explain it. A call path is left '
    'out when those of its callees that changed at the same place (a measured commit more or less, or as near as the '
    'change can be placed in its noise) make up three quarters of its change. own_change is the path''s change '
    'without its callees'', total_change the whole program''s between the same runs. update_regressions() keeps the '
    'result. Errors: 22023 for a derived metric (define_metric), of which a path''s change is not the sum of its callees'': '
    'change_points tells where it changes.';

-- The order of history_runs. Runs that are being removed are not ready any more, so that the run's own row says where it was; of a
-- run that is gone its commit and condition do.
CREATE OR REPLACE FUNCTION perfhouse_internal.next_run_of_level(regression bigint) RETURNS bigint
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    g record;
BEGIN
    SELECT r.application, r.run_id, r.commit_id, r.n_ranks, r.n_threads, r.cluster, o.run_id IS NULL AS is_gone, m.name AS metric,
        perfhouse_internal.first_metric(r.metric_id) AS metric_id, c."position",
        coalesce(o.started_at, o.loaded_at, '-infinity') AS measured_at,
        perfhouse_internal.experiment_of(o.run_id, o.default_experiment, a.keys) AS experiment INTO g
    FROM perfhouse.regression r
    JOIN perfhouse.metric m ON m.metric_id = r.metric_id
    LEFT JOIN perfhouse.run o ON o.run_id = r.run_id
    LEFT JOIN perfhouse.application a ON a.application = o.application
    LEFT JOIN LATERAL (SELECT min(k."position") AS "position" FROM perfhouse.commit k WHERE k.commit_id = r.commit_id) c ON true
    WHERE r.regression_id = regression;
    RETURN (
        SELECT h.run_id FROM perfhouse.run_history h
        WHERE h.application = g.application AND h.excluded_reason IS NULL AND h.run_id <> g.run_id
          AND CASE WHEN g.is_gone THEN (h.n_ranks, h.n_threads, h.cluster) IS NOT DISTINCT FROM (g.n_ranks, g.n_threads, g.cluster)
                       AND (g."position" IS NOT NULL OR h.run_id > g.run_id)
              ELSE h.experiment = g.experiment END
          AND perfhouse_internal.first_metric(
              perfhouse_internal.metric_asked(h.metrics, h.metric_ids, h.primary_metric_id, g.metric)) = g.metric_id
          AND (coalesce(h."position", 2147483647), CASE WHEN h."position" IS NULL THEN h.measured_at ELSE '-infinity' END,
               coalesce(h.commit_id, '~') COLLATE "C", h.measured_at, h.run_id)
            > (coalesce(g."position", 2147483647), CASE WHEN g."position" IS NULL THEN g.measured_at ELSE '-infinity' END,
               coalesce(g.commit_id, '~') COLLATE "C", g.measured_at, g.run_id)
        ORDER BY h."position", CASE WHEN h."position" IS NULL THEN h.measured_at END, h.commit_id COLLATE "C", h.measured_at, h.run_id
        LIMIT 1);
END $$;
COMMENT ON FUNCTION perfhouse_internal.next_run_of_level(bigint) IS
    'The run that follows the first one of a regression''s new level in its series; null: there is none.';

-- Two that begin with the same run then are one: what people decided stays.
CREATE OR REPLACE FUNCTION perfhouse_internal.move_regression(regression bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    next_run bigint := perfhouse_internal.next_run_of_level(regression);
    other record;
BEGIN
    SELECT o.regression_id, o.state = 'new' OR o.by_search AS is_open, g.state = 'new' OR g.by_search AS was_open INTO other
    FROM perfhouse.regression g JOIN perfhouse.regression o ON o.application = g.application AND o.metric_id = g.metric_id
        AND o.callpath_id = g.callpath_id AND o.run_id = next_run
        AND (o.n_ranks, o.n_threads, o.cluster) IS NOT DISTINCT FROM (g.n_ranks, g.n_threads, g.cluster)
    WHERE g.regression_id = regression;
    IF next_run IS NULL OR FOUND AND NOT other.is_open AND NOT other.was_open THEN
        RETURN;
    ELSIF FOUND AND other.was_open THEN
        DELETE FROM perfhouse.regression g WHERE g.regression_id = regression;
        RETURN;
    ELSIF FOUND THEN
        DELETE FROM perfhouse.regression o WHERE o.regression_id = other.regression_id;
    END IF;
    UPDATE perfhouse.regression g SET run_id = next_run WHERE g.regression_id = regression;
END $$;
COMMENT ON FUNCTION perfhouse_internal.move_regression(bigint) IS
    'The first run of a regression''s new level does not count any more: it begins with the next one. Where there is none it stays.';

CREATE OR REPLACE FUNCTION perfhouse.update_regressions(of_application text DEFAULT NULL)
RETURNS TABLE (regression_id bigint, application text, path text, commit_id text, event text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    app record;
    f record;
    known bigint;
    reopened boolean;
    seen bigint[];
    searched text := perfhouse_internal.search_scope();
    sees_all boolean := NOT perfhouse_internal.projects_enabled(); -- as everybody does
    seen_as text := CASE searched WHEN '' THEN '' ELSE md5(searched) END; -- others need not know whose projects these are
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('perfhouse regressions', 0));
    PERFORM perfhouse.refresh_noise($1);
    FOR app IN
        SELECT h.application, count(*) AS runs,
               md5(string_agg(concat_ws(' ', h.run_id, h."position", h.excluded_reason IS NULL, h.experiment,
                                        h.measured_at), ',' ORDER BY h.run_id)
                   || perfhouse.aliases_of(h.application)) AS fingerprint
        FROM perfhouse.run_history h
        WHERE h.application IS NOT NULL AND ($1 IS NULL OR h.application = $1)
        GROUP BY 1
        ORDER BY 1
    LOOP
        CONTINUE WHEN EXISTS (SELECT FROM perfhouse.regression_watch w WHERE w.application = app.application
            AND w.scope = searched AND w.fingerprint = app.fingerprint);
        seen := '{}';
        -- runs that were excluded, or went when a session did not see what had been found in them
        PERFORM perfhouse_internal.move_regression(r.regression_id)
        FROM (SELECT g.regression_id FROM perfhouse.regression g
              WHERE g.application = app.application AND NOT EXISTS (
                  SELECT FROM perfhouse.run q WHERE q.run_id = g.run_id AND q.state = 'ready' AND q.excluded_reason IS NULL)
              ORDER BY 1) r;
        FOR f IN SELECT * FROM perfhouse.find_regressions(app.application) LOOP
            -- with more runs the same change may be seen a measured commit earlier or later
            WITH history AS MATERIALIZED (SELECT * FROM perfhouse.history_runs(app.application))
            SELECT r.regression_id, r.state = 'ignored' AND r.by_search INTO known, reopened
            FROM perfhouse.regression r
            JOIN history old ON old.run_id = r.run_id
            JOIN history new ON new.run_id = f.run_id AND new.series = old.series
            WHERE r.application = app.application AND r.callpath_id = f.callpath_id AND r.metric_id = f.metric_id
              AND abs(old.commit_no - new.commit_no) <= 1
            ORDER BY abs(old.place - new.place), r.regression_id
            LIMIT 1;
            IF known IS NOT NULL THEN
                UPDATE perfhouse.regression r SET commit_id = f.commit_id, previous_commit_id = f.previous_commit_id, run_id = f.run_id,
                    mean_before = f.mean_before, mean_after = f.mean_after, own_change = f.own_change, total_change = f.total_change,
                    p_value = f.p_value, q_value = f.q_value, n_before = f.n_before, n_after = f.n_after,
                    lost_node_hours = f.lost_node_hours,
                    scope = CASE WHEN seen_as = '' OR reopened THEN seen_as ELSE r.scope END
                WHERE r.regression_id = known;
                seen := seen || known;
                CONTINUE WHEN NOT reopened; -- what people decided stays
                UPDATE perfhouse.regression r SET state = 'new', reason = NULL, by_search = false, changed_by = current_user,
                    changed_at = now()
                WHERE r.regression_id = known
                RETURNING r.regression_id, r.application, r.path, r.commit_id, 'new' INTO regression_id, application, path,
                commit_id, event;
            ELSE
                INSERT INTO perfhouse.regression AS r (application, n_ranks, n_threads, cluster, metric_id, callpath_id, path, commit_id,
                    previous_commit_id, run_id, mean_before, mean_after, own_change, total_change, p_value, q_value, n_before,
                        n_after, lost_node_hours, scope)
                VALUES (app.application, f.n_ranks, f.n_threads, f.cluster, f.metric_id, f.callpath_id, f.path, f.commit_id,
                    f.previous_commit_id, f.run_id, f.mean_before, f.mean_after, f.own_change, f.total_change, f.p_value, f.q_value,
                    f.n_before, f.n_after, f.lost_node_hours, seen_as)
                RETURNING r.regression_id, r.application, r.path, r.commit_id, 'new' INTO regression_id, application, path,
                commit_id, event;
                seen := seen || regression_id;
            END IF;
            -- anyone may listen: with projects he is told that there is something to look up
            PERFORM pg_notify('perfhouse_regression', CASE WHEN perfhouse_internal.projects_enabled()
                THEN json_build_object('regression', regression_id)
                ELSE json_build_object('regression', regression_id, 'application', application, 'path', left(path, 1000),
                    'commit', commit_id, 'before', f.mean_before, 'after', f.mean_after) END::text);
            RETURN NEXT;
        END LOOP;
        -- seen before, not any more, and nobody has looked at it; who sees other runs sees other noise
        FOR regression_id, application, path, commit_id IN
            UPDATE perfhouse.regression r SET state = 'ignored', by_search = true, changed_by = current_user, changed_at = now(),
                reason = format('with %s runs it is no longer told from noise', app.runs)
            WHERE r.application = app.application AND r.state = 'new' AND (sees_all OR r.scope = seen_as)
                AND r.regression_id <> ALL (seen)
            RETURNING r.regression_id, r.application, r.path, r.commit_id
        LOOP
            event := 'gone';
            RETURN NEXT;
        END LOOP;
        -- a later change for the better that is large enough; looked up before the update, which nodes make without functions
        FOR f IN
            WITH history AS MATERIALIZED (SELECT * FROM perfhouse.history_runs(app.application))
            SELECT DISTINCT ON (r.regression_id) r.regression_id, coalesce(c.commit_id, 'run ' || c.run_id) AS since
            FROM perfhouse.regression r
            JOIN perfhouse.change_points(app.application, 'time', 'path') c ON c.callpath_id = r.callpath_id
            CROSS JOIN perfhouse.regression_rules() k
            JOIN history later ON later.run_id = c.run_id
            JOIN history first ON first.run_id = r.run_id AND first.series = later.series AND first.place < later.place
            WHERE r.application = app.application AND r.state IN ('new', 'active')
              AND (c.mean_before - c.mean_after) / (r.mean_after - r.mean_before) >= k.fixed_share
            ORDER BY r.regression_id, later.place
        LOOP
            UPDATE perfhouse.regression r SET state = 'fixed', by_search = true, changed_by = current_user, changed_at = now(),
                reason = 'faster again with ' || f.since
            WHERE r.regression_id = f.regression_id
            RETURNING r.regression_id, r.application, r.path, r.commit_id INTO regression_id, application, path, commit_id;
            event := 'fixed';
            RETURN NEXT;
        END LOOP;
        INSERT INTO perfhouse.regression_watch AS w (application, scope, runs, fingerprint)
        VALUES (app.application, searched, app.runs, app.fingerprint)
        ON CONFLICT (application, scope) DO UPDATE SET runs = excluded.runs, fingerprint = excluded.fingerprint,
            searched_at = excluded.searched_at;
    END LOOP;
    -- every load ends here: a month is not rolled up anew for each of its runs
    PERFORM perfhouse.refresh_months($1, 0.125);
END $$;
COMMENT ON FUNCTION perfhouse.update_regressions(text) IS
    'Brings perfhouse.regression up to date for one application or all, and says what happened: event new, gone '
    '(never looked at, and with more runs no longer told from noise: ignored until it is) or fixed (faster again by half or '
    'more). Applications whose runs and commits are as they were are not searched again. NOTIFY perfhouse_regression '
    'with JSON for every new one. Decisions of people stay, also when the first run that had it is excluded or removed. With '
    'projects a search makes nothing gone that was found by one that saw other runs.';
REVOKE ALL ON FUNCTION perfhouse.update_regressions(text) FROM PUBLIC;

CREATE OR REPLACE FUNCTION perfhouse.set_regression(id bigint, state text, reason text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF $2 IS NULL OR $2 NOT IN ('new', 'active', 'ignored', 'fixed') THEN
        RAISE EXCEPTION 'unknown state "%" of a regression', $2 USING ERRCODE = '22023',
        HINT = 'The states are new, active, ignored and fixed.';
    END IF;
    UPDATE perfhouse.regression r SET state = $2, reason = $3, by_search = false, changed_by = current_user, changed_at = now()
    WHERE r.regression_id = id;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no regression %', id USING ERRCODE = 'PH002';
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse.set_regression(bigint, text, text) IS
    'What people decide about a regression: active (known, open), ignored or fixed, with a reason; who and when are '
    'noted. Errors: 22023 for another state, PH002 for an unknown regression.';
REVOKE ALL ON FUNCTION perfhouse.set_regression(bigint, text, text) FROM PUBLIC;

-- ---------------------------------------------------------------------------------------- explaining
-- The runs of a regression's two levels.
CREATE OR REPLACE FUNCTION perfhouse.regression_runs(id bigint) RETURNS TABLE (run_id bigint, is_after boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    r record;
BEGIN
    SELECT g.*, m.name AS metric INTO r FROM perfhouse.regression g JOIN perfhouse.metric m USING (metric_id) WHERE g.regression_id = id;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no regression %', id USING ERRCODE = 'PH002', HINT = 'perfhouse regressions lists them.';
    END IF;
    RETURN QUERY
    WITH h AS MATERIALIZED (SELECT * FROM perfhouse.history_runs(r.application, r.metric))
    SELECT h.run_id, h.place >= f.place FROM h JOIN h f ON f.run_id = r.run_id AND f.series = h.series
    WHERE h.place >= f.place - r.n_before AND h.place < f.place + r.n_after ORDER BY h.place;
END $$;
COMMENT ON FUNCTION perfhouse.regression_runs(bigint) IS
    'The runs before and after a regression, in order. Errors: PH002 for an unknown regression.';

CREATE OR REPLACE FUNCTION perfhouse.regression_parts(id bigint)
RETURNS TABLE (part text, mean_before float8, mean_after float8, change float8, share float8, callpath_id bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
    WITH g AS (SELECT * FROM perfhouse.regression WHERE regression_id = id),
    runs AS MATERIALIZED ( -- within a run the name of a metric is one
        SELECT q.run_id, q.is_after, m.metric_id, m.factor
        FROM perfhouse.regression_runs(id) q JOIN perfhouse.run r USING (run_id)
        JOIN perfhouse.metric_overview m ON m.metric_id = r.metric_ids[array_position(r.metrics,
            (SELECT n.name FROM g JOIN perfhouse.metric n USING (metric_id)))]),
    n AS (SELECT count(*) FILTER (WHERE NOT is_after) AS before, count(*) FILTER (WHERE is_after) AS after FROM runs),
    aliased AS MATERIALIZED (SELECT a.* FROM g, perfhouse_internal.aliased_callpaths(g.application) a),
    stored AS (
        SELECT k.callpath_id, k.callpath_id AS key FROM g JOIN perfhouse.callpath k ON k.callpath_id = g.callpath_id
            OR k.parent_id = g.callpath_id
        WHERE NOT EXISTS (SELECT FROM aliased a WHERE a.callpath_id = k.callpath_id)
        UNION SELECT a.callpath_id, a.key FROM g JOIN aliased a ON a.key = g.callpath_id OR a.parent_key = g.callpath_id),
    cells AS NOT MATERIALIZED (
        SELECT t.key AS callpath_id, t.key = g.callpath_id AS is_top, d.name,
               coalesce(sum(s.inclusive_sum * r.factor / s.n_units ORDER BY s.run_id, s.callpath_id) FILTER (WHERE NOT r.is_after), 0)
                   / min(n.before) AS before,
               coalesce(sum(s.inclusive_sum * r.factor / s.n_units ORDER BY s.run_id, s.callpath_id) FILTER (WHERE r.is_after), 0)
                   / min(n.after) AS after
        FROM g CROSS JOIN n CROSS JOIN stored t JOIN perfhouse.callpath k ON k.callpath_id = t.key
        JOIN perfhouse.region d USING (region_id)
        JOIN perfhouse_internal.run_sums(ARRAY(SELECT r.run_id FROM runs r), ARRAY(SELECT r.metric_id FROM runs r),
            ARRAY(SELECT t.callpath_id FROM stored t)) s ON s.callpath_id = t.callpath_id
        JOIN runs r ON r.run_id = s.run_id AND r.metric_id = s.metric_id
        GROUP BY 1, 2, 3),
    parts AS (
        SELECT c.name AS part, c.before, c.after, c.callpath_id FROM cells c WHERE NOT c.is_top
        UNION ALL
        SELECT '(own)', sum(CASE WHEN c.is_top THEN c.before ELSE -c.before END ORDER BY c.callpath_id),
            sum(CASE WHEN c.is_top THEN c.after ELSE -c.after END ORDER BY c.callpath_id), min(c.callpath_id) FILTER (WHERE c.is_top)
        FROM cells c HAVING count(*) > 0)
    SELECT p.part, p.before, p.after, p.after - p.before, (p.after - p.before) / nullif(sum(p.after - p.before) OVER (), 0), p.callpath_id
    FROM parts p WHERE (SELECT count(*) FROM runs) >= 0 -- asked first, so that what is no regression is refused
    ORDER BY abs(p.after - p.before) DESC, p.callpath_id
$$;
COMMENT ON FUNCTION perfhouse.regression_parts(bigint) IS
    'What a regression''s change consists of: the path''s own cost and each callee''s; the parts add up to the '
    'path''s change. Errors: PH002 for an unknown regression.';

-- Leave-one-out: how much better the side of a run is guessed from those of the other runs with its value.
CREATE OR REPLACE FUNCTION perfhouse.explain_change(change_id bigint)
RETURNS TABLE (key text, before_values text, after_values text, bits float8)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 20 SET search_path = pg_catalog, pg_temp AS $$
    WITH runs AS MATERIALIZED (
        SELECT q.is_after, h.* FROM perfhouse.regression_runs(change_id) q JOIN perfhouse.run h USING (run_id)),
    facts AS (
        SELECT r.run_id, r.is_after, e.key, coalesce(e.value, '(none)') AS value FROM runs r, jsonb_each_text(r.meta) e
        WHERE e.key NOT IN ('branch', 'user', 'format', 'commit', 'hosts', 'tags') -- these follow
          AND NOT starts_with(e.key, 'source_unit.') -- of runs of older releases the unit is that of the metric
        UNION ALL
        SELECT r.run_id, r.is_after, c.key, coalesce(c.value, '(none)') FROM runs r,
            LATERAL (VALUES ('branch', r.branch), ('user', r.user_name), ('format', r.format), ('commit', left(r.commit_id, 9)),
                            ('hosts', (SELECT string_agg(DISTINCT l.host, ' ' ORDER BY l.host) FROM perfhouse.location l
                                WHERE l.run_id = r.run_id)),
                            ('tags', array_to_string(r.tags, ' '))) c (key, value)),
    keys AS (SELECT DISTINCT f.key FROM facts f),
    complete AS (
        SELECT k.key, r.run_id, r.is_after, coalesce(f.value, '(none)') AS value
        FROM keys k CROSS JOIN runs r LEFT JOIN facts f ON f.key = k.key AND f.run_id = r.run_id),
    counted AS (
        SELECT c.*, count(*) OVER (PARTITION BY c.key, c.value) AS with_value,
            count(*) OVER (PARTITION BY c.key, c.value, c.is_after) AS with_both,
               (count(*) OVER (PARTITION BY c.key, c.is_after))::float8 / count(*) OVER (PARTITION BY c.key) AS share
        FROM complete c),
    gain AS (
        SELECT c.key, avg(log(2, ((c.with_both - 1 + c.share) / c.with_value)::numeric) - log(2, c.share::numeric))::float8 AS bits
        FROM counted c GROUP BY c.key HAVING count(DISTINCT c.value) > 1),
    -- the three commonest values of a side, then dots
    shown AS (
        SELECT v.key, v.is_after, string_agg(
                   CASE WHEN v.nth <= 3 THEN left(v.value, 60) || ' ' || round(100 * v.n / v.total) || ' %' WHEN v.nth = 4 THEN '...' END,
                   ', ' ORDER BY v.nth) AS text
        FROM (SELECT c.key, c.is_after, c.value, count(*) AS n, sum(count(*)) OVER (PARTITION BY c.key, c.is_after) AS total,
                     row_number() OVER (PARTITION BY c.key, c.is_after ORDER BY count(*) DESC, c.value) AS nth
              FROM complete c
              GROUP BY 1, 2, 3) v
        GROUP BY 1, 2)
    SELECT g.key, b.text, a.text, greatest(g.bits, 0) FROM gain g
    LEFT JOIN shown b ON b.key = g.key AND NOT b.is_after LEFT JOIN shown a ON a.key = g.key AND a.is_after
    WHERE g.key <> 'commit' OR g.bits > 0
    ORDER BY greatest(g.bits, 0) DESC, g.key
$$;
COMMENT ON FUNCTION perfhouse.explain_change(bigint) IS
    'Which metadata tells the runs after a regression from those before: per key the values on both sides with their '
    'shares, and the information in bits (leave-one-out, so that a key that differs in every run has none; 1 at most '
    'where both sides have as many runs). Keys with one value are left out. Errors: PH002 for an unknown regression.';

-- ----------------------------------------------------------------------------------------- comparing
CREATE OR REPLACE FUNCTION perfhouse.compare_commits(application text, a text, b text, by text DEFAULT 'total', margin float8 DEFAULT 0.02,
    metric text DEFAULT 'time', filter text DEFAULT NULL, min_runs int DEFAULT 3, cost text DEFAULT NULL)
RETURNS TABLE (path text, n_ranks int, n_threads int, cluster text, n_a int, n_b int, mean_a float8, mean_b float8, difference float8,
    relative float8, low float8, high float8, p_value float8, q_value float8, verdict text, runs_needed int, unit text, experiment text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 20 SET search_path = pg_catalog, pg_temp AS $$
    WITH sides AS MATERIALIZED (SELECT perfhouse.find_commit($2) AS a, perfhouse.find_commit($3) AS b),
    runs AS MATERIALIZED (SELECT * FROM perfhouse.history_runs($1, $6, $7)),
    cut AS (
        SELECT s.key, s.series, min(r.n_ranks) AS n_ranks, min(r.n_threads) AS n_threads, min(r.cluster) AS cluster,
            min(r.unit) AS unit, min(r.experiment) AS experiment,
               coalesce(array_agg(s."values"[r.place + 1] ORDER BY r.place) FILTER (WHERE r.commit_id = k.a), '{}') AS a,
               coalesce(array_agg(s."values"[r.place + 1] ORDER BY r.place) FILTER (WHERE r.commit_id = k.b), '{}') AS b
        FROM sides k CROSS JOIN perfhouse.history_series($1, $6, $4, $7, $9) s JOIN runs r ON r.series = s.series
            AND r.commit_id IN (k.a, k.b)
        GROUP BY 1, 2),
    tested AS (
        SELECT c.*, t.*, row_number() OVER (ORDER BY c.series, c.key) AS number
        FROM cut c, perfhouse.repeat_test(c.a, c.b, $5, $8) t WHERE cardinality(c.a) > 0 AND cardinality(c.b) > 0),
    rates AS (
        SELECT q.q, q.number FROM (
            SELECT perfhouse.false_discovery_rates(array_agg(t.p_value ORDER BY t.number) FILTER (WHERE t.p_value IS NOT NULL)) AS rates,
                   array_agg(t.number ORDER BY t.number) FILTER (WHERE t.p_value IS NOT NULL) AS numbers FROM tested t) r,
            unnest(r.rates, r.numbers) q (q, number))
    SELECT CASE WHEN $4 = 'path' THEN perfhouse.call_path_text(t.key::bigint) ELSE t.key END, t.n_ranks, t.n_threads, t.cluster,
        t.n_a, t.n_b,
           t.mean_a, t.mean_b, t.difference, t.relative, t.low, t.high, t.p_value, q.q, t.verdict, t.runs_needed, t.unit, t.experiment
    FROM tested t LEFT JOIN rates q USING (number)
    ORDER BY abs(t.difference) DESC, t.series, t.key
$$;
COMMENT ON FUNCTION perfhouse.compare_commits(text, text, text, text, float8, text, text, int, text) IS
    'Whether two commits (hashes, beginnings, branches, tags, merge_base(...)) differ, under each condition that both '
    'were measured in: verdict same (the 95 % interval of the difference lies within margin of A), different (it '
    'excludes 0 and the difference is beyond margin) or unknown; runs_needed: how many runs a side would settle it, '
    'null when that cannot be said. by: total, function, module, path; with many rows look at q_value too. filter: a '
    'run filter. Errors: PH002 for an unknown commit.';

CREATE OR REPLACE FUNCTION perfhouse.next_commit(application text, metric text DEFAULT 'time', good text DEFAULT NULL,
    bad text DEFAULT NULL)
RETURNS TABLE (commit_id text, expected_bits float8, subject text, "position" int, n_candidates int)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
    WITH RECURSIVE latest AS (
        SELECT r.previous_commit_id, r.commit_id FROM perfhouse.regression r
        WHERE $3 IS NULL AND r.application = $1 AND r.state IN ('new', 'active') ORDER BY r.found_at DESC, r.regression_id DESC LIMIT 1),
    ends AS (SELECT coalesce($3, (SELECT previous_commit_id FROM latest)) AS good, coalesce($4, (SELECT l.commit_id FROM latest l)) AS bad),
    suspects AS MATERIALIZED (SELECT c AS commit_id FROM ends e, perfhouse.commits_between(e.good, e.bad) c
        WHERE e.good IS NOT NULL AND e.bad IS NOT NULL),
    above (commit_id, ancestor) AS (
        SELECT s.commit_id, s.commit_id FROM suspects s
        UNION SELECT a.commit_id, p FROM above a JOIN perfhouse.commit c ON c.commit_id = a.ancestor, unnest(c.parents) p
        WHERE p IN (SELECT s.commit_id FROM suspects s)),
    weighed AS (
        SELECT a.commit_id, count(*)::float8 / (SELECT count(*) FROM suspects) AS share FROM above a GROUP BY 1)
    SELECT w.commit_id, -(w.share * ln(w.share) + (1 - w.share) * ln(1 - w.share)) / ln(2), c.subject, c."position",
        (SELECT count(*)::int FROM suspects)
    FROM weighed w JOIN perfhouse.commit c USING (commit_id)
    WHERE w.share < 1 AND NOT EXISTS (
        SELECT FROM perfhouse.run_history h WHERE h.application = $1 AND h.commit_id = w.commit_id AND h.excluded_reason IS NULL)
    ORDER BY 2 DESC, c."position", w.commit_id
$$;
COMMENT ON FUNCTION perfhouse.next_commit(text, text, text, text) IS
    'Which commit to measure next to find the one that made bad slower than good (default: the levels of the latest '
    'open regression): those between that have no runs, by the information in bits that a measurement would give, '
    'each suspect being as likely. The first row is the bisection point, also where branches were merged. Errors: '
    'PH002 for an unknown commit.';

-- ------------------------------------------------------------------------------------ nodes and cost
-- Runs that name too few hosts are not read. Runs, call paths and locations are looked up one by one, as lateral queries that
-- stay what they are: the cost follows the runs asked for, not what the planner expects of them or what others have.
CREATE OR REPLACE FUNCTION perfhouse_internal.refuse_nodes(what text) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM pg_extension e WHERE e.extname = 'citus') THEN
        RAISE EXCEPTION 'a warehouse on several nodes has no %', what USING ERRCODE = '0A000',
            HINT = 'docs/DISTRIBUTED.md says what is not there. perfhouse copy brings runs into a warehouse of one server, which has it.';
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse_internal.refuse_nodes(text) IS 'Errors: 0A000 in a database with the extension citus: it has no such thing.';

CREATE OR REPLACE FUNCTION perfhouse.host_residual(since timestamptz DEFAULT '-infinity', of_application text DEFAULT NULL)
RETURNS TABLE (host text, run_id bigint, application text, z float8, relative float8, mean float8, lost_node_hours float8)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM perfhouse_internal.refuse_nodes('host_residual');
    RETURN QUERY
    WITH chosen AS MATERIALIZED (
        SELECT r.run_id, r.primary_metric_id AS metric_id, r.metrics[1] AS metric, r.storage = 2 AND r.tree_id IS NOT NULL AS in_blocks,
               CASE WHEN m.dimension = 'time' THEN m.factor END AS factor
        FROM perfhouse.run r JOIN perfhouse.metric m ON m.metric_id = r.primary_metric_id
        WHERE r.state = 'ready' AND r.excluded_reason IS NULL AND coalesce(r.started_at, r.loaded_at) >= $1
          AND ($2 IS NULL OR r.application = $2) AND r.rolled_up_at IS NULL
          AND CASE WHEN r.n_hosts IS NOT NULL THEN r.n_hosts >= (SELECT k.min_hosts FROM perfhouse.regression_rules() k)
              ELSE EXISTS (SELECT 1 FROM perfhouse.location l WHERE l.run_id = r.run_id AND l.host IS NOT NULL OFFSET 0) END),
    -- of runs in rows: vectors are added up before they become rows; a block is of 4,096 locations
    cells AS NOT MATERIALIZED (
        SELECT c.run_id, c.factor, v.callpath_id, v.block, v.exclusive
        FROM chosen c CROSS JOIN LATERAL (SELECT o.callpath_id, o.block, o.exclusive FROM perfhouse.profile_values_1 o
            WHERE o.run_id = c.run_id AND o.metric_id = c.metric_id OFFSET 0) v),
    waits AS (
        SELECT p.callpath_id
        FROM (SELECT DISTINCT v.callpath_id FROM cells v) p
        CROSS JOIN LATERAL (SELECT k.region_id FROM perfhouse.callpath k WHERE k.callpath_id = p.callpath_id OFFSET 0) k
        CROSS JOIN LATERAL (SELECT g.name FROM perfhouse.region g WHERE g.region_id = k.region_id OFFSET 0) g
        WHERE g.name ~ '^P?MPI_'),
    vectors AS (
        SELECT v.run_id, v.block, v.factor, perfhouse.vector_sum(v.exclusive) AS sums FROM cells v
        WHERE v.callpath_id NOT IN (SELECT w.callpath_id FROM waits w) GROUP BY 1, 2, 3),
    sums AS (
        SELECT c.run_id, x.location_id, x.sum * c.factor AS seconds
        FROM chosen c CROSS JOIN LATERAL perfhouse_internal.column_sums(c.run_id, c.metric, '{MPI_,PMPI_}') x
        WHERE c.in_blocks
        UNION ALL
        SELECT v.run_id, v.block * 4096 + x.position - 1, x.sum * v.factor
        FROM vectors v CROSS JOIN LATERAL unnest(v.sums) WITH ORDINALITY x (sum, position)
        WHERE x.sum <> 'NaN'),
    work AS (
        SELECT s.run_id, p.host, s.seconds FROM sums s CROSS JOIN LATERAL (SELECT l.host FROM perfhouse.location l
            WHERE l.run_id = s.run_id AND l.location_id = s.location_id OFFSET 0) p
        WHERE p.host IS NOT NULL),
    hosts AS (SELECT w.run_id, w.host, avg(w.seconds) AS mean FROM work w GROUP BY 1, 2),
    -- a run's hosts stay one row: whatever the planner thinks of their number, nothing is joined with them
    runs AS (SELECT h.run_id, count(*) AS n, percentile_cont(0.5) WITHIN GROUP (ORDER BY h.mean) AS median,
            array_agg(h.host ORDER BY h.host) AS hosts, array_agg(h.mean ORDER BY h.host) AS means FROM hosts h GROUP BY 1)
    SELECT h.host, m.run_id, r.application, (h.mean - m.median) / nullif(s.spread, 0), h.mean / nullif(m.median, 0) - 1, h.mean,
           greatest(h.mean - m.median, 0) * m.n / 3600
    FROM runs m
    CROSS JOIN perfhouse.regression_rules() k
    JOIN perfhouse.run r ON r.run_id = m.run_id
    CROSS JOIN LATERAL (
        SELECT k.deviations_per_mad * percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(x.mean - m.median)) AS spread
        FROM unnest(m.means) x (mean)) s
    CROSS JOIN LATERAL unnest(m.hosts, m.means) h (host, mean)
    WHERE m.n >= k.min_hosts
    ORDER BY m.run_id, h.host;
END $$;
COMMENT ON FUNCTION perfhouse.host_residual(timestamptz, text) IS
    'How much longer the processes of a host computed (exclusive time outside of MPI, mean over its processes) than '
    'those of the median host of the same run, as z (robust standard deviations) and relative; a row per run and '
    'host, of runs on four hosts or more. A slow node stands out across applications: GROUP BY host HAVING '
    'count(DISTINCT application) >= 2 AND avg(z) > 3. lost_node_hours: the excess, times the nodes that wait for it.';

CREATE OR REPLACE FUNCTION perfhouse.lost_node_hours(since timestamptz DEFAULT '-infinity', of_application text DEFAULT NULL)
RETURNS TABLE (application text, cause text, what text, node_hours float8, runs bigint)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM perfhouse_internal.refuse_nodes('lost_node_hours');
    RETURN QUERY
    SELECT nullif(c.application, ''), 'imbalance', g.name, sum(c.host_excess * m.factor) / 3600, sum(c.n_runs)::bigint
    FROM (SELECT q.application, q.region_id, q.metric_id, sum(q.host_excess) AS host_excess, sum(q.n_runs) AS n_runs
          FROM perfhouse_internal.region_costs($1, 'infinity', $2, true) q WHERE NOT q.is_excluded GROUP BY 1, 2, 3) c
    JOIN perfhouse.metric m ON m.metric_id = c.metric_id AND m.dimension = 'time'
    JOIN perfhouse.region g USING (region_id)
    WHERE g.name !~ '^P?MPI_'
    GROUP BY 1, 3
    UNION ALL
    SELECT r.application, 'regression', r.path, sum(r.lost_node_hours ORDER BY r.regression_id), sum(r.n_after)::bigint
    FROM perfhouse.regression r
    WHERE r.state IN ('new', 'active') AND r.found_at >= $1 AND ($2 IS NULL OR r.application = $2) AND r.lost_node_hours IS NOT NULL
    GROUP BY 1, 3
    UNION ALL
    SELECT h.application, 'slow node', h.host, sum(h.lost_node_hours ORDER BY h.run_id), count(*)
    FROM perfhouse.host_residual($1, $2) h
    CROSS JOIN perfhouse.regression_rules() k
    WHERE h.z > k.slow_node_z
    GROUP BY 1, 3
    ORDER BY 4 DESC NULLS LAST, 1, 2, 3;
END $$;
COMMENT ON FUNCTION perfhouse.lost_node_hours(timestamptz, text) IS
    'Node-hours lost in real runs by cause: imbalance (a function''s slowest process over the mean), open '
    'regressions, and slow nodes (three robust deviations over the run''s median). The causes overlap: an imbalance '
    'may be a slow node''s. Excluded runs are left out.';

CREATE OR REPLACE VIEW perfhouse.regression_overview WITH (security_invoker = true) AS
SELECT r.regression_id, r.state, r.application, r.path, r.commit_id, r.previous_commit_id, c.subject, r.mean_before, r.mean_after,
       r.mean_after - r.mean_before AS change, r.mean_after / nullif(r.mean_before, 0) - 1 AS relative, m.name AS metric, m.unit, r.n_ranks,
       r.n_threads, r.cluster, r.own_change, r.total_change, r.p_value, r.q_value, r.n_before, r.n_after, r.lost_node_hours, r.run_id,
       r.reason, r.changed_by, r.found_at, r.changed_at, r.callpath_id,
       perfhouse_internal.experiment_text(x.keys, x."values") AS experiment
FROM perfhouse.regression r JOIN perfhouse.metric_overview m USING (metric_id)
LEFT JOIN perfhouse.run_experiment x USING (run_id)
LEFT JOIN LATERAL (SELECT min(c.subject) AS subject FROM perfhouse.commit c WHERE c.commit_id = r.commit_id) c ON true;
COMMENT ON VIEW perfhouse.regression_overview IS
    'Regressions for people: one row each, with the commit''s subject and the relative change.';
