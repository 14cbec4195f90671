-- 053-jobs.sql - jobs of a batch system: what its accounting says, what of them was measured, what deserves it next.

-- ------------------------------------------------------------------------------------------ accounting
CREATE OR REPLACE FUNCTION perfhouse_internal.accounting_seconds(value text) RETURNS float8
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN value ~ '^[0-9]{1,9}(\.[0-9]{1,9})?$' THEN value::float8
        WHEN value ~ '^([0-9]{1,6}-)?([0-9]{1,6}:)?[0-9]{1,6}:[0-9]{1,6}(\.[0-9]{1,9})?$' THEN
            CASE WHEN value ~ '-' THEN split_part(value, '-', 1)::float8 * 86400 ELSE 0 END
            + (SELECT sum(p.part::float8 * 60 ^ (p.n - p.place))
               FROM (SELECT part, place, count(*) OVER () AS n
                     FROM unnest(string_to_array(regexp_replace(value, '^[0-9]+-', ''), ':')) WITH ORDINALITY u (part, place)) p) END
$$;
COMMENT ON FUNCTION perfhouse_internal.accounting_seconds(text) IS
    'Seconds of [days-][hours:]minutes:seconds, or of a number; null: it is neither.';

CREATE OR REPLACE FUNCTION perfhouse_internal.accounting_number(value text) RETURNS float8
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN value ~ '^[0-9]{1,18}(\.[0-9]{1,9})?[KMGTP]?$'
        THEN rtrim(value, 'KMGTP')::float8 * 1024 ^ coalesce(nullif(strpos('KMGTP', right(value, 1)), 0), 0) END
$$;
COMMENT ON FUNCTION perfhouse_internal.accounting_number(text) IS
    'A number with K, M, G, T or P for powers of 1024; null: it is none.';

CREATE OR REPLACE FUNCTION perfhouse_internal.accounting_count(value text) RETURNS int4
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN value ~ '^[0-9]{1,9}$' THEN value::int4 END
$$;
COMMENT ON FUNCTION perfhouse_internal.accounting_count(text) IS 'A count of at most nine digits; null: it is none.';

CREATE OR REPLACE FUNCTION perfhouse_internal.accounting_time(value text, time_zone text) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN value ~ '^[0-9]{9,11}$' THEN to_timestamp(value::float8)
        WHEN value ~ '^[12][0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$' THEN
            CASE WHEN substr(value, 9, 2)::int4
                <= extract(day FROM (substr(value, 1, 7) || '-01')::date + '1 month'::interval - '1 day'::interval)
            THEN value::timestamp AT TIME ZONE time_zone END END
$$;
COMMENT ON FUNCTION perfhouse_internal.accounting_time(text, text) IS
    'A time of accounting, in seconds since 1970 or as date and time in a zone; null: it is neither (Unknown, None).';

CREATE OR REPLACE FUNCTION perfhouse_internal.accounting_rows(accounting text, OUT columns text[], OUT fields text[]) RETURNS SETOF record
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    lines text[] := string_to_array(replace(accounting, E'\r', ''), E'\n');
BEGIN
    columns := string_to_array(lines[1], '|');
    IF array_position(columns, 'JobID') IS NULL OR array_position(columns, 'State') IS NULL THEN
        RAISE EXCEPTION 'the first line does not name the columns JobID and State' USING ERRCODE = '22023',
            HINT = 'It is the text of sacct --parsable2, with its first line and without --noheader.';
    END IF;
    RETURN QUERY SELECT accounting_rows.columns, f.fields
        FROM unnest(lines) WITH ORDINALITY l (line, n), string_to_array(l.line, '|') f (fields)
        WHERE l.n > 1 AND cardinality(f.fields) = cardinality(accounting_rows.columns) AND split_part(l.line, '|', 1) <> '';
END $$;
COMMENT ON FUNCTION perfhouse_internal.accounting_rows(text) IS
    'Lines of accounting, parted at |, which have as many parts as the first names. Errors: 22023 when that lacks JobID or State.';

