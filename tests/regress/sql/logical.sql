-- logical.sql - logical time of run 901 (by hand) and run 902 (at random), see data/make-traces.c.
\set ECHO none
\set QUIET on
\i regress/data/traces.sql
\set ECHO all

-- ---- nothing is there yet
SELECT * FROM public.fails('SELECT * FROM perfhouse.phases(901)');
SELECT * FROM public.fails('SELECT * FROM perfhouse.logical_steps(1)');

-- ---- what people read
SELECT perfhouse.assign_logical_steps(901) - 'seconds';
SELECT location, seq, region, kind, n_messages, enter, leave, phase, step, lateness, aggregate_lateness, differential_lateness, peers FROM perfhouse.logical_steps(901);
SELECT phase, first_step, last_step, n_events, n_locations, pattern, max_lateness, merge_reason FROM perfhouse.phases(901) ORDER BY phase;
SELECT phase, leap, t_first, t_last, is_runtime, imbalance, regions, merge_reasons FROM perfhouse.phases(901);
SELECT * FROM perfhouse.phase_dag(901);
SELECT * FROM perfhouse.phase_members(901, 0);
SELECT step, n_events, sum, max, round(mean::numeric, 2) AS mean, latest_location, t_first, t_last FROM perfhouse.step_summary(901);
SELECT step, sum FROM perfhouse.step_summary(901, 'aggregate_duration') WHERE sum > 0;
SELECT * FROM perfhouse.step_time_span(901, 0, 2);
SELECT * FROM perfhouse.logical_messages(901);
SELECT * FROM perfhouse.exchange_patterns(901);
SELECT * FROM perfhouse_internal.exchange_patterns_0_1_0(901);
SELECT * FROM perfhouse.pattern_members(901, 0);
-- every phase has one pattern; what all of its ranks do is as late as the phase, and sums of how events were joined are those of the phase
SELECT count(*) = (SELECT count(*) FROM perfhouse.phases(901)) AS all_phases, bool_and(p.pattern IS NOT NULL AND p.following BETWEEN 0 AND 1
	AND p.deviation_ns = p.ns - p.ideal_ns AND p.merged = h.n_events - h.n_locations AND p.ns = h.t_last - h.t_first) AS sound
FROM perfhouse.exchange_patterns(901) p JOIN perfhouse.phases(901) h USING (phase);
-- patterns of users: the application's own ones come first, then those of all
SELECT perfhouse.pattern_matches('S*R*', 'SSR') AS yes, perfhouse.pattern_matches('S*R*', 'RS') AS no, perfhouse.pattern_matches(NULL, 'S') AS nothing;
SELECT perfhouse.define_pattern('whatever', '(S|R|W|A|C)+'), perfhouse.define_pattern('of others', 'C+', 'somebody');
SELECT DISTINCT pattern, following FROM perfhouse.exchange_patterns(901);
SELECT perfhouse.define_pattern('whatever', '(S|R|W|A)+');
SELECT pattern, count(*) FROM perfhouse.exchange_patterns(901) GROUP BY 1 ORDER BY 1;
SELECT application, name, expression FROM perfhouse.exchange_pattern ORDER BY 2;
SELECT perfhouse.drop_pattern('whatever'), perfhouse.drop_pattern('of others', 'somebody');
SELECT * FROM public.fails($$SELECT perfhouse.drop_pattern('whatever')$$);
SELECT * FROM public.fails($$SELECT perfhouse.define_pattern('x', 'S(R')$$);
SELECT * FROM public.fails($$SELECT perfhouse.define_pattern('x', 'SS[AR]')$$);
SELECT * FROM public.fails($$SELECT perfhouse.define_pattern('x', 'S*R*')$$);
SELECT * FROM public.fails($$SELECT perfhouse.define_pattern('x', NULL)$$);
SELECT * FROM public.fails($$SELECT perfhouse.define_pattern('', 'S')$$);
SELECT * FROM public.fails($$SELECT perfhouse.define_pattern('tree', 'S')$$);
SELECT * FROM public.fails($$SELECT perfhouse.pattern_matches(repeat('S', 1001), 'S')$$);
-- what stays when times change: nothing is moved within 0 ns, equal rounds are equal
SELECT count(*), bool_and(moved = 0 AND phases_kept = phases AND steps_kept = steps) FROM perfhouse.structure_stability(901, 3, 0);
SELECT s.round, s.phases = (SELECT count(*) FROM perfhouse.phases(901)) AS all_phases, s.phases_kept <= s.phases AND s.steps_kept <= s.steps AS sound,
	s.within_ns > 0 AS within FROM perfhouse.structure_stability(901, 2) s;
