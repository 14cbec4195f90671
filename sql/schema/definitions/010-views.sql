-- 010-views.sql - the views for people. Their columns are an API; they show runs in state 'ready' only.

-- What columns of views meant to an older release goes; the definitions say it again, 098-analysis.sql of those that are left.
DO $$
DECLARE
    c record;
BEGIN
    FOR c IN SELECT v.oid::regclass AS view, a.attname
             FROM pg_catalog.pg_class v JOIN pg_catalog.pg_attribute a ON a.attrelid = v.oid AND a.attnum > 0
             WHERE v.relnamespace = 'perfhouse'::pg_catalog.regnamespace AND v.relkind = 'v'
               AND pg_catalog.col_description(v.oid, a.attnum) IS NOT NULL LOOP
        EXECUTE pg_catalog.format('COMMENT ON COLUMN %s.%I IS NULL', c.view, c.attname);
    END LOOP;
END $$;

-- Trees and labels of regions are stored once for all runs that have them (029-trees.sql), by run in older ones.
CREATE OR REPLACE VIEW perfhouse.profile_tree WITH (security_invoker = true) AS
SELECT r.run_id, t.n_nodes, t.tree FROM perfhouse.run r JOIN perfhouse.call_tree t USING (tree_id)
UNION ALL
SELECT o.run_id, o.n_nodes, o.tree FROM perfhouse.profile_tree_1 o;
COMMENT ON VIEW perfhouse.profile_tree IS 'The tree of a run''s profile, packed: skeleton(profile).';

CREATE OR REPLACE VIEW perfhouse.run_region WITH (security_invoker = true) AS
SELECT r.run_id, l.region_id, l.local_id, l.module, l.raw_file, l.line, l.paradigm
FROM perfhouse.run r JOIN perfhouse.label_data d USING (labels_id) CROSS JOIN LATERAL perfhouse_internal.label_rows(d.labels) l
UNION ALL
SELECT o.run_id, o.region_id, o.local_id, o.module, o.raw_file, o.line, o.paradigm FROM perfhouse.run_region_1 o;
COMMENT ON VIEW perfhouse.run_region IS 'What a run says of a region beyond what all runs share.';
COMMENT ON COLUMN perfhouse.run_region.local_id IS 'dense from 0';
COMMENT ON COLUMN perfhouse.run_region.module IS 'label from the module map';
COMMENT ON COLUMN perfhouse.run_region.raw_file IS 'path before normalisation';
COMMENT ON COLUMN perfhouse.run_region.line IS 'definition line as this run has it';

-- Values are in blocks; runs of older releases have a row of two arrays a call path. Both tell the same.
CREATE OR REPLACE VIEW perfhouse.profile_values WITH (security_invoker = true) AS
SELECT r.run_id, v.callpath_id, m.metric_id, v.block, v.inclusive, v.exclusive
FROM perfhouse.run r
CROSS JOIN LATERAL unnest(r.metric_ids, r.metrics) m (metric_id, name)
CROSS JOIN LATERAL perfhouse_internal.run_values(r.run_id, m.name) v
WHERE r.storage = 2 AND r.rolled_up_at IS NULL AND r.tree_id IS NOT NULL
UNION ALL
SELECT o.run_id, o.callpath_id, o.metric_id, o.block, o.inclusive, o.exclusive FROM perfhouse.profile_values_1 o;
COMMENT ON VIEW perfhouse.profile_values IS
    'Values of a run by call path and metric, a vector over execution units. Always restrict run_id: values are unpacked run '
    'by run.';
COMMENT ON COLUMN perfhouse.profile_values.block IS 'locations [block * 4096, block * 4096 + 4096)';
COMMENT ON COLUMN perfhouse.profile_values.inclusive IS 'null elements: the location does not have the call path';
COMMENT ON COLUMN perfhouse.profile_values.exclusive IS 'null exactly where inclusive is';

