-- 098-analysis.sql - questions that analysts ask most, and what columns of views mean.

CREATE OR REPLACE FUNCTION perfhouse.callers(p perfhouse.profile, name text, metric text DEFAULT NULL)
RETURNS TABLE (caller text, module text, n_paths int, inclusive float8, exclusive float8, share float8)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    IF NOT EXISTS (SELECT FROM perfhouse.nodes(p, $3) n WHERE n.name = $2) THEN
        PERFORM perfhouse_internal.refuse_name('function', $2, (SELECT array_agg(DISTINCT n.name) FROM perfhouse.nodes(p, $3) n));
    END IF;
    RETURN QUERY
    WITH RECURSIVE node AS MATERIALIZED (SELECT n.* FROM perfhouse.nodes(p, $3) n),
    below (node) AS ( -- instances that are called by another one count for that one's caller
        SELECT c.node FROM node n JOIN node c ON c.parent = n.node WHERE n.name = $2
        UNION SELECT c.node FROM below b JOIN node c ON c.parent = b.node
    ), instance AS (
        SELECT n.node, n.parent, n.exclusive + n.absorbed + n.residual AS own,
            CASE WHEN b.node IS NULL THEN n.inclusive ELSE 0 END AS whole
        FROM node n LEFT JOIN below b USING (node) WHERE n.name = $2)
    SELECT c.name, c.module, count(*)::int, sum(i.whole), sum(i.own), sum(i.own) / nullif(sum(sum(i.own)) OVER (), 0)
    FROM instance i LEFT JOIN node c ON c.node = i.parent GROUP BY c.name, c.module
    ORDER BY sum(i.own) DESC, c.name COLLATE "C", c.module COLLATE "C";
END $$;
COMMENT ON FUNCTION perfhouse.callers(perfhouse.profile, text, text) IS
    'Who calls a function, and what it costs for them: a row a caller, those that matter most first; caller is null where it is a '
    'root. n_paths: call paths of the function below this caller; inclusive: of outermost instances (recursion is not counted '
    'twice); exclusive: own cost, with what a filter absorbed; share: of the function''s own cost. Means over columns, in the '
    'metric''s unit. nodes(invert(p)) has all levels of callers. Errors: PH002 for a name that no node has (the hint tells the '
    'closest), or an unknown metric.';

CREATE OR REPLACE FUNCTION perfhouse.outliers(application text, filter text DEFAULT NULL, least_deviations float8 DEFAULT 4,
    least_share float8 DEFAULT 0.02)
RETURNS TABLE (run_id bigint, title text, commit_id text, measured_at timestamptz, total float8, usual float8, relative float8,
    deviations float8, n_neighbours int, experiment text)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM perfhouse_internal.require_names($1);
    RETURN QUERY
    WITH series AS MATERIALIZED (
        SELECT h.experiment, h.primary_metric_id AS metric_id, array_agg(h.run_id ORDER BY h."position", h.measured_at, h.run_id) AS runs,
            array_agg(r.total ORDER BY h."position", h.measured_at, h.run_id) AS totals
        FROM perfhouse.run_history h JOIN perfhouse.run r USING (run_id)
        WHERE h.application = $1 AND h.excluded_reason IS NULL AND r.total IS NOT NULL AND h.experiment IS NOT NULL
          AND ($2 IS NULL OR h.run_id IN (SELECT perfhouse.runs_matching($2)))
        GROUP BY 1, 2 HAVING count(*) >= 5
    ), judged AS (
        SELECT s.experiment, s.runs[i.i] AS run, s.totals[i.i] AS total, side.usual, side.n,
            CASE WHEN o.degrees > l.degrees THEN o.spread / nullif(abs(o.level), 0) * abs(l.level) ELSE l.spread END AS spread
        FROM series s CROSS JOIN LATERAL perfhouse.level_of(s.totals) l CROSS JOIN LATERAL generate_subscripts(s.runs, 1) i (i)
        LEFT JOIN perfhouse.noise o ON o.application = $1 AND o.experiment = s.experiment AND o.metric_id = s.metric_id
            AND o.callpath_id = 0
        CROSS JOIN LATERAL ( -- of the five before and the five behind, those that are nearer: a lasting change is no outlier
            SELECT v.usual, v.n FROM (
                SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY u.u) AS usual, count(*)::int AS n
                FROM unnest(s.totals[i.i - 5:i.i - 1]) u
                UNION ALL
                SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY u.u), count(*)::int FROM unnest(s.totals[i.i + 1:i.i + 5]) u) v
            WHERE v.n >= least(3, cardinality(s.totals) - 1) ORDER BY abs(s.totals[i.i] - v.usual) LIMIT 1) side)
    SELECT j.run, r.title, r.commit_id, coalesce(r.started_at, r.loaded_at), j.total, j.usual, j.total / nullif(j.usual, 0) - 1,
        (j.total - j.usual) / nullif(j.spread, 0), j.n, j.experiment
    FROM judged j JOIN perfhouse.run r ON r.run_id = j.run
    WHERE abs(j.total - j.usual) > $3 * coalesce(j.spread, 0) AND abs(j.total - j.usual) > $4 * abs(j.usual)
    ORDER BY abs(j.total - j.usual) / nullif(j.spread, 0) DESC NULLS FIRST, j.run;