CREATE TABLE public.stable AS SELECT * FROM perfhouse.structure_stability(901, 4, 100000);
SELECT count(*) FROM (TABLE public.stable EXCEPT SELECT * FROM perfhouse.structure_stability(901, 4, 100000)) q;
SELECT * FROM public.fails('SELECT * FROM perfhouse.structure_stability(901, 0)');
SELECT * FROM public.fails('SELECT * FROM perfhouse.structure_stability(901, 1, -1)');
SELECT * FROM public.fails('SELECT * FROM perfhouse.structure_stability(4711)');
SELECT count(*) FROM perfhouse.structure_stability(NULL);
-- the deviation of events is that of their phases and ranks: the last event of a member has the member's
SELECT count(*) > 0 AS any, bool_and(c.value = m.deviation_ns) AS same FROM perfhouse.exchange_patterns(901) p,
	perfhouse.pattern_members(901, p.phase) m JOIN perfhouse.phase_members(901, p.phase) e USING (location)
	JOIN perfhouse.logical_cells(901, 'deviation', max_columns => NULL) c ON (c.location, c.seq) = (e.location, e.last_event);
SELECT * FROM public.fails($$SELECT * FROM perfhouse.pattern_members(901, 77)$$);
SELECT * FROM public.fails($$SELECT * FROM perfhouse.exchange_patterns(4711)$$);
SELECT count(*) FROM perfhouse.exchange_patterns(NULL) UNION ALL SELECT count(*) FROM perfhouse.pattern_members(901, NULL);
-- the same phases, whatever the run and its number
SELECT phase, dense_rank() OVER (ORDER BY first) AS class, occurrence, occurrences, pattern, regions
	FROM (SELECT c.*, min(phase) OVER (PARTITION BY phase_class) AS first FROM perfhouse.phase_classes(901) c) c ORDER BY phase LIMIT 12;
SELECT count(*) FROM perfhouse.phase_classes(NULL);
SELECT * FROM public.fails($$SELECT * FROM perfhouse.phase_classes(-5)$$);
SELECT * FROM public.fails($$SELECT * FROM perfhouse.phase_history(NULL, 'n_ranks >')$$);
SELECT cluster, parent, round(distance::numeric, 2) AS distance, n_members, locations, max_metric, centroid, latest FROM perfhouse.step_clusters(901, 0);
SELECT * FROM perfhouse.focus_processes(901, 0);
SELECT location, seq, (perfhouse.logical_aggregates(901, location, seq)).* FROM perfhouse.logical_steps(901) WHERE location = 2;
SELECT location, seq, phase, step, rank, region, kind FROM perfhouse.logical_event WHERE run_id = 901 AND location = 0 ORDER BY seq;
SELECT phase_a, phase_b, step_a, step_b, delta_lateness, status FROM perfhouse.trace_diff(901, 901);
SELECT perfhouse.greatest_change(c), perfhouse.greatest_change(c) FILTER (WHERE c > 9) AS of_none, perfhouse.greatest_change(-c) AS other_way
	FROM unnest(ARRAY[3, -5, 5, NULL, 1]) c;
SELECT perfhouse.greatest_change(c) FROM unnest(ARRAY[9223372036854775807, -9223372036854775808]) c;
SELECT perfhouse.assign_logical_steps(901, '{"mode":"compat","call_tree_merge":false}') - 'seconds';
SELECT phase, first_step, last_step, merge_reasons FROM perfhouse.phases(901);

-- ---- counters
SELECT perfhouse.assign_logical_steps(901, '{"counter":"PAPI_TOT_INS"}') -> 'options' ->> 'counter' AS counter;
SELECT location, seq, counter, aggregate_counter, step_counter, aggregate_step_counter FROM perfhouse.logical_steps(901) WHERE counter <> 0 OR aggregate_counter <> 0;