-- Statistics over units, likewise.
CREATE OR REPLACE VIEW perfhouse.profile_summary WITH (security_invoker = true) AS
SELECT r.run_id, s.callpath_id, b.metric_id, s.n, s.inclusive_sum, s.inclusive_sumsq, s.inclusive_min, s.inclusive_max,
       s.inclusive_argmin, s.inclusive_argmax, s.exclusive_sum, s.exclusive_sumsq, s.exclusive_min, s.exclusive_max,
       s.exclusive_argmin, s.exclusive_argmax
FROM perfhouse.run r
JOIN perfhouse.summary_block b ON b.run_id = r.run_id
JOIN perfhouse.call_tree t ON t.tree_id = r.tree_id
CROSS JOIN LATERAL perfhouse_internal.summary_rows(b.bytes, t.callpath_ids, b.block) s
UNION ALL
SELECT o.run_id, o.callpath_id, o.metric_id, o.n, o.inclusive_sum, o.inclusive_sumsq, o.inclusive_min, o.inclusive_max,
       o.inclusive_argmin, o.inclusive_argmax, o.exclusive_sum, o.exclusive_sumsq, o.exclusive_min, o.exclusive_max,
       o.exclusive_argmin, o.exclusive_argmax
FROM perfhouse.profile_summary_1 o;
COMMENT ON VIEW perfhouse.profile_summary IS
    'Values of a run by call path and metric, summed over execution units (iterations first). Always restrict run_id: '
    'summaries are unpacked run by run. Many runs: perfhouse_internal.run_sums.';
COMMENT ON COLUMN perfhouse.profile_summary.n IS 'units that have the call path; minima and maxima are over them';
COMMENT ON COLUMN perfhouse.profile_summary.inclusive_sum IS 'an absent unit counts as 0: the mean is the sum / run.n_units';
COMMENT ON COLUMN perfhouse.profile_summary.inclusive_argmin IS 'location_id of a unit with the least value';

-- Planned for few runs: those that are asked for are looked up one by one, however many runs there are.
CREATE OR REPLACE FUNCTION perfhouse_internal.run_sums(runs bigint[], metric_ids int[], callpath_ids bigint[] DEFAULT NULL)
RETURNS TABLE (run_id bigint, metric_id int, callpath_id bigint, n int, n_units int, inclusive_sum float8, exclusive_sum float8)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_sort = off AS $$
#variable_conflict use_column
BEGIN
    IF $3 IS NULL THEN
        RETURN QUERY
        SELECT u.run_id, u.metric_id, s.callpath_id, s.n, r.n_units, s.inclusive_sum, s.exclusive_sum
        FROM unnest($1, $2) u (run_id, metric_id) JOIN perfhouse.run r ON r.run_id = u.run_id
        JOIN perfhouse.call_tree t ON t.tree_id = r.tree_id
        JOIN perfhouse.summary_block b ON b.run_id = u.run_id AND b.metric_id = u.metric_id
        CROSS JOIN LATERAL perfhouse_internal.summary_sums(b.bytes, t.callpath_ids, b.block) s;
        RETURN QUERY
        SELECT u.run_id, u.metric_id, o.callpath_id, o.n, r.n_units, o.inclusive_sum, o.exclusive_sum
        FROM unnest($1, $2) u (run_id, metric_id) JOIN perfhouse.run r ON r.run_id = u.run_id
        JOIN perfhouse.profile_summary_1 o ON o.run_id = u.run_id AND o.metric_id = u.metric_id;
    ELSE
        RETURN QUERY
        SELECT u.run_id, u.metric_id, s.callpath_id, s.n, r.n_units, s.inclusive_sum, s.exclusive_sum
        FROM unnest($1, $2) u (run_id, metric_id) JOIN perfhouse.run r ON r.run_id = u.run_id
        JOIN perfhouse.call_tree t ON t.tree_id = r.tree_id
        JOIN perfhouse.summary_block b ON b.run_id = u.run_id AND b.metric_id = u.metric_id
            AND b.block = ANY (perfhouse_internal.callpath_blocks(t.callpath_ids, $3))
        CROSS JOIN LATERAL perfhouse_internal.summary_sums(b.bytes, t.callpath_ids, b.block, $3) s;
        RETURN QUERY
        SELECT u.run_id, u.metric_id, o.callpath_id, o.n, r.n_units, o.inclusive_sum, o.exclusive_sum
        FROM unnest($1, $2) u (run_id, metric_id) JOIN perfhouse.run r ON r.run_id = u.run_id
        JOIN perfhouse.profile_summary_1 o ON o.run_id = u.run_id AND o.metric_id = u.metric_id AND o.callpath_id = ANY ($3);
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse_internal.run_sums(bigint[], int[], bigint[]) IS
    'Sums over units as in profile_summary of runs that have a metric each: of all call paths, or of some.';