CREATE OR REPLACE FUNCTION perfhouse.load_jobs(accounting text, time_zone text DEFAULT 'UTC')
RETURNS TABLE (n_jobs bigint, n_lines bigint, n_refused bigint)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    lines bigint := (SELECT count(*) - 1 FROM unnest(string_to_array(replace(accounting, E'\r', ''), E'\n')) l WHERE l <> '');
BEGIN
    RETURN QUERY
    WITH line AS (
        SELECT jsonb_object(a.columns, a.fields) AS v FROM perfhouse_internal.accounting_rows(accounting) a
    ), named AS (
        SELECT coalesce(v ->> 'Cluster', '') AS cluster,
               split_part(coalesce(nullif(v ->> 'JobIDRaw', ''), v ->> 'JobID'), '.', 1) AS job,
               v ->> 'JobID' LIKE '%.%' AS is_step, nullif(v ->> 'JobName', '') AS name, v
        FROM line
    ), counted AS (
        SELECT count(*) AS n FROM named WHERE job ~ '^[0-9]'
    ), step AS (
        SELECT n.cluster, n.job, max(perfhouse_internal.accounting_number(v ->> 'MaxRSS')) AS max_memory,
               max(perfhouse_internal.accounting_number(v ->> 'ConsumedEnergyRaw')) AS energy
        FROM named n GROUP BY 1, 2
    ), newest AS (
        SELECT DISTINCT ON (n.cluster, n.job) n.*
        FROM named n WHERE NOT n.is_step AND n.job ~ '^[0-9]' AND coalesce(v ->> 'State', '') <> ''
        ORDER BY n.cluster, n.job, perfhouse_internal.accounting_time(v ->> 'Submit', time_zone) DESC NULLS LAST
    ), written AS (
        INSERT INTO perfhouse.job AS j (cluster, job, application, user_name, project, queue, state, exit_code, submitted_at, started_at,
            ended_at, elapsed, n_nodes, n_cpus, cpu_time, max_memory, energy, node_list)
        SELECT n.cluster, n.job, CASE WHEN n.name NOT IN ('wrap', 'interactive', 'bash', 'sh') THEN n.name END, nullif(v ->> 'User', ''),
               nullif(v ->> 'Account', ''), nullif(v ->> 'Partition', ''), split_part(v ->> 'State', ' ', 1),
               perfhouse_internal.accounting_count(split_part(v ->> 'ExitCode', ':', 1)),
               perfhouse_internal.accounting_time(v ->> 'Submit', time_zone), perfhouse_internal.accounting_time(v ->> 'Start', time_zone),
               perfhouse_internal.accounting_time(v ->> 'End', time_zone),
               perfhouse_internal.accounting_seconds(coalesce(nullif(v ->> 'ElapsedRaw', ''), v ->> 'Elapsed')),
               perfhouse_internal.accounting_count(v ->> 'NNodes'), perfhouse_internal.accounting_count(v ->> 'NCPUS'),
               perfhouse_internal.accounting_seconds(v ->> 'TotalCPU'), s.max_memory, s.energy, nullif(v ->> 'NodeList', '')
        FROM newest n JOIN step s USING (cluster, job)
        ON CONFLICT (cluster, job) DO UPDATE SET application = EXCLUDED.application, user_name = EXCLUDED.user_name,
            project = EXCLUDED.project, queue = EXCLUDED.queue, state = EXCLUDED.state, exit_code = EXCLUDED.exit_code,
            submitted_at = EXCLUDED.submitted_at, started_at = EXCLUDED.started_at, ended_at = EXCLUDED.ended_at,
            elapsed = EXCLUDED.elapsed, n_nodes = EXCLUDED.n_nodes, n_cpus = EXCLUDED.n_cpus, cpu_time = EXCLUDED.cpu_time,
            max_memory = coalesce(EXCLUDED.max_memory, j.max_memory), energy = coalesce(EXCLUDED.energy, j.energy),
            node_list = EXCLUDED.node_list, loaded_at = EXCLUDED.loaded_at
        RETURNING 1
    )
    SELECT (SELECT count(*) FROM written), lines, lines - c.n FROM counted c;
END $$;
COMMENT ON FUNCTION perfhouse.load_jobs(text, text) IS
    'Reads the text of sacct --parsable2, with its first line, into perfhouse.job: a row a job, the latest of those submitted again '
    'under one number; what is known of a job is replaced. JobID and State are needed; Cluster, JobIDRaw, JobName, User, Account, '
    'Partition, ExitCode, Submit, Start, End, ElapsedRaw or Elapsed, NNodes, NCPUS, TotalCPU, MaxRSS (of steps, too), '
    'ConsumedEnergyRaw and NodeList are used where they are there, others are passed over. Times without a zone are in time_zone; '
    'with SLURM_TIME_FORMAT=%s they need none. n_jobs: jobs written; n_refused: lines that are no job. Errors: 22023 for other text.';
