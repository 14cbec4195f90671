-- Efficiencies of a trace, and what it would take with changes (core/replay; docs/design/replay.md).

CREATE OR REPLACE FUNCTION perfhouse_internal.efficiency_of_windows(run bigint, t_from int8[], t_to int8[])
	RETURNS TABLE (window_no int4, t_from int8, t_to int8, aligned bool, ranks int4, parallel float8, load_balance float8,
		communication float8, serialisation float8, transfer float8, threads float8, thread_load_balance float8,
		thread_serialisation float8, useful float8, ideal int8)
	LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000000 ROWS 10
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_efficiency';
COMMENT ON FUNCTION perfhouse_internal.efficiency_of_windows(bigint, int8[], int8[]) IS
	'What efficiency says of windows of a trace, window_no counting from 1; null ends are open, empty windows have no row.';

CREATE OR REPLACE FUNCTION perfhouse_internal.replay_changes(run bigint, kinds text[], names text[], ranks text[], factors text[],
		orders text[])
	RETURNS TABLE (section text, item text, before int8, after int8)
	LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_replay_changes';
COMMENT ON FUNCTION perfhouse_internal.replay_changes(bigint, text[], text[], text[], text[], text[]) IS
	'What what_if is made of: times in ns before and after changes, given as what_if_changes reads them.';