CREATE OR REPLACE VIEW perfhouse.run_overview WITH (security_invoker = true) AS
SELECT r.run_id, r.application, r.title, r.n_ranks, r.n_threads, r.commit_id, r.branch, r.started_at,
       r.user_name, r.cluster, r.format, r.n_nodes, r.n_columns, r.n_units, r.metrics, r.residual_cells,
       r.missing_columns, r.tags, r.excluded_reason, r.repeat, r.source, r.loaded_at, r.meta, r.fingerprint,
       r.n_events IS NOT NULL AND r.events_dropped_at IS NULL AS has_trace, r.n_events, r.rolled_up_at, r.events_dropped_at,
       r.completeness, r.completeness = 'incomplete' AS incomplete, r.missing, r.total, r.parallel_efficiency, r.efficiency_estimated,
       r.load_balance, r.communication_efficiency, r.serialisation_efficiency, r.transfer_efficiency, r.thread_efficiency,
       r.thread_load_balance, r.thread_serialisation, r.derived_from, r.device_efficiency, r.device_load_balance, r.device_communication,
       r.device_orchestration
FROM perfhouse.run r
WHERE r.state = 'ready';
COMMENT ON VIEW perfhouse.run_overview IS
    'Every run that is completely loaded, one row each, with its promoted metadata. Start here.';
COMMENT ON COLUMN perfhouse.run_overview.run_id IS 'number of the run; the argument of profile()';
COMMENT ON COLUMN perfhouse.run_overview.application IS 'application, from the file, the environment or --set';
COMMENT ON COLUMN perfhouse.run_overview.title IS 'what people call the run; the file''s name by default';
COMMENT ON COLUMN perfhouse.run_overview.n_ranks IS 'processes of the run';
COMMENT ON COLUMN perfhouse.run_overview.n_threads IS 'threads per process';
COMMENT ON COLUMN perfhouse.run_overview.commit_id IS 'commit of the code that ran';
COMMENT ON COLUMN perfhouse.run_overview.branch IS 'branch of the code that ran';
COMMENT ON COLUMN perfhouse.run_overview.started_at IS 'when the run began, as the file says';
COMMENT ON COLUMN perfhouse.run_overview.user_name IS 'who ran it';
COMMENT ON COLUMN perfhouse.run_overview.cluster IS 'machine it ran on';
COMMENT ON COLUMN perfhouse.run_overview.format IS 'reader that loaded it';
COMMENT ON COLUMN perfhouse.run_overview.n_nodes IS 'call-tree nodes';
COMMENT ON COLUMN perfhouse.run_overview.n_columns IS 'columns of the stored vectors: execution units x iterations';
COMMENT ON COLUMN perfhouse.run_overview.n_units IS 'execution units: processes or threads';
COMMENT ON COLUMN perfhouse.run_overview.metrics IS 'names of its metrics, the primary one first';
COMMENT ON COLUMN perfhouse.run_overview.residual_cells IS 'cells whose inclusive and exclusive values disagreed in the source';
COMMENT ON COLUMN perfhouse.run_overview.missing_columns IS 'ranks that the run had but the files did not';
COMMENT ON COLUMN perfhouse.run_overview.tags IS 'labels given by people';
COMMENT ON COLUMN perfhouse.run_overview.excluded_reason IS
    'why the run is left out of comparisons: what people said, or "incomplete input: ..."; null: not excluded';