REVOKE ALL ON FUNCTION perfhouse.load_jobs(text, text) FROM PUBLIC;

-- --------------------------------------------------------------------------------------------- coverage
CREATE OR REPLACE FUNCTION perfhouse_internal.measured_jobs(since timestamptz, until timestamptz)
RETURNS TABLE (cluster text, job text, ended_at timestamptz, queue text, application text, is_accounted boolean, node_hours float8,
    n_profiles bigint, n_traces bigint, last_profile_at timestamptz, least_efficiency float8)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    WITH measured AS (
        SELECT r.run_id, r.meta ->> 'SLURM_JOB_ID' AS job, coalesce(r.meta ->> 'SLURM_CLUSTER_NAME', r.cluster) AS cluster,
               r.meta ->> 'SLURM_JOB_PARTITION' AS queue, r.application, coalesce(r.started_at, r.loaded_at) AS at,
               r.n_events IS NOT NULL AS is_trace, r.parallel_efficiency
        FROM perfhouse.run r
        WHERE r.meta ? 'SLURM_JOB_ID' AND r.state = 'ready'
    ), accounted AS (
        SELECT j.cluster, j.job, j.ended_at, j.queue, j.application, j.n_nodes * j.elapsed / 3600 AS node_hours
        FROM perfhouse.job j WHERE j.ended_at >= since AND j.ended_at < until
    )
    SELECT a.cluster, a.job, a.ended_at, a.queue, coalesce(min(m.application), a.application), true, a.node_hours,
           count(m.run_id) FILTER (WHERE NOT m.is_trace), count(m.run_id) FILTER (WHERE m.is_trace), max(m.at), min(m.parallel_efficiency)
    FROM accounted a LEFT JOIN measured m ON m.job = a.job AND (a.cluster = '' OR m.cluster IS NULL OR m.cluster = a.cluster)
    GROUP BY a.cluster, a.job, a.ended_at, a.queue, a.application, a.node_hours
    UNION ALL
    SELECT coalesce(m.cluster, ''), m.job, max(m.at), min(m.queue), min(m.application), false, NULL,
           count(*) FILTER (WHERE NOT m.is_trace), count(*) FILTER (WHERE m.is_trace), max(m.at), min(m.parallel_efficiency)
    FROM measured m
    WHERE m.at >= since AND m.at < until AND NOT EXISTS (SELECT FROM perfhouse.job j
        WHERE j.job = m.job AND (j.cluster = '' OR m.cluster IS NULL OR m.cluster = j.cluster))
    GROUP BY 1, 2
$$;
COMMENT ON FUNCTION perfhouse_internal.measured_jobs(timestamptz, timestamptz) IS
    'Jobs that ended in [since, until), by accounting or, where that has none, by their runs; with the runs of each.';

CREATE OR REPLACE FUNCTION perfhouse.coverage(since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL)
RETURNS TABLE (day date, queue text, application text, n_jobs bigint, n_accounted bigint, n_profiled bigint, n_traced bigint,
    node_hours float8, measured_share float8)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT (m.ended_at AT TIME ZONE 'UTC')::date, m.queue, m.application, count(*), count(*) FILTER (WHERE m.is_accounted),
           count(*) FILTER (WHERE m.n_profiles > 0 OR m.n_traces > 0), count(*) FILTER (WHERE m.n_traces > 0),
           sum(m.node_hours), (count(*) FILTER (WHERE m.n_profiles > 0 OR m.n_traces > 0))::float8 / count(*)
    FROM perfhouse_internal.measured_jobs(coalesce(since, now() - interval '7 days'), coalesce(until, now())) m
    GROUP BY 1, 2, 3 ORDER BY 1, 2 NULLS LAST, 3 NULLS LAST
$$;
COMMENT ON FUNCTION perfhouse.coverage(timestamptz, timestamptz) IS
    'Of jobs that ended in [since, until) (null: seven days ago, now), per day (UTC), queue and application, those that '
    'are known, by accounting (load_jobs) or by runs with SLURM_JOB_ID: how many have a row of '
    'accounting, a profile (a trace is one, too), a trace; node-hours of those accounted; and the share of jobs '
    'that were measured.';

