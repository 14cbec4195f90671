-- 041-explain-devices.sql - what a run's devices lost time by: part of explain_run (043-explain.sql).

CREATE OR REPLACE FUNCTION perfhouse_internal.percent(part numeric, whole numeric) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$ SELECT round(100 * $1 / nullif($2, 0), 1) || ' %' $$;
COMMENT ON FUNCTION perfhouse_internal.percent(numeric, numeric) IS 'A part of a whole for people: "12.5 %".';

CREATE OR REPLACE FUNCTION perfhouse_internal.has_devices(run bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT EXISTS (SELECT 1 FROM perfhouse.trace t JOIN perfhouse.trace_stream s USING (run_id)
        WHERE t.run_id = $1 AND t.events_dropped_at IS NULL)
$$;
COMMENT ON FUNCTION perfhouse_internal.has_devices(bigint) IS 'Whether a run has a trace of which streams of devices can be asked.';

CREATE OR REPLACE FUNCTION perfhouse_internal.is_sampled(run bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT EXISTS (SELECT FROM perfhouse.run r WHERE r.run_id = $1 AND r.meta @> '{"trace.sampled": true}')
$$;
COMMENT ON FUNCTION perfhouse_internal.is_sampled(bigint) IS
    'Whether the calls of a run''s trace are made of samples: critical path, waits and predictions refuse it.';

CREATE OR REPLACE FUNCTION perfhouse_internal.device_window(run bigint, OUT n int8, OUT t_from int8, OUT t_to int8)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT a.n, CASE WHEN a.n > 2000000 THEN t.duration / 2 END,
        CASE WHEN a.n > 2000000 THEN t.duration / 2 + (t.duration * 500000.0 / a.n)::int8 END
    FROM perfhouse.trace t, LATERAL (SELECT coalesce(sum(c.n_enter), 0)::int8 AS n
        FROM perfhouse.trace_stream s JOIN perfhouse.trace_chunk c USING (run_id, location_id) WHERE s.run_id = $1) a
    WHERE t.run_id = $1
$$;
COMMENT ON FUNCTION perfhouse_internal.device_window(bigint) IS
    'How many activities of devices a trace has, and where explanations look at single ones: null, everywhere, or from the middle on '
    'as long as half a million take.';

-- ---------------------------------------------------------------------------------------- a slow device
CREATE OR REPLACE FUNCTION perfhouse_internal.kernels_beside(run bigint, rank int4, others int4[], t_from int8, t_to int8,
    OUT slower float8, OUT more float8)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT (sum(k.total) / nullif(sum(k.calls * o.mean), 0))::float8,
        (sum(k.calls * o.mean) * cardinality($3) / nullif(sum(o.total), 0))::float8
    FROM perfhouse.kernels($1, $4, $5, ARRAY[$2]) k JOIN perfhouse.kernels($1, $4, $5, $3) o USING (name)
    WHERE NOT k.communicates
$$;
COMMENT ON FUNCTION perfhouse_internal.kernels_beside(bigint, int4, int4[], int8, int8) IS
    'How much longer a rank''s kernels take than kernels of the same names of others (1: as long), and how much more of them it runs, '
    'weighted by what they take there.';

CREATE OR REPLACE FUNCTION perfhouse_internal.slow_device_text(rank int4, computes float8, others float8, slower float8, more float8,
    first_half float8, second_half float8, devices bigint, other_ranks int4[]) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT format('The %s %s times as long as %s (%s beside %s): %s.',
        CASE WHEN $8 > 1 THEN format('%s devices of rank %s compute', $8, $1) ELSE format('device of rank %s computes', $1) END,
        round(($2 / $3)::numeric, 2), CASE WHEN cardinality($9) > 1 THEN 'those of the other ranks'
            ELSE format('%s of rank %s', CASE WHEN $8 > 1 THEN 'those' ELSE 'that' END, ($9)[1]) END,
        perfhouse.readable($2 / 1e9, 's'), perfhouse.readable($3 / 1e9, 's'),
        CASE WHEN $7 >= 1.15 * $6 AND $7 >= 1.1 THEN format('the same kernels take %s times as long in the second half of the run, and '
                '%s times in the first: it gets slower, as devices do that throttle (look at its clock, power and temperature)',
                round($7::numeric, 2), round($6::numeric, 2))
            WHEN $4 - 1 >= 0.5 * ($2 / $3 - 1) THEN format('the same kernels take %s times as long there: the device is slow, or they have '
                'more to do (look at its clock and at the sizes of its data)', round($4::numeric, 2))
            ELSE format('it runs %s times the work of the others: the work could be spread more evenly', round($5::numeric, 2)) END)
$$;
COMMENT ON FUNCTION perfhouse_internal.slow_device_text(int4, float8, float8, float8, float8, float8, float8, bigint, int4[]) IS
    'The sentence of a rank whose devices, so many, compute longest: ns there and by the median of the others; kernels_beside of the run '
    'and of its halves.';

CREATE OR REPLACE FUNCTION perfhouse_internal.explain_slow_device(run bigint)
RETURNS TABLE (step text, sentence text, confidence text, shape text, cause text, path text, units text, share float8, effect float8,
    evidence text, picture text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 SET search_path = pg_catalog, pg_temp AS $$
    WITH ranks AS MATERIALIZED (
        SELECT a.rank, sum(a.compute)::float8 AS compute, max(a.wall)::float8 AS wall, count(*) AS devices
        FROM perfhouse.gpu_activity($1) a GROUP BY 1),
    last AS (SELECT r.* FROM ranks r ORDER BY r.compute DESC, r.rank LIMIT 1),
    slow AS MATERIALIZED (
        SELECT l.rank, l.compute, l.wall, l.devices, o.median, o.ranks
        FROM last l, LATERAL (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY r.compute) AS median, array_agg(r.rank) AS ranks
            FROM ranks r WHERE r.rank <> l.rank) o
        WHERE o.median > 0 AND l.compute >= 1.1 * o.median AND l.compute - o.median >= 0.03 * l.wall)
    SELECT 'devices', perfhouse_internal.slow_device_text(s.rank, s.compute, s.median, k.slower, k.more, a.slower, b.slower,
            s.devices, s.ranks),
        'medium', NULL, NULL, NULL, 'rank ' || s.rank, (s.compute - s.median) / s.wall, (s.compute - s.median) / 1e9,
        format('SELECT device, compute, communication, idle FROM perfhouse.gpu_activity(%s) ORDER BY compute DESC', $1),
        format('perfhouse render gpu-activity --run %s -o explain.svg', $1)
    FROM slow s JOIN perfhouse.trace t ON t.run_id = $1
        CROSS JOIN LATERAL perfhouse_internal.kernels_beside($1, s.rank, s.ranks, 0, t.duration) k
        CROSS JOIN LATERAL perfhouse_internal.kernels_beside($1, s.rank, s.ranks, 0, t.duration / 2) a
        CROSS JOIN LATERAL perfhouse_internal.kernels_beside($1, s.rank, s.ranks, t.duration / 2, t.duration) b
    WHERE k.slower IS NOT NULL
$$;
COMMENT ON FUNCTION perfhouse_internal.explain_slow_device(bigint) IS
    'The rank whose device computes longest, when that is a tenth longer than the median of the others and 3 % of its time or more: '
    'because it is slow, gets slower, or has more to do.';

CREATE OR REPLACE FUNCTION perfhouse_internal.explain_device_collectives(run bigint)
RETURNS TABLE (step text, sentence text, confidence text, shape text, cause text, path text, units text, share float8, effect float8,
    evidence text, picture text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 SET search_path = pg_catalog, pg_temp AS $$
    WITH members AS MATERIALIZED (
        SELECT m.* FROM perfhouse_internal.device_window($1) p, perfhouse.device_collectives($1, p.t_from, p.t_to) m),
    whole AS (SELECT count(DISTINCT m.collective) AS n, sum(m.t_end - m.t_start) AS takes FROM members m),
    late AS (
        SELECT m.last_rank, count(DISTINCT m.collective) AS n, sum(m.wait) AS waits, sum(sum(m.wait)) OVER () AS of_all
        FROM members m GROUP BY 1 ORDER BY 3 DESC, 1 LIMIT 1),
    used AS (
        SELECT sum(a.wall) AS wall FROM perfhouse_internal.device_window($1) p, perfhouse.gpu_activity($1, p.t_from, p.t_to) a)
    SELECT 'devices', format('Rank %s comes last to %s of %s collectives of devices; the others'' devices wait %s for it in them, '
            '%s of all that collectives take.', l.last_rank, l.n, w.n, perfhouse.readable((l.waits / 1e9)::float8, 's'),
            perfhouse_internal.percent(l.waits, w.takes)),
        'high', NULL, NULL, NULL, 'rank ' || l.last_rank, (l.waits / u.wall)::float8, (l.waits / 1e9)::float8,
        format('SELECT last_rank, count(DISTINCT collective), sum(wait) FROM perfhouse.device_collectives(%s) '
            'GROUP BY 1 ORDER BY 3 DESC', $1),
        format('perfhouse render timeline --run %s -o explain.svg', $1)
    FROM late l, whole w, used u WHERE 2 * l.waits >= l.of_all AND l.waits >= 0.02 * u.wall
$$;
COMMENT ON FUNCTION perfhouse_internal.explain_device_collectives(bigint) IS
    'The rank for which the devices of the others wait in collectives, when half of that waiting or more is for it and it is 2 % of the '
    'devices'' time or more.';

-- ---------------------------------------------------------------------------------------- all devices
CREATE OR REPLACE FUNCTION perfhouse_internal.explain_device_use(run bigint)
RETURNS TABLE (step text, sentence text, confidence text, shape text, cause text, path text, units text, share float8, effect float8,
    evidence text, picture text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 4 SET search_path = pg_catalog, pg_temp AS $$
    WITH used AS MATERIALIZED (
        SELECT count(*) AS n, sum(o.compute + o.overlap) AS compute, sum(o.exposed) AS exposed, sum(o.copies) AS copies,
            sum(o.host_wait) AS host_wait, sum(o.launch_gap) AS launch_gap, sum(o.other) AS other,
            sum(o.compute + o.overlap + o.exposed + o.copies + o.host_wait + o.launch_gap + o.other) AS wall
        FROM perfhouse.gpu_over_time($1, 1) o),
    parts AS (
        SELECT p.* FROM used u, LATERAL (VALUES (1, u.exposed, 'communication that no computation hides'),
            (2, u.copies, 'copies beside which no kernel runs'), (3, u.host_wait, 'waiting for the host to launch work'),
            (4, u.launch_gap, 'gaps between kernels that were launched in time'),
            (5, u.other, 'waiting for other streams, or for what is not known')) p (no, ns, what)
        WHERE p.ns >= 0.0005 * u.wall),
    launches AS (
        SELECT sum(l.activities * l.mean_call) / sum(l.activities) AS call,
            sum(l.activities * l.mean_duration) / sum(l.activities) AS activity, sum(l.activities) AS n, sum(l.shorter_than_call) AS n_short
        FROM used u, perfhouse_internal.device_window($1) p, perfhouse.launch_statistics($1, p.t_from, p.t_to) l
        WHERE u.compute < 0.9 * u.wall AND l.call ~* 'launch' HAVING sum(l.activities) > 0),
    copied AS (
        SELECT c.* FROM used u, perfhouse.copies($1) c WHERE u.copies >= 0.03 * u.wall ORDER BY c.total DESC, c.name LIMIT 1)
    SELECT 'devices', format('%s for %s of the time between %s first and last activity%s.',
            CASE u.n WHEN 1 THEN 'The device computes' ELSE u.n || ' devices compute' END,
            perfhouse_internal.percent(u.compute, u.wall), CASE u.n WHEN 1 THEN 'its' ELSE 'their' END,
            coalesce('; the rest: ' || (SELECT string_agg(format('%s %s', perfhouse_internal.percent(p.ns, u.wall), p.what), ', '
                ORDER BY p.ns DESC, p.no) FROM parts p), '')),
        'high', NULL, NULL, NULL, NULL, (1 - u.compute / u.wall)::float8, ((u.wall - u.compute) / 1e9)::float8,
        format('SELECT device, compute, overlap, exposed, copies, host_wait, launch_gap, other FROM perfhouse.gpu_over_time(%s, 1)', $1),
        format('perfhouse render gpu-activity --run %s -o explain.svg', $1)
    FROM used u WHERE u.wall > 0
    UNION ALL
    SELECT 'devices', format('The run is bound by launches: %s of %s kernels take less time than the call that launched them (%s on '
            'average). Fewer and larger kernels, or graphs of them, would keep devices busy.', l.n_short, l.n,
            perfhouse.readable(l.call / 1e9, 's')),
        'high', NULL, NULL, NULL, NULL, (1 - u.compute / u.wall)::float8, ((u.wall - u.compute) / 1e9)::float8,
        format('SELECT rank, call, activities, shorter_than_call, mean_call, mean_duration FROM perfhouse.launch_statistics(%s)', $1),
        format('perfhouse render timeline --run %s -o explain.svg', $1)
    FROM used u, launches l WHERE 2 * l.n_short >= l.n
    UNION ALL
    SELECT 'devices', format('Devices wait %s for the host to launch work, which takes %s a call for activities of %s: it does something '
            'else in between, such as waiting for results or preparing data.', perfhouse.readable((u.host_wait / 1e9)::float8, 's'),
            perfhouse.readable(l.call / 1e9, 's'), perfhouse.readable(l.activity / 1e9, 's')),
        'medium', NULL, NULL, NULL, NULL, (u.host_wait / u.wall)::float8, (u.host_wait / 1e9)::float8,
        format('SELECT device, bin_start, host_wait FROM perfhouse.gpu_over_time(%s) WHERE host_wait > 0 ORDER BY host_wait DESC '
            'LIMIT 10', $1),
        format('perfhouse render timeline --run %s -o explain.svg', $1)
    FROM used u, launches l WHERE 2 * l.n_short < l.n AND u.host_wait >= 0.03 * u.wall
    UNION ALL
    SELECT 'devices', format('Copies beside which no kernel runs take %s; most are %s, %s at %s. On a stream of their own, of pinned '
            'memory, they could run beside kernels.', perfhouse.readable((u.copies / 1e9)::float8, 's'), c.name,
            perfhouse.readable(c.bytes::float8, 'bytes'), perfhouse.readable(c.bandwidth, 'bytes') || '/s'),
        'medium', NULL, NULL, c.name, NULL, (u.copies / u.wall)::float8, (u.copies / 1e9)::float8,
        format('SELECT name, calls, bytes, total, bandwidth FROM perfhouse.copies(%s)', $1),
        format('perfhouse render gpu-activity --run %s -o explain.svg', $1)
    FROM used u, copied c
$$;
COMMENT ON FUNCTION perfhouse_internal.explain_device_use(bigint) IS
    'What devices did between their first and last activity; then whether most kernels are shorter than their launch, and, from 3 % of '
    'that time on, how long they wait for the host, and which copies nothing hides.';

CREATE OR REPLACE FUNCTION perfhouse_internal.explain_dearest_kernel(run bigint)
RETURNS TABLE (step text, sentence text, confidence text, shape text, cause text, path text, units text, share float8, effect float8,
    evidence text, picture text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 SET search_path = pg_catalog, pg_temp AS $$
    SELECT 'devices', format('The dearest kernel is %s: %s of what kernels take, in %s call%s of %s.', perfhouse.short_name(k.name),
            perfhouse_internal.percent(k.share::numeric, 1), k.calls, CASE k.calls WHEN 1 THEN '' ELSE 's' END,
            perfhouse.readable(k.mean / 1e9, 's')),
        'high', NULL, NULL, k.name, NULL, k.share, k.total / 1e9::float8,
        format('SELECT name, calls, total, mean, max, rank_min, rank_max FROM perfhouse.kernels(%s) LIMIT 10', $1),
        format('perfhouse render flame --run %s --metric ''gpu time'' -o explain.svg', $1)
    FROM perfhouse.kernels($1) k WHERE NOT k.communicates ORDER BY k.total DESC, k.name LIMIT 1
$$;
COMMENT ON FUNCTION perfhouse_internal.explain_dearest_kernel(bigint) IS 'The kernel that computes longest, of all devices.';

CREATE OR REPLACE FUNCTION perfhouse_internal.explain_devices(run bigint)
RETURNS TABLE (step text, sentence text, confidence text, shape text, cause text, path text, units text, share float8, effect float8,
    evidence text, picture text)
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE ROWS 4 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT perfhouse_internal.has_devices(run) THEN
        RETURN QUERY SELECT * FROM perfhouse_internal.explain_device_profile(run);
        RETURN;
    END IF;
    RETURN QUERY SELECT * FROM perfhouse_internal.explain_device_use(run);
    RETURN QUERY SELECT * FROM perfhouse_internal.explain_slow_device(run);
    RETURN QUERY SELECT * FROM perfhouse_internal.explain_device_collectives(run);
    RETURN QUERY SELECT * FROM perfhouse_internal.explain_dearest_kernel(run);
    RETURN QUERY SELECT 'devices', format('Devices ran %s activities, too many to look at each: what is said of launches and collectives '
            'is of %s in the middle of the run.', w.n, perfhouse.readable((w.t_to - w.t_from) / 1e9, 's')),
        'high', NULL::text, NULL::text, NULL::text, NULL::text, NULL::float8, NULL::float8,
        format('SELECT * FROM perfhouse.launch_statistics(%s, %s, %s)', run, w.t_from, w.t_to), NULL::text
    FROM perfhouse_internal.device_window(run) w WHERE w.t_from IS NOT NULL;
END $$;
COMMENT ON FUNCTION perfhouse_internal.explain_devices(bigint) IS
    'What a traced run''s devices lost time by, or what a profile says of them; no row where it has none.';