COMMENT ON COLUMN perfhouse.run_overview.repeat IS '0, or k for the k-th load of the same content with --if-exists append';
COMMENT ON COLUMN perfhouse.run_overview.source IS 'path as given to load';
COMMENT ON COLUMN perfhouse.run_overview.loaded_at IS 'when it was loaded';
COMMENT ON COLUMN perfhouse.run_overview.meta IS 'all metadata';
COMMENT ON COLUMN perfhouse.run_overview.fingerprint IS 'SHA-256 over names and contents of its files';
COMMENT ON COLUMN perfhouse.run_overview.has_trace IS 'an event trace is stored with it: events(), messages(), ... answer';
COMMENT ON COLUMN perfhouse.run_overview.n_events IS 'events of its trace; null: it has none';
COMMENT ON COLUMN perfhouse.run_overview.rolled_up_at IS 'when its values per unit were rolled up to distributions; null: they are there';
COMMENT ON COLUMN perfhouse.run_overview.events_dropped_at IS
    'when the events of its trace were dropped; null: they are there, or it has none';
COMMENT ON COLUMN perfhouse.run_overview.completeness IS
    'complete: its files proved that they are whole; incomplete: something is missing; unknown: their format has no proof';
COMMENT ON COLUMN perfhouse.run_overview.incomplete IS
    'its files lack something: it was loaded by --allow-incomplete, and histories and comparisons leave it out';
COMMENT ON COLUMN perfhouse.run_overview.missing IS 'what the files of an incomplete run lack';
COMMENT ON COLUMN perfhouse.run_overview.total IS 'whole of the primary metric, mean over execution units; null: it does not add up';
COMMENT ON COLUMN perfhouse.run_overview.parallel_efficiency IS
    'load_balance x communication_efficiency (x thread_efficiency), 0 to 1: efficiency(run) as stored; null: not known';
COMMENT ON COLUMN perfhouse.run_overview.efficiency_estimated IS
    'the efficiencies are estimated from the profile, because there are no events or they were loaded with --no-blame';
COMMENT ON COLUMN perfhouse.run_overview.load_balance IS 'mean over ranks of the time outside of MPI / its maximum';
COMMENT ON COLUMN perfhouse.run_overview.communication_efficiency IS
    'longest time of a rank outside of MPI / elapsed time; with events serialisation_efficiency x transfer_efficiency';
COMMENT ON COLUMN perfhouse.run_overview.serialisation_efficiency IS
    'longest time of a rank outside of MPI / elapsed time with a network that takes no time; null: estimated';
COMMENT ON COLUMN perfhouse.run_overview.transfer_efficiency IS
    'elapsed time with a network that takes no time / elapsed time; null: estimated';
COMMENT ON COLUMN perfhouse.run_overview.thread_efficiency IS
    'what threads use of the time that their ranks are outside of MPI; null: one thread a rank';
COMMENT ON COLUMN perfhouse.run_overview.thread_load_balance IS
    'what threads use of that time while they are in calls: the rest is waiting for each other; null: estimated';
COMMENT ON COLUMN perfhouse.run_overview.thread_serialisation IS
    'the part of that time in which threads are in calls: the rest are serial parts and forks; null: estimated';
COMMENT ON COLUMN perfhouse.run_overview.device_efficiency IS
    'device_load_balance x device_communication x device_orchestration, 0 to 1: device_efficiency(run) as stored; null: no devices';
COMMENT ON COLUMN perfhouse.run_overview.device_load_balance IS 'mean over devices of the time that they compute / its maximum';
COMMENT ON COLUMN perfhouse.run_overview.device_communication IS
    'longest time that a device computes / longest that one does anything: copies and communication that nothing hides';
COMMENT ON COLUMN perfhouse.run_overview.device_orchestration IS
    'longest time that a device does anything / elapsed time of devices: the rest they are idle';
COMMENT ON COLUMN perfhouse.run_overview.derived_from IS
    'runs that its profile was computed of (store_profile), which may be gone; null: the run was measured';