-- ---- whatever the options, the structure is sound, and metrics are what plain SQL says
CREATE TEMP TABLE e ();
CREATE TEMP TABLE m ();
CREATE TEMP TABLE p ();
CREATE FUNCTION public.unsound(run bigint) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	DROP TABLE e, m, p;
	CREATE TEMP TABLE e AS SELECT * FROM perfhouse.logical_steps(run);
	CREATE TEMP TABLE m AS SELECT * FROM perfhouse.logical_messages(run);
	CREATE TEMP TABLE p AS SELECT * FROM perfhouse.phases(run);
	CREATE INDEX ON e (location, seq);
	ANALYZE e, m, p;
	RETURN QUERY SELECT 'an event without phase' FROM e LEFT JOIN p USING (phase) WHERE p.phase IS NULL OR step NOT BETWEEN p.first_step AND p.last_step
	UNION SELECT 'a phase of other numbers' FROM p LEFT JOIN (SELECT phase, count(*) AS n, count(DISTINCT location) AS l, min(step) AS a,
			max(step) AS b, max(lateness) AS late, min(enter) AS t0, max(leave) AS t1 FROM e GROUP BY 1) q USING (phase)
		WHERE (n_events, n_locations, first_step, last_step, max_lateness, t_first, t_last) IS DISTINCT FROM (q.n, q.l, q.a, q.b, q.late, q.t0, q.t1)
	UNION SELECT 'phases out of order' FROM (SELECT first_step, lag(first_step) OVER (ORDER BY phase) AS b FROM p) q WHERE first_step < b
	UNION SELECT 'a phase that is not one interval' FROM e GROUP BY location, phase HAVING max(seq) - min(seq) + 1 <> count(*)
	UNION SELECT 'members that are others' FROM p, perfhouse.phase_members(run, p.phase) k
		LEFT JOIN LATERAL (SELECT min(seq) AS a, max(seq) AS b FROM e WHERE (e.location, e.phase) = (k.location, p.phase)) q ON true
		WHERE (first_event, last_event) IS DISTINCT FROM (a, b)
	UNION SELECT 'steps that do not rise' FROM (SELECT step, lag(step) OVER (PARTITION BY location ORDER BY seq) AS b FROM e) q
		WHERE step <= b AND NOT (SELECT (options ->> 'reorder_receives')::boolean FROM perfhouse.logical l WHERE l.run_id = run)
	UNION SELECT 'a message that arrives before it is sent' FROM m WHERE receive_step <= send_step
		HAVING count(*) > (SELECT (notes ->> 'cut_messages')::int FROM perfhouse.logical l WHERE l.run_id = run)
	UNION SELECT 'a message between phases' FROM m JOIN e s ON (s.location, s.seq) = (sender_location, send_seq)
		JOIN e r ON (r.location, r.seq) = (receiver_location, receive_seq) WHERE s.phase <> r.phase OR s.step <> send_step OR r.step <> receive_step
	UNION SELECT 'other numbers of messages' FROM e LEFT JOIN (SELECT sender_location AS location, send_seq AS seq, count(*) AS n FROM m GROUP BY 1, 2
			UNION ALL SELECT receiver_location, receive_seq, count(*) FROM m GROUP BY 1, 2) q USING (location, seq) WHERE n_messages <> coalesce(n, 0)
	UNION SELECT 'a phase before one that it follows' FROM perfhouse.phase_dag(run) g JOIN p s ON s.phase = g.source JOIN p t ON t.phase = g.target
		WHERE s.last_step >= t.first_step OR s.leap >= t.leap
	UNION SELECT 'edges that are others' FROM ((SELECT DISTINCT b, phase FROM (SELECT phase, lag(phase) OVER (PARTITION BY location ORDER BY seq) AS b FROM e) q
			WHERE b <> phase) EXCEPT SELECT * FROM perfhouse.phase_dag(run)) q
	UNION SELECT 'metrics that are others' FROM (SELECT *, leave - min(leave) OVER w AS l, enter - min(enter) OVER w AS a, leave - min(leave) OVER g AS gl,
			enter - min(enter) OVER g AS ga, leave - enter - min(leave - enter) OVER w AS d, count(*) OVER w AS n FROM e
			WINDOW w AS (PARTITION BY phase, step), g AS (PARTITION BY step)) q
		WHERE (lateness, aggregate_lateness, global_lateness, aggregate_global_lateness, duration, peers) IS DISTINCT FROM (l, a, gl, ga, d, n)
	UNION SELECT 'differential lateness that is another' FROM e LEFT JOIN (SELECT receiver_location AS location, receive_seq AS seq, max(s.lateness) AS late
			FROM m JOIN e s ON (s.location, s.seq) = (sender_location, send_seq) GROUP BY 1, 2) q USING (location, seq)
		WHERE differential_lateness <> greatest(0, lateness - greatest(aggregate_lateness, CASE WHEN kind = 'receive' THEN late END))
	UNION SELECT 'aggregates that are others' FROM (SELECT *, lag(lateness, 1, 0::int8) OVER (PARTITION BY location ORDER BY seq) AS b FROM e) q
		WHERE aggregate_differential_lateness <> greatest(0, aggregate_lateness - b)
	UNION SELECT 'a first peer that is late' FROM e WHERE NOT EXISTS (SELECT FROM e f WHERE (f.phase, f.step, f.location, f.lateness) = (e.phase, e.step, e.earliest_location, 0))
	UNION SELECT 'a binding event that is not before' FROM e JOIN e b ON (b.location, b.seq) = (e.binding_location, e.binding_seq) WHERE b.step >= e.step
	UNION SELECT 'sums of steps that are others' FROM (SELECT step, count(*) AS n, sum(lateness) AS s, max(lateness) AS x FROM e GROUP BY 1) q
		FULL JOIN perfhouse.step_summary(run) t USING (step) WHERE (n_events, sum, max) IS DISTINCT FROM (n, s, x)
	UNION SELECT 'phases shown that are others' FROM (VALUES (0, 8, 3), (5, 30, 1000), (NULL, NULL, 2), (20, NULL, 5)) w (a, b, most)
		WHERE (SELECT string_agg(q::text, ' ' ORDER BY phase) FROM (SELECT * FROM p WHERE last_step >= coalesce(a, 0) AND first_step < coalesce(b, 9999)
			ORDER BY phase LIMIT most) q)
		IS DISTINCT FROM (SELECT string_agg(s::text, ' ' ORDER BY phase) FROM perfhouse_internal.phases_shown(run, a, b, most) s)
	UNION SELECT 'a span of phases that is another' FROM (SELECT t_first + 1, t_last FROM p UNION SELECT -5, 0) w (a, b)
		WHERE (SELECT (min(first_step), max(last_step))::text FROM p WHERE t_first < b AND t_last >= a)
		IS DISTINCT FROM coalesce((SELECT (first_step, last_step)::text FROM perfhouse_internal.phase_span(run, a, b)), '(,)')
	UNION SELECT 'bars of steps that are others' FROM (VALUES (0, 9999, 3, 'sum'), (3, 30, 2, 'mean'), (8, 40, 1, 'max')) w (a, b, steps, summary)
		WHERE (WITH s AS (SELECT t.*, (step - a) / 2 / steps AS bar, CASE summary WHEN 'sum' THEN sum WHEN 'max' THEN max ELSE mean END AS value
				FROM perfhouse.step_summary(run) t WHERE step >= a AND step < b),
			f AS (SELECT DISTINCT ON (bar) * FROM s ORDER BY bar, value DESC, step), g AS (SELECT DISTINCT ON (bar) * FROM s ORDER BY bar, max DESC, step)
			SELECT string_agg((bar, f.step, f.n_events, f.sum, f.max, f.mean, f.latest_location, f.t_first, f.t_last, f.value, g.max, g.step,
				g.latest_location)::text, ' ' ORDER BY bar) FROM f JOIN g USING (bar))
		IS DISTINCT FROM (SELECT string_agg(q::text, ' ' ORDER BY bar) FROM perfhouse_internal.step_bars(run, 'lateness', a, b, steps, summary) q)
	UNION SELECT 'a view of other rows' FROM ((SELECT location, seq, phase, step, lateness, binding_seq FROM perfhouse.logical_event WHERE run_id = run
		EXCEPT ALL SELECT location, seq, phase, step, lateness, binding_seq FROM e)) q;