CREATE OR REPLACE FUNCTION perfhouse.measure_next(n int4 DEFAULT 10, since timestamptz DEFAULT NULL)
RETURNS TABLE (application text, queue text, what text, reason text, n_jobs bigint, node_hours float8, last_measured_at timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    WITH known AS (
        SELECT m.application, mode() WITHIN GROUP (ORDER BY m.queue) AS queue, count(*) AS n_jobs, sum(m.node_hours) AS node_hours,
               sum(m.n_profiles + m.n_traces) AS n_measured, sum(m.n_traces) AS n_traces, max(m.last_profile_at) AS last_at,
               min(m.least_efficiency) AS efficiency
        FROM perfhouse_internal.measured_jobs(coalesce(since, now() - interval '30 days'), now()) m
        WHERE m.application IS NOT NULL GROUP BY 1
    ), unmeasured AS (
        SELECT k.application, sum(m.node_hours) AS node_hours
        FROM known k JOIN perfhouse_internal.measured_jobs(coalesce(since, now() - interval '30 days'), now()) m
            ON m.application = k.application AND (k.last_at IS NULL OR m.ended_at > k.last_at) GROUP BY 1
    ), slow AS ( -- the latest run beyond what single runs of its experiment vary by
        SELECT k.application, l.n_deviations, l.excess
        FROM known k CROSS JOIN LATERAL (
            SELECT r.run_id FROM perfhouse.run r WHERE r.application = k.application AND r.state = 'ready' AND r.excluded_reason IS NULL
            ORDER BY coalesce(r.started_at, r.loaded_at) DESC, r.run_id DESC LIMIT 1) r
        CROSS JOIN LATERAL (
            SELECT n.deviations AS n_deviations, n.value / nullif(n.level, 0) - 1 AS excess, n.degrees
            FROM perfhouse.known_noise(r.run_id) n WHERE n.callpath_id IS NULL) l
        WHERE k.n_traces = 0 AND l.degrees >= 4 AND l.n_deviations >= 3 AND l.excess >= 0.02
    ), judged AS (
        SELECT k.*, l.n_deviations, l.excess, CASE WHEN k.n_measured = 0 THEN 'profile'
                         WHEN l.excess > 0 OR (k.n_traces = 0 AND k.efficiency < 0.8) THEN 'trace'
                         WHEN u.node_hours > 0.5 * k.node_hours THEN 'profile' END AS what,
               CASE WHEN k.n_measured = 0 THEN k.node_hours
                    WHEN l.excess > 0 THEN k.node_hours * greatest(l.excess / (1 + l.excess), 1 - k.efficiency)
                    WHEN k.n_traces = 0 AND k.efficiency < 0.8 THEN k.node_hours * (1 - k.efficiency) ELSE u.node_hours END AS stake,
               u.node_hours AS since_then
        FROM known k LEFT JOIN unmeasured u USING (application) LEFT JOIN slow l USING (application)
    )
    SELECT j.application, j.queue, j.what,
           CASE WHEN j.n_measured = 0 THEN CASE j.n_jobs WHEN 1 THEN 'its job was not measured'
                    ELSE format('none of its %s jobs was measured', j.n_jobs) END
                WHEN j.excess > 0 THEN format('its latest run took %s %% longer than its experiment does, %s standard deviations of '
                    'its noise, and no trace says why', round((100 * j.excess)::numeric, 1), round(j.n_deviations::numeric, 1))
                WHEN j.what = 'trace' THEN format('its profiles have a parallel efficiency of %s %%, and no trace says why',
                    round((100 * j.efficiency)::numeric))
                ELSE format('%s of its %s node-hours came after it was measured last', round(j.since_then::numeric, 1),
                    round(j.node_hours::numeric, 1)) END,
           j.n_jobs, j.node_hours, j.last_at
    FROM judged j WHERE j.what IS NOT NULL AND j.node_hours IS NOT NULL ORDER BY j.stake DESC NULLS LAST, j.application LIMIT n
$$;
COMMENT ON FUNCTION perfhouse.measure_next(int4, timestamptz) IS
    'Which applications deserve a profile or a trace next, by the node-hours at stake: those of which nothing was measured, those whose '
    'latest run took longer than their experiment does, by three standard deviations of what is known of its noise (known_noise) and 2 % '
    'or more, or whose profiles show a parallel efficiency below 0.8, which no trace explains (their node-hours lost), and '
    'those of which more than half of the node-hours came after the last measurement. '
    'Of jobs that ended since then (null: 30 days ago), by accounting (load_jobs); '
    'last_measured_at is null where that was never.';