-- The one place that knows what stored values are multiplied by. Ratios have none: theirs are made of their parts', so
-- their unit is seconds where the parts make it that, else what the parts' units make.
CREATE OR REPLACE FUNCTION perfhouse_internal.overview_of(run bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (SELECT to_jsonb(r) FROM perfhouse.run_overview r WHERE r.run_id = run);
END $$;
COMMENT ON FUNCTION perfhouse_internal.overview_of(bigint) IS
    'The row of run_overview, null where there is none: for queries that a distributed database does not plan with the view in them.';

CREATE OR REPLACE VIEW perfhouse.each_run WITH (security_invoker = true) AS
SELECT l.run_id, r.application, r.title, r.commit_id, r.branch, r.cluster, r.started_at, r.n_ranks, r.tags, r.meta
FROM perfhouse.location l JOIN perfhouse.run r ON r.run_id = l.run_id
WHERE l.location_id = 0 AND l.kind = 0 AND r.state = 'ready' AND r.excluded_reason IS NULL;
COMMENT ON VIEW perfhouse.each_run IS
    'Ready runs that are not excluded, each where its data lies: in a distributed warehouse functions of a run that are called '
    'for its rows run on the nodes that have the run, all at once. FROM each_run r, LATERAL late_senders(r.run_id) s WHERE '
    'r.application = ''lulesh''. On one server it is a short run_overview.';
COMMENT ON COLUMN perfhouse.each_run.run_id IS 'number of the run';

CREATE OR REPLACE VIEW perfhouse.metric_overview WITH (security_invoker = true) AS
SELECT m.metric_id, m.name,
       CASE WHEN m.kind <> 1 AND m.dimension = 'time' THEN 's' WHEN m.kind <> 1 THEN m.unit ELSE coalesce((
           SELECT CASE WHEN parts.factor = 1 THEN m.unit WHEN m.dimension = 'time' AND m.factor = parts.factor THEN 's'
               ELSE concat(CASE o.dimension WHEN 'time' THEN 's' ELSE o.unit END, '/',
                    CASE u.dimension WHEN 'time' THEN 's' ELSE u.unit END) END
           FROM perfhouse.metric o CROSS JOIN perfhouse.metric u
           CROSS JOIN LATERAL (SELECT CASE o.dimension WHEN 'time' THEN o.factor ELSE 1 END
               / CASE u.dimension WHEN 'time' THEN u.factor ELSE 1 END AS factor) parts
           WHERE o.metric_id = m.numerator_id AND u.metric_id = m.denominator_id), m.unit)
       END AS unit,
       CASE WHEN m.kind <> 1 AND m.dimension = 'time' THEN m.factor ELSE 1 END AS factor,
       m.dimension, m.kind, m.combine, m.is_signed, m.numerator_id, m.denominator_id, m.better, m.unit AS stored_unit,
       (SELECT min(same.metric_id) FROM perfhouse.metric same
        WHERE same.name = m.name AND CASE m.dimension WHEN 'time' THEN same.dimension = 'time' ELSE same.unit = m.unit END
          AND (same.kind, same.combine, same.is_signed) = (m.kind, m.combine, m.is_signed)
          AND same.numerator_id IS NOT DISTINCT FROM m.numerator_id AND same.denominator_id IS NOT DISTINCT FROM m.denominator_id
       ) AS first_metric_id
FROM perfhouse.metric m;
COMMENT ON VIEW perfhouse.metric_overview IS
    'Metrics in the units that everything reads them in: times in seconds, others as they are stored. Who reads values '
    'of profile_summary, profile_values or region_summary multiplies them by factor.';
COMMENT ON COLUMN perfhouse.metric_overview.unit IS 'unit of the values in profiles, views, pictures and exports';
COMMENT ON COLUMN perfhouse.metric_overview.factor IS
    'what stored values are multiplied by; 1 but for runs of older releases in other units of time';
COMMENT ON COLUMN perfhouse.metric_overview.dimension IS
    'what the unit is one of: time, data, count, frequency, energy, power; null: not known';
COMMENT ON COLUMN perfhouse.metric_overview.kind IS '0: adds up, 1: ratio, 2: value that does not add up';
COMMENT ON COLUMN perfhouse.metric_overview.stored_unit IS 'unit of the values as they are stored';
COMMENT ON COLUMN perfhouse.metric_overview.first_metric_id IS
    'the first of the metrics that are read as this one is: runs of older releases have one of their own for another unit of time';

CREATE OR REPLACE FUNCTION perfhouse_internal.first_metric(metric_id int) RETURNS int
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT m.first_metric_id FROM perfhouse.metric_overview m WHERE m.metric_id = $1
$$;
COMMENT ON FUNCTION perfhouse_internal.first_metric(int) IS 'metric_overview.first_metric_id of a metric.';

-- plpgsql, so that views may have it before the tables are there, and keeps its plan.
CREATE OR REPLACE FUNCTION perfhouse_internal.path_text(id bigint) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE COST 1000 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN perfhouse.call_path_text(id);
END $$;
COMMENT ON FUNCTION perfhouse_internal.path_text(bigint) IS 'call_path_text for views, which are made before it.';

CREATE OR REPLACE VIEW perfhouse.profile_row WITH (security_invoker = true) AS
SELECT s.run_id, s.callpath_id, s.metric, s.unit, g.name, c.depth,
       CASE g.kind WHEN 0 THEN 'function' WHEN 1 THEN 'region' WHEN 2 THEN 'loop' WHEN 3 THEN 'statement' ELSE 'root' END AS kind,
       coalesce(perfhouse_internal.module_of(r.run_id, r.labels_id, c.region_id), g.library) AS module, g.file,
       coalesce(g.line, perfhouse_internal.line_of(r.run_id, r.labels_id, c.region_id)) AS line, c.parent_id, s.n,
       s.inclusive_sum / r.n_units AS inclusive, s.exclusive_sum / r.n_units AS exclusive,
       s.inclusive_sum, s.exclusive_sum, s.inclusive_min, s.inclusive_max, s.exclusive_min, s.exclusive_max,
       sqrt(greatest(s.inclusive_sumsq - s.inclusive_sum * s.inclusive_sum / r.n_units, 0) / nullif(r.n_units - 1, 0)) AS inclusive_sd,
       sqrt(greatest(s.exclusive_sumsq - s.exclusive_sum * s.exclusive_sum / r.n_units, 0) / nullif(r.n_units - 1, 0)) AS exclusive_sd,
       CASE WHEN r.n_units > 1 THEN s.inclusive_max / nullif(s.inclusive_sum / r.n_units, 0) END AS imbalance_ratio,
       CASE WHEN r.n_units > 1 THEN s.inclusive_max / nullif(s.inclusive_sum / r.n_units, 0) - 1 END AS imbalance_excess,
       s.inclusive_max - CASE WHEN s.n < r.n_units THEN least(s.inclusive_min, 0) ELSE s.inclusive_min END AS imbalance_range,
       s.inclusive_argmin, s.inclusive_argmax, s.exclusive_argmin, s.exclusive_argmax,
       perfhouse_internal.path_text(s.callpath_id) AS path, coalesce(perfhouse_internal.paradigm_of(r.run_id, r.labels_id, c.region_id),
           CASE WHEN g.kind NOT IN (2, 3) THEN perfhouse_internal.paradigm_by_name(g.name) END) AS paradigm,
       r.application, r.title, r.commit_id, r.branch, coalesce(r.started_at, r.loaded_at) AS measured_at, r.n_ranks, r.n_units,
       CASE WHEN s.metric = r.metrics[1] THEN r.total END AS run_total
FROM (SELECT p.run_id, p.callpath_id, p.n, m.name AS metric, m.unit, p.inclusive_sum * m.factor AS inclusive_sum,
          p.exclusive_sum * m.factor AS exclusive_sum, p.inclusive_sumsq * m.factor * m.factor AS inclusive_sumsq,
          p.exclusive_sumsq * m.factor * m.factor AS exclusive_sumsq, p.inclusive_min * m.factor AS inclusive_min,
          p.inclusive_max * m.factor AS inclusive_max, p.exclusive_min * m.factor AS exclusive_min,
          p.exclusive_max * m.factor AS exclusive_max, p.inclusive_argmin, p.inclusive_argmax, p.exclusive_argmin, p.exclusive_argmax
      FROM perfhouse.profile_summary p JOIN perfhouse.metric_overview m USING (metric_id)) s
JOIN perfhouse.run r ON r.run_id = s.run_id AND r.state = 'ready'
JOIN perfhouse.callpath c USING (callpath_id)
JOIN perfhouse.region g USING (region_id);
COMMENT ON VIEW perfhouse.profile_row IS
    'A row per run, call path and metric with names and statistics over the run''s execution units. Always restrict '
    'run_id, or callpath_id and metric.';
COMMENT ON COLUMN perfhouse.profile_row.n IS 'execution units that have the call path';
COMMENT ON COLUMN perfhouse.profile_row.inclusive IS 'mean over all units of the inclusive value, absent = 0, in unit';
COMMENT ON COLUMN perfhouse.profile_row.exclusive IS 'mean over all units of the exclusive value, absent = 0, in unit';
COMMENT ON COLUMN perfhouse.profile_row.inclusive_sd IS 'standard deviation (n - 1) over all units, absent = 0; null for one unit';
COMMENT ON COLUMN perfhouse.profile_row.exclusive_sd IS 'standard deviation (n - 1) over all units, absent = 0; null for one unit';
COMMENT ON COLUMN perfhouse.profile_row.imbalance_ratio IS 'max / mean of the inclusive value; null for one unit';
COMMENT ON COLUMN perfhouse.profile_row.imbalance_excess IS '(max - mean) / mean of the inclusive value; null for one unit';
COMMENT ON COLUMN perfhouse.profile_row.imbalance_range IS 'max - min of the inclusive value, absent = 0';
COMMENT ON COLUMN perfhouse.profile_row.inclusive_argmax IS 'location_id of a unit with the largest inclusive value';
COMMENT ON COLUMN perfhouse.profile_row.exclusive_argmax IS 'location_id of a unit with the largest exclusive value';
COMMENT ON COLUMN perfhouse.profile_row.module IS 'module given by a map, else the load module';

CREATE OR REPLACE VIEW perfhouse.measurement WITH (security_invoker = true) AS
SELECT v.run_id, v.callpath_id, m.name AS metric, m.unit, g.name,
       l.location_id, l.rank, l.thread, l.host, l.iteration, x.inclusive * m.factor AS inclusive, x.exclusive * m.factor AS exclusive,
       perfhouse_internal.path_text(v.callpath_id) AS path,
       coalesce(perfhouse_internal.module_of(r.run_id, r.labels_id, c.region_id), g.library) AS module,
       coalesce(perfhouse_internal.paradigm_of(r.run_id, r.labels_id, c.region_id),
           CASE WHEN g.kind NOT IN (2, 3) THEN perfhouse_internal.paradigm_by_name(g.name) END) AS paradigm,
       r.application, r.title, r.commit_id, r.branch, coalesce(r.started_at, r.loaded_at) AS measured_at, r.n_ranks, r.n_units,
       CASE WHEN m.name = r.metrics[1] THEN r.total END AS run_total
FROM perfhouse.profile_values v
JOIN perfhouse.run r ON r.run_id = v.run_id AND r.state = 'ready'
JOIN perfhouse.metric_overview m USING (metric_id)
JOIN perfhouse.callpath c USING (callpath_id)
JOIN perfhouse.region g USING (region_id)
CROSS JOIN LATERAL unnest(v.inclusive, v.exclusive) WITH ORDINALITY AS x (inclusive, exclusive, position)
JOIN perfhouse.location l ON l.run_id = v.run_id AND l.location_id = v.block * 4096 + x.position - 1
WHERE x.inclusive IS NOT NULL;
COMMENT ON VIEW perfhouse.measurement IS
    'A row per run, call path, metric and location (rank, thread, iteration) that has the call path. Large: restrict '
    'run_id, and callpath_id or name.';
COMMENT ON COLUMN perfhouse.measurement.inclusive IS 'inclusive value of this location, in unit';
COMMENT ON COLUMN perfhouse.measurement.exclusive IS 'exclusive value of this location, in unit';
COMMENT ON COLUMN perfhouse.measurement.iteration IS 'loop iteration or time step; null: the run has no such axis';