END $$;
SELECT o, u FROM unnest(ARRAY['{}', '{"mode":"compat"}', '{"call_tree_merge":false}', '{"coalesce_isends":false}', '{"leap_merge":true}',
	'{"leap_merge":true,"leap_skip":true}', '{"global_merge":true,"call_tree_merge":false}', '{"align_sends":false}', '{"reorder_receives":true}',
	'{"wait_groups":false,"waitall_groups":true}', '{"match_sizes":true}', '{"phase_function":"solve"}']) o,
	perfhouse.assign_logical_steps(902, o::jsonb) a, public.unsound(CASE WHEN a IS NOT NULL THEN 902 END) u;
SELECT a -> 'options' ->> 'phase_function' AS phase_function, a -> 'events' AS events FROM perfhouse.assign_logical_steps(902, '{"phase_function":"solve"}') a;

SELECT rank_alignment, bool_and(delta_lateness = 0 AND delta_duration = 0 AND delta_messages = 0 AND delta_aggregate_lateness = 0 AND status = 'both')
	FROM perfhouse.trace_diff(902, 902) GROUP BY 1;

SELECT status, count(*) > 0 AS any, count(region) > 0 AS have_regions, bool_and((location_a IS NULL) = (step_a IS NULL) AND (location_b IS NULL) = (step_b IS NULL)) AS have_locations
	FROM perfhouse.trace_diff(901, 902) GROUP BY 1 ORDER BY 1;

-- ---- phase by phase, and iterations folded: all phases are told once
SELECT status, aligned_by, count(*) > 0 AS any, bool_and(class_a = class_b) AS same, bool_and((phase_a IS NULL) = (ns_a IS NULL)) AS told
	FROM perfhouse.trace_diff_phases(901, 902) GROUP BY 1, 2 ORDER BY 1, 2;
SELECT sum(n) = (SELECT count(*) FROM perfhouse.phases(902)) AS all_phases, bool_and(status = 'both' AND aligned_by = 'class' AND ns_a = ns_b
	AND phases_a = phases_b AND cardinality(phases_a) = n AND greatest_change_ns = 0) AS same FROM perfhouse.trace_diff_classes(902, 902);
SELECT count(*) FROM perfhouse.trace_diff_phases(NULL, 901) UNION ALL SELECT count(*) FROM perfhouse.trace_diff_classes(901, NULL);
SELECT * FROM public.fails('SELECT * FROM perfhouse.trace_diff_phases(901, 4711)');

-- ---- event by event: all of an aligned run, and a run is late by what it is given; steps of one run only have no rows
WITH steps AS (
	SELECT array_agg(d.phase_a) AS phases, array_agg(d.step_a) AS steps FROM perfhouse.trace_diff(902, 902) d
)
SELECT count(*) = (SELECT count(*) FROM perfhouse.logical_steps(902)) AS all_events, min(change), max(change), max(pair) = max(cardinality(steps)) AS all_pairs
FROM steps, perfhouse.trace_diff_changes(902, 902, phases, steps, phases, steps);
SELECT c.pair, c.location, c.rank, c.name, c.step_a, c.step_b, c.change = b.lateness - a.lateness AS of_lateness
FROM perfhouse.trace_diff_changes(901, 901, '{0,0,NULL}', '{0,2,0}', '{0,0,0}', '{4,NULL,0}') c
JOIN perfhouse.logical_steps(901) a ON a.location = c.location AND a.step = c.step_a
JOIN perfhouse.logical_steps(901) b ON b.rank = c.rank AND b.step = c.step_b ORDER BY 1, 2;