END $$;
COMMENT ON FUNCTION perfhouse.outliers(text, text, float8, float8) IS
    'Runs of an application that are out of line with the runs of their experiment around them (in order of commits, then time), '
    'those that are farthest first: total (of the primary metric, in its unit) differs from the median of the up to five runs '
    'before and from that of the five behind by more than least_deviations standard deviations of the experiment (level_of, which '
    'neither steps nor outliers disturb, of these runs or, where they are few, of the latest ones, as known_noise has it) and by more '
    'than least_share. usual: the nearer of the two medians, so that lasting '
    'changes, which change_points finds, are none. Experiments of fewer than five runs, excluded runs and runs whose primary '
    'metric does not add up are left out. filter: a run filter. Errors: PH002 for an unknown application; 22023 for a filter that '
    'nobody can read.';

-- ------------------------------------------------------------------------------------ what columns mean
-- A name means one thing in all views; those that mean something else in one say so beside it.
DO $$
DECLARE
    c record;
BEGIN
    FOR c IN
        SELECT v.oid::regclass AS view, a.attname, w.words
        FROM pg_catalog.pg_class v JOIN pg_catalog.pg_attribute a ON a.attrelid = v.oid AND a.attnum > 0
        JOIN (VALUES
            ('run_id', 'number of the run'), ('application', 'application of the run'), ('title', 'what people call the run'),
            ('commit_id', 'commit of the code that ran'), ('branch', 'branch of the code that ran'), ('cluster', 'machine it ran on'),
            ('user_name', 'who ran it'), ('n_ranks', 'processes of the run'), ('n_threads', 'threads per process'),
            ('n_units', 'execution units of the run: processes or threads'),
            ('n_hosts', 'hosts of the run; null: its file does not say'), ('n_nodes', 'call-tree nodes'),
            ('started_at', 'when the run began, as the file says'), ('loaded_at', 'when it was loaded'),
            ('measured_at', 'when the run began, else when it was loaded'), ('tags', 'labels given by people'),
            ('tag', 'MPI tag of the message'), ('meta', 'all metadata of the run'),
            ('metrics', 'names of the run''s metrics, the primary one first'),
            ('metric_ids', 'ids of the run''s metrics, parallel to metrics'),
            ('excluded_reason', 'why the run is left out of comparisons; null: it is not'),
            ('is_excluded', 'whether the run is left out of comparisons'), ('experiment', 'runs with the same text can be compared'),
            ('month', 'month (UTC) that it was measured in'),
            ('run_total', 'whole of the run, mean over units, in unit; null: not of its primary metric'),
            ('metric', 'name of the metric'), ('metric_id', 'number of the metric'), ('unit', 'unit of the values'),
            ('name', 'name of the function, region, loop or metric'), ('kind', 'function, region, loop, statement or root'),
            ('combine', 'how values that do not add up combine: 0 mean, 1 minimum, 2 maximum, 3 sum'),
            ('is_signed', 'values may be negative'), ('numerator_id', 'of a ratio: the metric that is divided'),
            ('denominator_id', 'of a ratio: what it is divided by'), ('better', '-1: less is better, 1: more is, 0: neither'),
            ('callpath_id', 'number of the call path, the same in all runs'), ('parent_id', 'call path of the caller; null: a root'),
            ('region_id', 'number of the function, the same in all runs'), ('depth', 'level in the call tree; roots are 0'),
            ('path', 'names from the root, joined by /'), ('module', 'label of the module map, else the load module'),
            ('library', 'load module'),
            ('paradigm', 'mpi, openmp, user, ... as measured, else by the name; null of loops and statements'), ('file', 'source file'),
            ('line', 'source line; null: not known'), ('location_id', 'execution unit (and iteration), from 0: a column of the profile'),
            ('rank', 'process; null: not known'), ('thread', 'thread of the process; null: not known'),
            ('host', 'host name; null: not known'), ('chunk_no', 'chunk of the location''s events, from 0'),
            ('inclusive', 'inclusive value, in unit'), ('exclusive', 'exclusive value, in unit'), ('n', 'execution units that have it'),
            ('inclusive_sum', 'sum over units of the inclusive value'), ('exclusive_sum', 'sum over units of the exclusive value'),
            ('inclusive_sumsq', 'sum over units of the squares of inclusive values'),
            ('exclusive_sumsq', 'sum over units of the squares of exclusive values'),
            ('inclusive_min', 'least inclusive value of the units that have it'), ('inclusive_max', 'greatest inclusive value'),
            ('exclusive_min', 'least exclusive value of the units that have it'), ('exclusive_max', 'greatest exclusive value'),
            ('inclusive_argmin', 'location_id of a unit with the least inclusive value'),
            ('inclusive_argmax', 'location_id of a unit with the greatest inclusive value'),
            ('exclusive_argmin', 'location_id of a unit with the least exclusive value'),
            ('exclusive_argmax', 'location_id of a unit with the greatest exclusive value'),
            ('total', 'whole of the primary metric, mean over units; null: it does not add up'),
            ('seconds', 'the whole in seconds; null: not a time'), ('node_hours', 'hours of nodes that it took'),
            ('unit_hours', 'hours of processes or threads that it took'),
            ('wait', 'time in wait states, mean over units, s; null: no events tell'),
            ('parallel_efficiency', 'load balance x communication efficiency (x that of threads), 0 to 1; null: not known'),
            ('load_balance', 'mean over ranks of the time outside of MPI / its maximum'),
            ('communication_efficiency', 'longest time of a rank outside of MPI / elapsed time'),
            ('efficiency_estimated', 'the efficiencies are estimated from the profile'),
            ('tree', 'call tree in the flat form, without metrics'), ('made_at', 'when it was made'),
            ('repository', 'repository of the commit'), ('parents', 'parents of the commit'),
            ('subject', 'first line of the commit''s message'), ('author', 'author of the commit'),
            ('committed_at', 'when it was committed'), ('regression_id', 'number of the regression'),
            ('state', 'what people decided of it'), ('previous_commit_id', 'commit before it in the series'),
            ('mean_before', 'mean of the level before, in unit'), ('mean_after', 'mean of the level after, in unit'),
            ('change', 'mean_after - mean_before, in unit'), ('relative', 'the change by mean_before'),
            ('own_change', 'change of the own cost, in unit'), ('total_change', 'change of the inclusive cost, in unit'),
            ('p_value', 'chance of such a change where nothing changed'), ('q_value', 'false discovery rate at which it is found'),
            ('n_before', 'runs of the level before'), ('n_after', 'runs of the level after'), ('found_at', 'when it was found'),
            ('changed_at', 'when its state was changed last'), ('changed_by', 'who changed its state'),
            ('reason', 'why its state was changed'), ('lost_node_hours', 'what it has cost since, in node-hours'),
            ('global_differential_lateness', 'lateness against the least of the step, less what was inherited, ns'),
            ('global_lateness', 'lateness against the least of the step, ns'),
            ('aggregate_global_lateness', 'the same over the aggregated events'),
            ('aggregate_global_differential_lateness', 'the same over the aggregated events')
        ) w (name, words) ON w.name = a.attname
        WHERE v.relnamespace = 'perfhouse'::pg_catalog.regnamespace AND v.relkind = 'v'
          AND pg_catalog.col_description(v.oid, a.attnum) IS NULL
    LOOP
        EXECUTE pg_catalog.format('COMMENT ON COLUMN %s.%I IS %L', c.view, c.attname, c.words);
    END LOOP;
END $$;
