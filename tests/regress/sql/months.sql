-- months.sql - what functions cost over months: the same whatever was rolled up, and whatever happened since.
SET timezone = 'UTC';
INSERT INTO metric (name, unit) VALUES ('time', 's'), ('time', 'ms'), ('size', 'B') ON CONFLICT DO NOTHING;
CREATE TABLE public.month_metric AS SELECT (array_agg(metric_id ORDER BY unit))[1:3] AS ids FROM metric
	WHERE (name, unit) IN (('time', 's'), ('time', 'ms'), ('size', 'B'));
INSERT INTO region (region_id, kind, name, library) SELECT 770000 + i, 0, CASE i WHEN 5 THEN 'MPI_Month' WHEN 4 THEN 'month 3' ELSE 'month ' || i END, 'lib' || i
	FROM generate_series(1, 5) i;
-- The same numbers every time: no test depends on random().
CREATE FUNCTION public.draw(seed int, most int) RETURNS int LANGUAGE sql IMMUTABLE AS $$
	SELECT (abs(hashint8extended(seed, 77)) % $2)::int $$;

-- A run of month 0 to 4 with some of the regions, under one metric that is its primary one and another that is not.
CREATE FUNCTION public.add_month_run(seed int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	id bigint;
	first int := 1 + public.draw(seed * 10, 3);
	metrics int[] := (SELECT ids FROM public.month_metric);
BEGIN
	INSERT INTO run (fingerprint, state, application, format, n_ranks, n_units, n_hosts, metrics, metric_ids, started_at, loaded_at, excluded_reason, cluster)
	VALUES ('month ' || seed, 'ready', (ARRAY['month a', 'month b', NULL])[1 + public.draw(seed * 10 + 1, 3)], 'sql', 4, nullif(2 * public.draw(seed * 10 + 2, 4), 6),
		nullif(public.draw(seed * 10 + 3, 3), 0), ARRAY['time', 'other'], ARRAY[metrics[first], metrics[1 + first % 3]],
		CASE WHEN seed % 7 > 0 THEN timestamptz '2020-01-01' + interval '1 hour' * public.draw(seed * 10 + 4, 3600) END,
		timestamptz '2020-05-01' + interval '1 hour' * seed, CASE WHEN seed % 11 = 0 THEN 'noise' END, 'cluster' || seed % 2) RETURNING run_id INTO id;
	INSERT INTO region_summary
	SELECT id, 770000 + i, m, 1, 8 + public.draw(seed * 100 + i, 5), v, v / 2, v * 1.5
	FROM generate_series(1, 5) i, unnest(metrics[first:first] || metrics[1 + first % 3]) m, LATERAL (SELECT public.draw(seed * 100 + 10 * i + m, 9)::float8 AS v) q
	WHERE public.draw(seed * 100 + 50 + i, 4) > 0;
	RETURN id;
END $$;

-- What the roll-up must not change, asked of the runs themselves.
CREATE VIEW public.month_runs AS SELECT r.*, greatest(r.n_units, r.n_ranks) AS units FROM run r WHERE r.state = 'ready' AND r.fingerprint LIKE 'month %';
CREATE FUNCTION public.plain_costs(since timestamptz, until timestamptz, app text) RETURNS TABLE (application text, region_id bigint, unit text, n_runs bigint, exclusive float8, unit_hours float8)
LANGUAGE sql AS $$
	SELECT r.application, s.region_id, m.unit, count(*), sum(s.exclusive * m.factor), sum(CASE WHEN m.dimension = 'time' THEN s.exclusive * m.factor * r.units END) / 3600
	FROM public.month_runs r JOIN region_summary s ON s.run_id = r.run_id AND s.metric_id = r.metric_ids[1] JOIN metric_overview m USING (metric_id)
	WHERE coalesce(r.started_at, r.loaded_at) >= since AND coalesce(r.started_at, r.loaded_at) < until AND (app IS NULL OR r.application = app) GROUP BY 1, 2, 3 $$;
CREATE FUNCTION public.wrong_costs(since timestamptz, until timestamptz, app text) RETURNS bigint LANGUAGE sql AS $$
	SELECT count(*) FROM (SELECT * FROM function_costs(since, until, app) WHERE region_id / 1000 = 770) f
	FULL JOIN public.plain_costs(since, until, app) p ON p.application IS NOT DISTINCT FROM f.application AND p.region_id = f.region_id AND p.unit = f.unit
	WHERE (f.n_runs = p.n_runs AND abs(f.exclusive - p.exclusive) <= 1e-12 * p.exclusive
		AND (f.unit_hours IS NULL AND p.unit_hours IS NULL OR abs(f.unit_hours - p.unit_hours) <= 1e-12 * p.unit_hours)) IS NOT TRUE $$;
CREATE FUNCTION public.wrong_losses(since timestamptz) RETURNS bigint LANGUAGE sql AS $$
	SELECT count(*) FROM (SELECT * FROM lost_node_hours(since) l WHERE l.cause = 'imbalance' AND l.what LIKE 'month%') l
	FULL JOIN (SELECT r.application, g.name, sum((s.max - s.exclusive) * m.factor * coalesce(r.n_hosts, 1)) / 3600 AS node_hours, count(*) AS runs
		FROM public.month_runs r JOIN region_summary s ON s.run_id = r.run_id AND s.metric_id = r.metric_ids[1] JOIN metric m USING (metric_id) JOIN region g USING (region_id)
		WHERE m.dimension = 'time' AND r.excluded_reason IS NULL AND g.name <> 'MPI_Month' AND coalesce(r.started_at, r.loaded_at) >= since GROUP BY 1, 2) p
		ON p.application IS NOT DISTINCT FROM l.application AND p.name = l.what
	WHERE (l.runs = p.runs AND abs(l.node_hours - p.node_hours) <= 1e-12 * p.node_hours) IS NOT TRUE $$;
CREATE FUNCTION public.wrong_series(app text, metric text, filter text, cost text) RETURNS bigint LANGUAGE sql AS $$
	WITH chosen AS MATERIALIZED (SELECT * FROM history_runs(app, metric, filter)),
	plain AS (SELECT c.series, v.key, dense_series(c.place, v.value, c.length) AS "values"
		FROM (SELECT array_agg(run_id) AS runs, array_agg(metric_id) AS metric_ids FROM chosen) l,
			perfhouse_internal.history_cells(l.runs, l.metric_ids, 'function', cost, app) v JOIN chosen c USING (run_id) GROUP BY 1, 2)
	SELECT count(*) FROM plain p FULL JOIN (SELECT * FROM history_series(app, metric, 'function', filter, cost)) s USING (series, key)
	WHERE (SELECT bool_and(abs(x - y) <= 1e-12 * abs(x)) FROM unnest(p."values", s."values") u (x, y)) IS NOT TRUE $$;

SELECT count(public.add_month_run(i)) FROM generate_series(1, 150) i;
SELECT refresh_months(), refresh_months() AS again, refresh_months(least_share => 0.5) AS idle;
-- every step changes the runs somehow, sometimes rolls up, and then asks everything
CREATE TABLE public.month_step (step int, what text, fresh bigint, wrong bigint);
DO $$
DECLARE
	what text;
	picked bigint;
	wrong bigint;
BEGIN
	FOR step IN 1 .. 36 LOOP
		SELECT run_id INTO picked FROM public.month_runs ORDER BY public.draw(step * 1000 + run_id::int, 100000), run_id LIMIT 1;
		what := (ARRAY['late', 'late', 'drop', 'exclude', 'include', 'rename', 'move', 'replace', 'refresh', 'refresh some', 'empty', 'unit'])[1 + public.draw(step, 12)];
		CASE what
			WHEN 'late' THEN PERFORM public.add_month_run(1000 + step), public.add_month_run(2000 + step);
			WHEN 'drop' THEN PERFORM drop_run(picked);
			WHEN 'exclude' THEN UPDATE run SET excluded_reason = 'broken' WHERE run_id = picked;
			WHEN 'include' THEN UPDATE run SET excluded_reason = NULL WHERE run_id = picked;
			WHEN 'rename' THEN UPDATE run SET application = CASE application WHEN 'month a' THEN 'month b' ELSE 'month a' END WHERE run_id = picked;
			WHEN 'move' THEN UPDATE run SET started_at = started_at - interval '1 month' WHERE run_id = picked;
			WHEN 'replace' THEN
				UPDATE run SET loaded_at = loaded_at + interval '1 second' WHERE run_id = picked;
				UPDATE region_summary SET exclusive = exclusive + 1, max = max + 3 WHERE run_id = picked;
			WHEN 'refresh' THEN PERFORM refresh_months();
			WHEN 'refresh some' THEN PERFORM refresh_months('month a', 0.125);
			WHEN 'empty' THEN PERFORM drop_run(run_id) FROM public.month_runs WHERE application = 'month b' AND started_at >= '2020-04-01';
			WHEN 'unit' THEN UPDATE run SET n_units = 1 + step WHERE run_id = picked;
		END CASE;
		wrong := public.wrong_costs('-infinity', 'infinity', NULL) + public.wrong_costs('2020-02-01', '2020-04-01', NULL)
			+ public.wrong_costs('2020-01-13 05:00', '2020-03-20', 'month a') + public.wrong_losses('-infinity') + public.wrong_losses('2020-03-01')
			+ public.wrong_series('month a', 'time', NULL, 'exclusive') + public.wrong_series('month b', 'other', NULL, 'exclusive')
			+ public.wrong_series('month a', 'time', 'cluster = cluster1', 'exclusive') + public.wrong_series('month b', 'time', NULL, 'imbalance');
		INSERT INTO public.month_step SELECT step, what, count(DISTINCT (r.month)), wrong FROM perfhouse_internal.series_places('month a', 'time', NULL, true) r;
	END LOOP;
END $$;
SELECT * FROM public.month_step WHERE wrong > 0;
SELECT count(*) AS steps, count(DISTINCT what) AS kinds, count(*) FILTER (WHERE fresh > 0) > 20 AS mostly_rolled_up, count(DISTINCT fresh) > 2 AS some_stale FROM public.month_step;

-- who sees some of the runs only does not read what was made of all
CREATE ROLE regress_months LOGIN IN ROLE perfhouse_reader;
CALL enable_projects();
SET SESSION AUTHORIZATION regress_months;
SELECT count(*) AS months, (SELECT count(*) FROM region_month) AS regions, (SELECT count(*) FROM function_costs()) AS costs FROM run_month;
RESET SESSION AUTHORIZATION;
CALL disable_projects();
DROP ROLE regress_months;

-- keys of runs follow whatever is written
SELECT count(*) > 0 AS has_some, count(*) FILTER (WHERE primary_metric_id IS DISTINCT FROM metric_ids[1]) AS wrong_metrics,
	count(*) FILTER (WHERE default_experiment IS DISTINCT FROM
		application || E'\x1F' || array_to_string(perfhouse_internal.key_values(to_jsonb(r), default_keys()), E'\x1F', E'\x1E')) AS wrong_experiments FROM run r;
SELECT f.code FROM public.fails('UPDATE run SET primary_metric_id = 1') f;

-- months of times, whatever the session's time zone is
SET timezone = 'Asia/Tokyo';
SELECT count(*) AS times, count(*) FILTER (WHERE perfhouse_internal.month_of(t) IS DISTINCT FROM date_trunc('month', t AT TIME ZONE 'UTC')::date) AS wrong
	FROM (SELECT timestamptz '2020-01-01 00:00:00Z' + interval '37 hours 11 minutes' * i AS t FROM generate_series(-3000, 3000) i
		UNION ALL SELECT unnest(ARRAY['2024-02-29 23:59:59.999999Z', '2024-03-01Z', '0044-03-15 BC', '-infinity', 'infinity']::timestamptz[])) q;
SET timezone = 'UTC';
SELECT count(DISTINCT m) AS marks FROM (VALUES (1, '2020-01-01', false, 1, 1, 1), (2, '2020-01-01', false, 1, 1, 1), (1, '2020-01-02', false, 1, 1, 1),
	(1, '2020-01-01', true, 1, 1, 1), (1, '2020-01-01', false, NULL, 1, 1), (1, '2020-01-01', false, 1, NULL, 1), (1, '2020-01-01', false, 1, 1, 2)) v (r, l, e, i, u, h),
	perfhouse_internal.run_mark(r, l::timestamptz, e, i, u, h) m;

-- values as arrays
SELECT dense_series('{0,2}', '{9,7}', '{7,8,9}', '{2.5,4,1.5}', 2, 4), dense_series('{1}', NULL, NULL, '{3}', 1, 2), dense_series('{1}', '{5}', '{6}', '{3}', 1, 2) IS NULL AS none;
SELECT f.code, f.message FROM unnest(ARRAY[$$SELECT dense_series('{0,1}', '{1}', NULL, '{1,2}', 1, 2)$$, $$SELECT dense_series('{0,1}', NULL, '{1}', '{1,2}', 1, 2)$$,
	$$SELECT dense_series('{2}', NULL, NULL, '{1}', 1, 2)$$]) s, public.fails(s) f;

SELECT count(drop_run(run_id)) > 100 AS dropped FROM public.month_runs;
SELECT refresh_months() > 0 AS refreshed;
SELECT count(*) FROM run_month WHERE application LIKE 'month %';
DROP VIEW public.month_runs CASCADE;
DROP TABLE public.month_metric, public.month_step;
DELETE FROM region WHERE region_id / 1000 = 770;
DELETE FROM metric WHERE (name, unit) IN (('time', 'ms'), ('size', 'B'));
RESET timezone;