-- ---- communication on a timeline: the greatest value of a row and bin
SELECT perfhouse.locations_of_ranks(901, '{2,0,99}') AS some, perfhouse.locations_of_ranks(901, '{99}') AS none, perfhouse.locations_of_ranks(901, NULL) AS "all";
SELECT * FROM perfhouse.timeline_steps(901, bins => 20) ORDER BY 1, 2;
SELECT * FROM perfhouse.timeline_steps(901, 'duration', 4, max_rows => 1) ORDER BY 1, 2;
SELECT count(*) FROM (
	SELECT s."row", s.bin, s.value, w.value AS expected FROM perfhouse.timeline_steps(902, 'lateness', 50, max_rows => 4) s
	FULL JOIN (SELECT r."row", greatest(0, floor(e.enter * 50::float8 / t.duration))::int4 AS bin, max(e.lateness) AS value
		FROM perfhouse.trace t, perfhouse.timeline_rows(902, max_rows => 4) r JOIN perfhouse.logical_steps(902) e ON e.location = ANY (r.locations)
		WHERE t.run_id = 902 AND e.enter < t.duration GROUP BY 1, 2) w ON w."row" = s."row" AND w.bin = s.bin) q WHERE value IS DISTINCT FROM expected;
SELECT count(*) FROM perfhouse.timeline_steps(NULL);
SELECT * FROM public.fails('SELECT * FROM perfhouse.timeline_steps(901, ''size'')');

-- ---- windows are parts of the whole
SELECT (perfhouse.assign_logical_steps(902, '{"call_tree_merge":false}') ->> 'last_step')::int AS last_step \gset
CREATE TEMP TABLE whole AS SELECT * FROM perfhouse.logical_steps(902);
CREATE TEMP TABLE whole_messages AS SELECT * FROM perfhouse.logical_messages(902);
SELECT count(*) > 20 AS enough, count(*) = (SELECT n_events FROM perfhouse.logical WHERE run_id = 902) AS all_there FROM whole;
CREATE TEMP TABLE win AS SELECT least(a, b) AS a, greatest(a, b) AS b, CASE WHEN i % 3 > 0 THEN ARRAY[i % 4, i % 3] END AS l
	FROM (SELECT i, i * 7 % :last_step AS a, i * i * 5 % (:last_step + 5) AS b FROM generate_series(1, 60) i) q;
SELECT count(*) FROM win, LATERAL ((SELECT * FROM whole WHERE step >= a AND step < b AND (l IS NULL OR location = ANY (l)))
	EXCEPT ALL SELECT * FROM perfhouse.logical_steps(902, a, b, l)) q;
SELECT count(*) FROM win, LATERAL (SELECT * FROM perfhouse.logical_steps(902, a, b, l)
	EXCEPT ALL SELECT * FROM whole WHERE step >= a AND step < b AND (l IS NULL OR location = ANY (l))) q;
SELECT count(*) FROM win, LATERAL ((SELECT * FROM perfhouse.logical_messages(902, a, b, l) EXCEPT ALL SELECT * FROM whole_messages
	WHERE send_step >= a AND send_step < b AND (l IS NULL OR sender_location = ANY (l)) OR receive_step >= a AND receive_step < b AND (l IS NULL OR receiver_location = ANY (l)))
	UNION ALL (SELECT * FROM whole_messages WHERE send_step >= a AND send_step < b AND (l IS NULL OR sender_location = ANY (l))
		OR receive_step >= a AND receive_step < b AND (l IS NULL OR receiver_location = ANY (l)) EXCEPT ALL SELECT * FROM perfhouse.logical_messages(902, a, b, l))) q;
SELECT count(*) FROM win, LATERAL (SELECT min(enter) AS t0, max(leave) AS t1 FROM whole WHERE step >= a AND step < b) q
	LEFT JOIN LATERAL perfhouse.step_time_span(902, a, b) s ON true WHERE (t0, t1) IS DISTINCT FROM (t_from, t_to);
SELECT count(*) FROM win, LATERAL ((SELECT location, seq, step FROM perfhouse.logical_event WHERE run_id = 902 AND step >= a AND step < b)
	EXCEPT ALL SELECT location, seq, step FROM whole WHERE step >= a AND step < b) q;