CREATE OR REPLACE FUNCTION perfhouse_internal.what_if_changes(changes jsonb)
	RETURNS TABLE (kind text, name text, ranks text, factor text, "order" text)
	LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 3
	SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT e.key, CASE jsonb_typeof(e.value) WHEN 'object' THEN coalesce(e.value ->> 'region', e.value ->> 'path')
			ELSE e.value #>> '{}' END,
		translate(e.value #>> '{ranks}', '[] ', ''), e.value #>> '{by}',
		coalesce('first ' || (e.value #>> '{first}'), 'sends ' || (e.value #>> '{sends}'))
	FROM jsonb_array_elements(CASE jsonb_typeof(changes) WHEN 'array' THEN changes ELSE jsonb_build_array(changes) END)
		WITH ORDINALITY AS c (change, place), LATERAL jsonb_each(c.change) WITH ORDINALITY AS e (key, value, part)
	ORDER BY c.place, e.part
	$$;
COMMENT ON FUNCTION perfhouse_internal.what_if_changes(jsonb) IS 'The changes of what_if as rows: one a key of an object.';

CREATE OR REPLACE FUNCTION what_if(run bigint, changes jsonb)
	RETURNS TABLE (recorded_ns int8, replayed_ns int8, predicted_ns int8, gain_ns int8, calibration float8, changed int8,
		waits jsonb, critical_path jsonb, note text)
	LANGUAGE sql STABLE STRICT PARALLEL SAFE COST 1000000 ROWS 1
	SET search_path = pg_catalog, pg_temp
	AS $$
	WITH change AS MATERIALIZED (
		SELECT coalesce(array_agg(c.kind), '{}') AS kinds, array_agg(c.name) AS names, array_agg(c.ranks) AS ranks,
			array_agg(c.factor) AS factors, array_agg(c."order") AS orders
		FROM perfhouse_internal.what_if_changes(changes) c
	), answer AS MATERIALIZED (
		SELECT r.*, jsonb_build_object('before', r.before, 'after', r.after, 'less', r.before - r.after) AS both
		FROM change c, LATERAL perfhouse_internal.replay_changes(run, c.kinds, coalesce(c.names, '{}'), coalesce(c.ranks, '{}'),
			coalesce(c.factors, '{}'), coalesce(c.orders, '{}')) r
	), number AS (
		SELECT max(a.before) FILTER (WHERE a.item = 'recorded') AS recorded,
			max(a.before) FILTER (WHERE a.item = 'duration') AS replayed, max(a.after) FILTER (WHERE a.item = 'duration') AS predicted,
			max(a.before) FILTER (WHERE a.item = 'stuck') AS stuck_before, max(a.after) FILTER (WHERE a.item = 'stuck') AS stuck,
			max(a.after) FILTER (WHERE a.item = 'changed') AS changed
		FROM answer a WHERE a.section = 'run'
	), ranked AS (
		SELECT a.item, a.both, coalesce(a.after, a.before) AS ns, a.item::int8 AS rank FROM answer a WHERE a.section = 'rank'
		ORDER BY 3 DESC, 4 LIMIT 8
	)
	SELECT n.recorded, CASE WHEN n.stuck_before = 0 THEN n.replayed END, n.predicted,
		CASE WHEN n.stuck_before = 0 THEN n.replayed - n.predicted END,
		CASE WHEN n.stuck_before = 0 THEN n.replayed / nullif(n.recorded, 0)::float8 END, n.changed,
		(SELECT coalesce(jsonb_object_agg(a.item, a.both), '{}') FROM answer a WHERE a.section = 'wait'),
		(SELECT jsonb_object_agg(a.item, a.both) FROM answer a WHERE a.section = 'path')
			|| jsonb_build_object('ranks', (SELECT coalesce(jsonb_object_agg(r.item, r.both), '{}') FROM ranked r)),
		CASE WHEN n.stuck_before > 0 THEN n.stuck_before || ' locations wait for each other as recorded: the trace lacks events'
			WHEN n.stuck > 0 THEN n.stuck || ' locations would wait for each other for ever'
			WHEN n.changed = 0 THEN 'nothing is different' END
	FROM number n
	$$;
COMMENT ON FUNCTION what_if(bigint, jsonb) IS
	'How long a traced run would have taken with changes: an object, or an array of objects, of which each key is one. '
	'{"balance": "solve"}: the k-th call of the function takes on every rank the mean over the ranks. '
	'{"scale": {"region": "solve", "ranks": "0", "by": 0.5}}: it takes so many times as long, without communication. '
	'{"network": "ideal"}: communication takes no time of its own. {"nonblocking": "MPI_Send"}: these sends do not wait '
	'for their receivers. {"rank_to_mean": 17}: that rank computes as long in all as the mean of the ranks. '
	'{"order": {"path": "main/exchange", "first": "receive", "ranks": "odd"}}: of a send and the receive right after it, '
	'of one communicator and tag, the receive comes first (or "send"); {"order": {"path": "exchange", "sends": '
	'"descending partner"}}: sends in a row in this order (ascending, descending; partner, distance: between the ranks). A '
	'function is a region or the end of a call path. ranks: "0", "1,4-7", "odd", "even" (in orders of rank / distance '
	'of the two, so that neighbours differ in each direction of a grid). recorded_ns: the run; replayed_ns: its replay '
	'without changes; calibration: their ratio; predicted_ns, and gain_ns = replayed_ns - predicted_ns; changed: calls or '
	'pieces of time that are different. waits: by kind (as wait_states, wrong order counted as late sender) ns before, '
	'after and less; critical_path: likewise its time in compute, messages and collectives, and of the eight ranks with '
	'most of it. Null with a note where locations would wait for each other for ever. Errors: PH002 as events, and for a '
	'function or rank that the trace has not; 22023 for changes that nobody can read. Method: forward replay after '
	'Dimemas with recorded matching; sends by rendezvous as recorded. Time of threads between calls of MPI is kept as it '
	'is.';

CREATE OR REPLACE FUNCTION opportunities(run bigint, n int4 DEFAULT 5)
	RETURNS TABLE (change jsonb, gain_ns int8, predicted_ns int8, share float8)
	LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000000 ROWS 5
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_opportunities';
COMMENT ON FUNCTION opportunities(bigint, int4) IS
	'The n single changes that would make a traced run shortest, largest gain first: change, as what_if takes it; gain_ns '
	'and predicted_ns, as what_if says; share: gain of the duration. Tried are: balance of the ten functions of which one '
	'rank takes longest beyond the mean; the three ranks that compute longest beyond it, given the mean; sends by '
	'rendezvous that do not wait; orders of sends and receives in the five functions that call most of what sends; an '
	'ideal network. Gains of several changes do not add up. No rows where the replay comes to no end. Errors: PH002 as '
	'events; 22023 for a negative n. Method: a replay a change, as what_if (the question of C. Curtsinger, E. Berger, '
	'Coz, SOSP 2015).';

CREATE OR REPLACE FUNCTION perfhouse_internal.call_windows(run bigint, path text)
	RETURNS TABLE (call_no int4, t_from int8, t_to int8, ranks int4)
	LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_call_windows';
COMMENT ON FUNCTION perfhouse_internal.call_windows(bigint, text) IS
	'When the k-th outermost calls of a function ran: from the first enter to the last leave over the ranks that have '
	'one. PH002 when the trace has no such function.';

CREATE OR REPLACE FUNCTION perfhouse_internal.efficiency_of_profile(p profile, metric text DEFAULT NULL)
	RETURNS TABLE (ranks int4, parallel float8, load_balance float8, communication float8, threads float8, useful float8)
	LANGUAGE C STABLE PARALLEL SAFE COST 10000 ROWS 1
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_profile_efficiency_rows';
COMMENT ON FUNCTION perfhouse_internal.efficiency_of_profile(profile, text) IS
	'What efficiency estimates from a profile: of a time (null: the primary metric), in whose unit useful is.';

CREATE OR REPLACE FUNCTION perfhouse_internal.is_without_events(run bigint) RETURNS boolean
	LANGUAGE plpgsql STABLE PARALLEL SAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
BEGIN
	RETURN EXISTS (SELECT 1 FROM perfhouse.run_overview o WHERE o.run_id = $1 AND NOT o.has_trace);
END $$;
COMMENT ON FUNCTION perfhouse_internal.is_without_events(bigint) IS
	'Whether this is a ready run that has no events, or none any more.';

CREATE OR REPLACE FUNCTION perfhouse_internal.parts_of_run(run bigint, by text)
	RETURNS TABLE (name text, t_from int8, t_to int8, place int4)
	LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS $$
BEGIN
	IF by NOT IN ('phase', 'iteration') THEN
		RAISE EXCEPTION 'a run has efficiencies by phase and by iteration, but not by "%"', by USING ERRCODE = '22023',
			HINT = 'By function: efficiency(run, region => ''main/solve'').';
	ELSIF by = 'phase' THEN
		RETURN QUERY SELECT 'phase ' || p.phase, p.t_first, p.t_last, p.phase + 1 FROM perfhouse.phases(run) p;
	ELSIF by = 'iteration' THEN
		RETURN QUERY
			WITH c AS MATERIALIZED (SELECT * FROM perfhouse.phase_classes(run) c WHERE c.occurrences > 1),
			often AS (
				SELECT c.occurrences AS n, max(c.t_last) AS t_last FROM c GROUP BY 1
				ORDER BY sum(c.t_last - c.t_first) DESC, 1 DESC LIMIT 1),
			first AS (SELECT c.phase_class FROM c, often o WHERE c.occurrences = o.n ORDER BY c.phase LIMIT 1)
			SELECT 'iteration ' || c.occurrence - 1, c.t_first, coalesce(lead(c.t_first) OVER (ORDER BY c.occurrence), o.t_last),
				c.occurrence
			FROM c JOIN first f USING (phase_class), often o;
	END IF;
END $$;
COMMENT ON FUNCTION perfhouse_internal.parts_of_run(bigint, text) IS
	'The windows that efficiency has by phase or iteration. Iterations come as often as the classes of phases that take longest '
	'among those that occur equally often, each from the first of these classes to its next. 22023 for something else.';

CREATE OR REPLACE FUNCTION efficiency(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL, by text DEFAULT NULL,
		region text DEFAULT NULL)
	RETURNS TABLE (part text, t_from int8, t_to int8, aligned bool, ranks int4, parallel float8, load_balance float8,
		communication float8, serialisation float8, transfer float8, threads float8, useful float8, ideal int8, estimated bool,
		mpi float8, thread_load_balance float8, thread_serialisation float8)
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000 ROWS 10
	SET search_path = pg_catalog, pg_temp
	AS $$
	WITH bare AS MATERIALIZED (
		SELECT run AS run_id WHERE by IS NULL AND region IS NULL AND efficiency.t_from IS NULL AND efficiency.t_to IS NULL
			AND perfhouse_internal.is_without_events(run)
	), part AS MATERIALIZED (
		SELECT NULL::text AS name, efficiency.t_from, efficiency.t_to, 1 AS place
		WHERE by IS NULL AND region IS NULL AND NOT EXISTS (SELECT FROM bare)
		UNION ALL
		SELECT p.name, greatest(p.t_from, efficiency.t_from), least(p.t_to, efficiency.t_to), p.place
		FROM perfhouse_internal.parts_of_run(run, by) p
		UNION ALL
		SELECT region || ' ' || c.call_no, greatest(c.t_from, efficiency.t_from), least(c.t_to, efficiency.t_to), c.call_no
		FROM perfhouse_internal.call_windows(run, region) c WHERE by IS NULL
	), numbered AS MATERIALIZED (
		SELECT p.*, row_number() OVER (ORDER BY p.place) AS n FROM part p
	), times AS (
		SELECT array_agg(n.t_from ORDER BY n.n) AS t_from, array_agg(n.t_to ORDER BY n.n) AS t_to FROM numbered n
	)
	SELECT n.name, e.t_from, e.t_to, e.aligned, e.ranks, e.parallel, e.load_balance, e.communication, e.serialisation,
		e.transfer, e.threads, e.useful, e.ideal, false, e.load_balance * e.communication, e.thread_load_balance,
		e.thread_serialisation
	FROM times t, LATERAL perfhouse_internal.efficiency_of_windows(run, t.t_from, t.t_to) e
		JOIN numbered n ON n.n = e.window_no
	UNION ALL
	SELECT NULL, NULL, NULL, NULL, e.ranks, e.parallel, e.load_balance, e.communication, NULL, NULL, e.threads, NULL, NULL, true,
		e.load_balance * e.communication, NULL, NULL
	FROM bare b, LATERAL perfhouse_internal.efficiency_of_profile(perfhouse.profile(b.run_id)) e
	ORDER BY 2, 3, 1
	$$;
COMMENT ON FUNCTION efficiency(bigint, int8, int8, text, text) IS
	'How well a run uses its processes: the efficiencies of the POP project, 0 to 1. parallel = load_balance x '
	'communication (x threads, where ranks have several), communication = serialisation x transfer. Useful time of a '
	'rank is that outside of MPI; load_balance: mean / max of it; communication: max / elapsed; serialisation: max / '
	'ideal, the time (ns) that the window takes in a replay whose network takes no time; transfer: ideal / elapsed; '
	'threads: what all threads do, outside of MPI and of barriers of their team, of what they could do while their rank '
	'is outside of MPI (null: one thread a rank); it is thread_serialisation (what is not lost while threads other than '
	'the first are in no call: serial parts, forks and joins) x thread_load_balance (waits for each other within teams, '
	'overheads). mpi: load_balance x communication, so parallel = mpi x threads. '
	'Of the window [t_from, t_to), ns; open ends are where the first rank left MPI_Init and the last one entered MPI_Finalize. With '
	'region a row for each k-th call of that function (a region or the end of a call path: an iteration, say), with by => ''phase'' one '
	'for each phase of logical time, with by => ''iteration'' one each time that the same phases (phase_classes) come again; part '
	'names it. Windows '
	'begin and end where all ranks left a collective in which everybody waits for everybody, the nearest ones within an '
	'eighth of the window; aligned is false where there was none. useful: mean of it a rank, ns. Of a run without a '
	'trace the factors that its profile tells, of its primary metric, with the longest rank for the elapsed time, are '
	'estimated: the others are null. Errors: PH002 as events, and for a function that the trace has not; 22023 for another by. '
	'Method: M. Wagner et al., A structured approach to performance analysis (2017).';