-- the view hands its window to the function
CREATE FUNCTION public.window_of(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query LOOP
		IF line LIKE '%Function Call: %chunk_logical_events%' THEN
			RETURN NEXT substring(line FROM 'last_location, c\.location_id\), (.*)\)$');
		END IF;
	END LOOP;
END $$;
SELECT public.window_of('SELECT FROM perfhouse.logical_event WHERE run_id = 902 AND step BETWEEN 4 AND 8');
SELECT public.window_of('SELECT FROM perfhouse.logical_event WHERE run_id = 902 AND step > 5.5');
SELECT public.window_of('SELECT FROM perfhouse.logical_event WHERE run_id = 902 AND 7::int8 >= step');
SELECT public.window_of('SELECT FROM perfhouse.logical_event WHERE run_id = 902 AND phase = 3');

-- ---- cells of pictures
SELECT * FROM perfhouse.logical_grid(901);
SELECT * FROM perfhouse.logical_grid(901, 2, 6, '{0,1}', 2, 1, true);
SELECT * FROM perfhouse.logical_rows(901, NULL, 2);
SELECT * FROM perfhouse.logical_cells(901, max_columns => 2, max_rows => 2);
SELECT "row", "column", n, value, seq, step, rank, enter, peers, earliest, is_aggregate, region, kind FROM perfhouse.logical_cells(901, 'enter', 0, 4, '{0,2}', aggregates => true);
-- a cell is the event with the greatest value, as plain SQL finds it
SELECT count(*) > 0 AS cells, count(*) FILTER (WHERE (c.n, c.value, c.location, c.seq, c.step) IS DISTINCT FROM (e.n, e.value, e.location, e.seq, e.step)) AS wrong
FROM perfhouse.logical_grid(902, 10, 200, NULL, 30, 3) g CROSS JOIN perfhouse.logical_cells(902, 'lateness', 10, 200, NULL, 30, 3) c
FULL JOIN (SELECT DISTINCT ON (1, 2) r."row", (s.step - 10) / 2 / g.columns_a_cell AS "column", count(*) OVER (PARTITION BY r."row", (s.step - 10) / 2 / g.columns_a_cell) AS n,
		s.lateness::float8 AS value, s.location, s.seq, s.step
	FROM perfhouse.logical_grid(902, 10, 200, NULL, 30, 3) g, perfhouse.logical_rows(902, NULL, 3) r JOIN perfhouse.logical_steps(902, 10, 200) s ON s.location = ANY (r.locations)
	ORDER BY 1, 2, s.lateness DESC, s.location, s.seq) e USING ("row", "column");
-- rows stand in the order in which locations are given, here the last one first
SELECT "row", locations FROM perfhouse.logical_rows(902, (SELECT array_agg(location_id ORDER BY location_id DESC) FROM perfhouse.location WHERE run_id = 902), 3);
SELECT count(*) > 0 AS cells, count(*) FILTER (WHERE (c.n, c.value, c.location, c.seq, c.step) IS DISTINCT FROM (e.n, e.value, e.location, e.seq, e.step)) AS wrong
FROM (SELECT c.* FROM (SELECT array_agg(location_id ORDER BY location_id DESC) AS locations FROM perfhouse.location WHERE run_id = 902) o,
	perfhouse.logical_cells(902, 'lateness', 10, 200, o.locations, 30, 3) c) c
FULL JOIN (SELECT DISTINCT ON (1, 2) r."row", (s.step - 10) / 2 / g.columns_a_cell AS "column", count(*) OVER (PARTITION BY r."row", (s.step - 10) / 2 / g.columns_a_cell) AS n,
		s.lateness::float8 AS value, s.location, s.seq, s.step
	FROM (SELECT array_agg(location_id ORDER BY location_id DESC) AS locations FROM perfhouse.location WHERE run_id = 902) o,
		perfhouse.logical_grid(902, 10, 200, o.locations, 30, 3) g, perfhouse.logical_rows(902, o.locations, 3) r
		JOIN perfhouse.logical_steps(902, 10, 200) s ON s.location = ANY (r.locations)
	ORDER BY 1, 2, s.lateness DESC, s.location, s.seq) e USING ("row", "column");
SELECT count(*) AS one_by_one, bool_and(n = 1) AS single FROM perfhouse.logical_cells(902, max_columns => NULL);
SELECT count(*) - (SELECT count(*) FROM perfhouse.logical_steps(902)) AS more FROM perfhouse.logical_cells(902, max_columns => NULL);
SELECT * FROM public.fails('SELECT * FROM perfhouse.logical_cells(901, ''bytes'')');
SELECT * FROM public.fails('SELECT * FROM perfhouse.logical_cells(901, max_rows => 0)');
SELECT * FROM public.fails('SELECT * FROM perfhouse.logical_grid(901, max_columns => 0)');
SELECT * FROM public.fails('SELECT * FROM perfhouse.logical_rows(901, ''{77}'')');
-- rows as columns
SELECT perfhouse.json_columns(v) FROM (VALUES (1, 'a"b', NULL::int4), (2, NULL, NULL)) v (n, "the name", nothing);
SELECT perfhouse.json_columns(v) IS NULL AS none FROM (SELECT 1 AS n WHERE false) v;
SELECT * FROM public.fails('SELECT perfhouse.json_columns(v) FROM (SELECT ''{1}''::int4[] AS a) v');

-- ---- clusters and focus
SELECT count(*), count(*) FILTER (WHERE parent IS NULL) AS roots, bool_and(n_members = cardinality(locations)) AS sizes FROM perfhouse.step_clusters(902, 0, metric => 'duration');
SELECT k, count(*) FROM generate_series(1, 5) k, perfhouse.step_clusters(902, 0, k) GROUP BY 1 ORDER BY 1;
SELECT cluster, parent, n_members, is_shown, is_open, is_centre, latest_rank, centroid_rank, ranks FROM perfhouse.open_clusters(901, 0, clusters => 2, centre => 1);
-- open branches part the processes of the phase
SELECT k, count(*) AS parts, sum(n_members) AS members, bool_and(cardinality(ranks) = n_members) AS ranks FROM generate_series(1, 5) k, perfhouse.open_clusters(902, 0, clusters => k)
WHERE is_shown AND NOT is_open GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM perfhouse.open_clusters(902, 0, clusters => 1, unfold => (SELECT array_agg(cluster) FROM perfhouse.step_clusters(902, 0))) WHERE is_shown AND child_left IS NULL;
SELECT count(*) FROM perfhouse.open_clusters(902, 0, fold => (SELECT array_agg(cluster) FROM perfhouse.step_clusters(902, 0))) WHERE is_shown;
SELECT * FROM perfhouse.cluster_series(901, 0, NULL, '{0,1,2}', '{7,7,5}', 2, true);
SELECT sum(s.sends + s.receives + s.collectives) - (SELECT count(*) FROM perfhouse.logical_steps(902) WHERE phase = 0) AS more
FROM perfhouse.cluster_series(902, 0, 'duration', (SELECT array_agg(location) FROM perfhouse.phase_members(902, 0)), (SELECT array_agg(location % 3) FROM perfhouse.phase_members(902, 0))) s;
SELECT * FROM public.fails('SELECT * FROM perfhouse.open_clusters(901, 0, centre => 77)');
SELECT * FROM public.fails('SELECT * FROM perfhouse.cluster_series(901, 0, NULL, ''{0}'', ''{0,1}'')');
SELECT * FROM public.fails('SELECT * FROM perfhouse.cluster_series(901, 0, NULL, ''{77}'', ''{0}'')');
SELECT hops, count(*) FROM perfhouse.focus_processes(902, 0, 9, 0) GROUP BY 1 ORDER BY 1;

-- ---- assigned as a whole or not at all
BEGIN;
SELECT perfhouse.assign_logical_steps(902) -> 'phases' IS NOT NULL AS assigned;
ROLLBACK;
SELECT count(*) FROM (SELECT * FROM whole EXCEPT ALL SELECT * FROM perfhouse.logical_steps(902)) q;

-- ---- mistakes
SELECT * FROM public.fails('SELECT perfhouse.assign_logical_steps(4711)');
SELECT * FROM public.fails('SELECT perfhouse.assign_logical_steps(1)');
SELECT * FROM public.fails('SELECT perfhouse.assign_logical_steps(901, ''{"leap":true}'')');
SELECT * FROM public.fails('SELECT perfhouse.assign_logical_steps(901, ''{"leap_merge":1}'')');
SELECT * FROM public.fails('SELECT perfhouse.assign_logical_steps(901, ''{"mode":"ravel"}'')');
SELECT * FROM public.fails('SELECT perfhouse.assign_logical_steps(901, ''{"phase_function":7}'')');
SELECT * FROM public.fails('SELECT perfhouse.assign_logical_steps(901, ''{"phase_function":"nowhere"}'')');
SELECT * FROM public.fails('SELECT perfhouse.assign_logical_steps(901, ''{"counter":"nothing"}'')');
SELECT * FROM public.fails('SELECT perfhouse.assign_logical_steps(901, ''3'')');
SELECT * FROM public.fails('SELECT * FROM perfhouse.logical_steps(901, 8, 4)');
SELECT * FROM public.fails('SELECT * FROM perfhouse.logical_steps(901, locations => ''{77}'')');
SELECT * FROM public.fails('SELECT * FROM perfhouse.phase_members(901, 77)');
SELECT * FROM public.fails('SELECT * FROM perfhouse.step_clusters(901, 77)');
SELECT * FROM public.fails('SELECT * FROM perfhouse.step_clusters(901, 0, 0)');
SELECT * FROM public.fails('SELECT * FROM perfhouse.step_clusters(901, 0, metric => ''aggregate_lateness'')');
SELECT * FROM public.fails('SELECT * FROM perfhouse.step_summary(901, ''time'')');
SELECT * FROM public.fails('SELECT * FROM perfhouse_internal.step_bars(901, ''lateness'', 0, 9, 1, ''median'')');
SELECT * FROM public.fails('SELECT * FROM perfhouse.focus_processes(901, 0, -1)');
SELECT * FROM public.fails('SELECT * FROM perfhouse.focus_processes(901, 0, centre => 4)');
SELECT * FROM public.fails('SELECT * FROM perfhouse.logical_aggregates(901, 0, 999)');
SELECT * FROM public.fails('SELECT * FROM perfhouse.trace_diff(901, 4711)');
SELECT count(*) FROM perfhouse.logical_steps(NULL);
SELECT perfhouse.assign_logical_steps(NULL) IS NULL AS nothing;

-- ---- bytes that are none, numbers that do not exist
CREATE FUNCTION public.after_change(change text, query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE change;
	EXECUTE query;
	RAISE EXCEPTION USING ERRCODE = 'P0001', MESSAGE = 'nothing noticed';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
SELECT public.after_change(change, query) FROM unnest(ARRAY['SELECT count(*) FROM perfhouse.logical_steps(901)', 'SELECT count(*) FROM perfhouse.step_summary(901)']) query, unnest(ARRAY[
	'UPDATE perfhouse.logical_chunk SET places = ''\x00'' WHERE run_id = 901', 'UPDATE perfhouse.logical_chunk SET metrics = places WHERE run_id = 901',
	'UPDATE perfhouse.logical_chunk SET format = 9 WHERE run_id = 901', 'UPDATE perfhouse.logical_chunk SET n_events = 1000 WHERE run_id = 901',
	'UPDATE perfhouse.logical_chunk SET location_id = 99 WHERE run_id = 901 AND location_id = 0']) change;
SELECT public.after_change('UPDATE perfhouse.phase_block SET packed = set_byte(packed, 9, get_byte(packed, 9) # 1) WHERE run_id = 901', 'SELECT count(*) FROM perfhouse.phases(901)');
SELECT public.after_change('UPDATE perfhouse.logical SET n_phases = 0 WHERE run_id = 901', 'SELECT count(*) FROM perfhouse.logical_steps(901)');
SELECT public.after_change('UPDATE perfhouse.logical SET version = 0 WHERE run_id = 901', 'SELECT count(*) FROM perfhouse.trace_diff(901, 901)');
SELECT public.after_change('INSERT INTO perfhouse.logical_chunk SELECT (jsonb_populate_record(c, ''{"location_id": 4, "last_location": 1}'')).* FROM perfhouse.logical_chunk c
	WHERE run_id = 902', 'SELECT count(*) FROM perfhouse.step_clusters(902, 0)');

SELECT check_name, ok, detail FROM perfhouse.check_run(902) WHERE check_name = 'logical time';
CREATE FUNCTION public.finding_after(change text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	finding text;
BEGIN
	EXECUTE change;
	SELECT detail INTO finding FROM perfhouse.check_run(901) WHERE check_name = 'logical time' AND NOT ok;
	RAISE EXCEPTION USING ERRCODE = 'PH999', MESSAGE = coalesce(finding, 'nothing noticed');
EXCEPTION WHEN SQLSTATE 'PH999' THEN
	RETURN SQLERRM;
END $$;
SELECT public.finding_after(change) FROM unnest(ARRAY['DELETE FROM perfhouse.logical WHERE run_id = 901',
	'DELETE FROM perfhouse.logical_chunk WHERE run_id = 901 AND location_id = 2', 'UPDATE perfhouse.logical_chunk SET chunk_no = 3 WHERE run_id = 901 AND location_id = 2',
	'DELETE FROM perfhouse.phase_block WHERE run_id = 901', 'UPDATE perfhouse.phase_block SET n_phases = n_phases + 1 WHERE run_id = 901', 'UPDATE perfhouse.logical SET last_step = 3 WHERE run_id = 901',
	'UPDATE perfhouse.logical SET version = 1 WHERE run_id = 901', 'UPDATE perfhouse.logical_chunk SET causes = ''\x01'' WHERE run_id = 901 AND location_id = 2',
	'UPDATE perfhouse.logical_chunk SET t_last = t_last + 1 WHERE run_id = 901 AND location_id = 0', 'UPDATE perfhouse.logical_chunk SET last_location = last_location - 1 WHERE run_id = 901 AND location_id = 0',
	'UPDATE perfhouse.logical_chunk SET metrics = set_byte(metrics, 3, get_byte(metrics, 3) # 16) WHERE run_id = 901 AND location_id = 0']) change;
-- a flipped bit is found in every column
SELECT column_name, public.finding_after(format('UPDATE perfhouse.logical_chunk SET %1$I = %2$s WHERE run_id = 901 AND location_id = 0', column_name,
	CASE WHEN data_type <> 'bytea' THEN format('%I + 1', column_name) ELSE format('CASE WHEN length(%1$I) = 0 THEN ''\x00'' ELSE set_byte(%1$I, length(%1$I) - 1, get_byte(%1$I, length(%1$I) - 1) # 1) END', column_name) END)) <> 'nothing noticed' AS is_found
FROM information_schema.columns WHERE table_schema = 'perfhouse' AND table_name = 'logical_chunk' AND column_name NOT IN ('run_id', 'tasks') ORDER BY ordinal_position;
SELECT column_name, public.finding_after(format('UPDATE perfhouse.phase_block SET %1$I = %2$s WHERE run_id = 901', column_name,
	CASE WHEN data_type <> 'bytea' THEN format('%I + 1', column_name) ELSE format('set_byte(%1$I, length(%1$I) - 1, get_byte(%1$I, length(%1$I) - 1) # 1)', column_name) END)) <> 'nothing noticed' AS is_found
FROM information_schema.columns WHERE table_schema = 'perfhouse' AND table_name = 'phase_block' AND column_name <> 'run_id' ORDER BY ordinal_position;

-- ---- a removed run takes them along
SELECT perfhouse.drop_run(901), perfhouse.drop_run(902);
SELECT (SELECT count(*) FROM perfhouse.logical WHERE run_id > 900) + (SELECT count(*) FROM perfhouse.phase_block WHERE run_id > 900)
	+ (SELECT count(*) FROM perfhouse.logical_chunk WHERE run_id > 900) AS left_over;
DELETE FROM region r WHERE kind = 0 AND NOT EXISTS (SELECT FROM callpath c WHERE c.region_id = r.region_id) AND name IN ('main', 'solve', 'MPI_Send', 'MPI_Recv', 'MPI_Isend', 'MPI_Irecv', 'MPI_Waitall', 'MPI_Allreduce', 'MPI_Barrier');
DROP FUNCTION public.unsound, public.window_of, public.after_change, public.finding_after;
