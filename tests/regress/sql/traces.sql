-- traces.sql - event traces: run 901 by hand, run 902 at random (data/make-traces.c).
\set ECHO none
\set QUIET on
\i regress/data/traces.sql
\set ECHO all
SELECT run_id, has_trace, n_events FROM run_overview WHERE run_id IN (1, 901, 902) ORDER BY run_id;

-- ---- what people read
SELECT * FROM events(901, 100, 200, '{0}');
SELECT location, "time", kind, region, operation, "values", depth FROM events(901, locations => '{1,4}');
SELECT location, rank, thread, call, parent, depth, region, enter, leave, inclusive, exclusive FROM calls(901);
SELECT * FROM messages(901);
SELECT * FROM collectives(901);
SELECT * FROM comm_matrix(901);
SELECT * FROM message_histogram(901, 4);
SELECT * FROM comm_over_time(901, 3);
SELECT * FROM comm_by_process(901);
SELECT bin, bin_start, bin_end, region, exclusive, round(share::numeric, 4) AS share FROM time_profile(901, 3);
SELECT location, rank, thread, idle, round(share::numeric, 4) AS share FROM idle(901);
SELECT location, idle FROM idle(901, '{MPI_Waitall,nothing}');
SELECT region, mean, max, round(imbalance_ratio::numeric, 3) AS ratio, round(imbalance_excess::numeric, 3) AS excess, top_ranks, top_locations
	FROM load_imbalance(901, 2);
SELECT sender, receiver, receive_region, receive_enter, send_time, receive_time, wait, tag, bytes, n_messages, n_late FROM late_senders(901);
SELECT * FROM late_receivers(901);
SELECT collective, operation, communicator, rank, enter, wait, cause, cause_enter, location, seq FROM collective_waits(901);
SELECT * FROM critical_path(901);
SELECT * FROM critical_path(901, true);
SELECT * FROM trace_summary(901);
SELECT name, depth, file, paradigm, inclusive * 4 AS inclusive, exclusive * 4 AS exclusive, n_present FROM nodes(trace_profile(901)) ORDER BY node;
SELECT metric, kind FROM metrics(trace_profile(901));
SELECT name, exclusive * 4 AS exclusive FROM nodes(trace_profile(901), 'PAPI_TOT_INS') WHERE exclusive > 0 ORDER BY node;
SELECT region, calls * 4 AS calls, round(inclusive::numeric * 4e9) AS inclusive FROM flat(trace_profile(901, 50, 100), 'name') ORDER BY region;
SELECT caption(trace_profile(901, 50, 100));
SELECT node, round(inclusive::numeric * 4e9) AS inclusive FROM supernodes(supergraph(trace_profile(901), 'paradigm')) ORDER BY node;

-- ---- against plain SQL
-- Rows of one query that the other lacks, as often as it lacks them.
CREATE FUNCTION public.differ(a text, b text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	n bigint;
BEGIN
	EXECUTE format('SELECT count(*) FROM ((%1$s EXCEPT ALL %2$s) UNION ALL (%2$s EXCEPT ALL %1$s)) d',
		'(' || a || ')', '(' || b || ')') INTO n;
	RETURN n;
END $$;
CREATE TEMP TABLE e AS SELECT 901 AS run_id, * FROM events(901) UNION ALL SELECT 902, * FROM events(902);
CREATE TEMP TABLE c AS SELECT 901 AS run_id, * FROM calls(901) UNION ALL SELECT 902, * FROM calls(902);
CREATE TEMP TABLE m AS SELECT 901 AS run_id, * FROM messages(901) UNION ALL SELECT 902, * FROM messages(902);
CREATE TEMP TABLE k AS SELECT 901 AS run_id, * FROM collectives(901) UNION ALL SELECT 902, * FROM collectives(902);
SELECT run_id, count(*), count(DISTINCT kind) AS kinds, max("time") > 1::int8 << 32 AS needs_64_bits FROM e GROUP BY 1 ORDER BY 1;
SELECT run_id, (SELECT count(*) FROM c WHERE c.run_id = t.run_id) AS calls, (SELECT count(*) FROM m WHERE m.run_id = t.run_id) AS messages,
	(SELECT count(*) FROM k WHERE k.run_id = t.run_id) AS collectives FROM trace t WHERE run_id IN (901, 902) ORDER BY run_id;

-- calls: an ENTER and the next LEAVE of its depth
CREATE TEMP VIEW spans AS
	SELECT run_id, location, seq, depth, region, kind, "time" AS enter,
		lead("time") OVER (PARTITION BY run_id, location, depth ORDER BY seq) AS leave,
		max("time") OVER (PARTITION BY run_id, location) AS last
	FROM e WHERE kind IN ('ENTER', 'LEAVE');
CREATE TEMP TABLE reference AS
	SELECT s.run_id, s.location, s.seq AS call, (SELECT max(p.seq) FROM spans p
			WHERE (p.run_id, p.location, p.depth, p.kind) = (s.run_id, s.location, s.depth - 1, 'ENTER') AND p.seq < s.seq) AS parent,
		s.depth, s.region, s.enter, s.leave,
		coalesce(s.leave, (SELECT max("time") FROM e WHERE (e.run_id, e.location) = (s.run_id, s.location))) AS ends
	FROM spans s WHERE kind = 'ENTER';
SELECT public.differ('SELECT run_id, location, call, parent, depth, region, enter, leave, inclusive, exclusive FROM c',
	'SELECT r.run_id, r.location, call, parent, depth, region, enter, leave, ends - enter,
		ends - enter - coalesce((SELECT sum(i.ends - i.enter) FROM reference i WHERE (i.run_id, i.location, i.parent) = (r.run_id, r.location, r.call)), 0)::int8
	 FROM reference r') AS calls;

-- messages: the k-th send with the k-th receive in the order of posting
CREATE TEMP VIEW posted AS
	SELECT *, coalesce((SELECT max(p.seq) FROM e p WHERE (p.run_id, p.location, p.kind, p.request) =
			(e.run_id, e.location, 'MPI_IRECV_REQUEST', e.request) AND p.seq < e.seq), seq) AS post
	FROM e WHERE kind IN ('MPI_RECV', 'MPI_IRECV');
CREATE TEMP VIEW matched AS
	SELECT run_id, s.location AS send_location, r.location AS receive_location, s.seq AS send_seq, r.seq AS receive_seq
	FROM (SELECT *, row_number() OVER (PARTITION BY run_id, rank, peer, communicator, tag ORDER BY "time", location, seq) AS place
			FROM e WHERE kind IN ('MPI_SEND', 'MPI_ISEND')) s
	JOIN (SELECT p.*, row_number() OVER (PARTITION BY p.run_id, p.peer, p.rank, p.communicator, p.tag ORDER BY o."time", p.location, p.post) AS place
			FROM posted p JOIN e o ON (o.run_id, o.location, o.seq) = (p.run_id, p.location, p.post)) r
		USING (run_id, communicator, tag, place)
	WHERE (s.rank, s.peer) = (r.peer, r.rank);
SELECT public.differ('SELECT run_id, sender_location, send_seq, receiver_location, receive_seq FROM m WHERE send_time IS NOT NULL AND receive_time IS NOT NULL',
	'SELECT run_id, send_location, send_seq, receive_location, receive_seq FROM matched') AS pairs;
SELECT public.differ('SELECT run_id, send_time, receive_time, tag, bytes, communicator, send_region, receive_region FROM m',
	'SELECT run, s."time", r."time", coalesce(r.tag, s.tag), coalesce(r.bytes, s.bytes), coalesce(r.communicator, s.communicator), s.region, r.region
	 FROM (SELECT * FROM e WHERE kind IN (''MPI_SEND'', ''MPI_ISEND'')) s
	 LEFT JOIN matched t ON (t.run_id, t.send_location, t.send_seq) = (s.run_id, s.location, s.seq)
	 FULL JOIN posted r ON (r.run_id, r.location, r.seq) = (t.run_id, t.receive_location, t.receive_seq)
	 CROSS JOIN LATERAL (SELECT coalesce(s.run_id, r.run_id)) x (run)') AS ends;

-- collectives: the k-th of every rank on a communicator
SELECT public.differ('SELECT run_id, operation, communicator, n_present, first_enter, last_enter, first_leave, last_leave, bytes_sent, wait FROM k',
	'SELECT run_id, operation, communicator, count(*)::int4, min(enter), max(enter), min(leave), max(leave), sum(bytes)::int8,
		(count(*) * max(enter) - sum(enter))::int8
	 FROM (SELECT *, row_number() OVER (PARTITION BY run_id, location, communicator ORDER BY seq) AS place
	       FROM (SELECT run_id, location, seq, operation, communicator, bytes, "time" AS leave, kind,
			lag("time") OVER (PARTITION BY run_id, location ORDER BY seq) AS enter
		     FROM e WHERE kind LIKE ''MPI_COLLECTIVE%'') b WHERE kind = ''MPI_COLLECTIVE_END'') i
	 GROUP BY run_id, operation, communicator, place') AS collectives;

-- communication
SELECT run, public.differ(format('SELECT * FROM comm_matrix(%s)', run),
	format('SELECT rank, peer, count(*), sum(bytes)::int8 FROM e WHERE run_id = %s AND kind IN (''MPI_SEND'', ''MPI_ISEND'') GROUP BY 1, 2', run)) AS matrix,
	public.differ(format('SELECT messages, bytes FROM message_histogram(%s, 7)', run),
	format('WITH s AS (SELECT bytes, length(ltrim(bytes::bit(64)::text, ''0'')) AS class, min(bytes) OVER () AS low, max(bytes) OVER () AS high
		       FROM e WHERE run_id = %s AND kind IN (''MPI_SEND'', ''MPI_ISEND'')),
		w AS (SELECT min(class) AS first, max(class) - min(class) + 1 AS n, (max(class) - min(class) + 7) / 7 AS each,
			max(bytes) >= 100 * greatest(1, min(bytes)) AS wide FROM s)
		SELECT count(bytes), coalesce(sum(bytes), 0)::int8 FROM w CROSS JOIN generate_series(0, CASE WHEN wide THEN (n - 1) / each ELSE 6 END) bin
		LEFT JOIN s ON CASE WHEN wide THEN (class - first) / each ELSE least(6, (bytes - low) * 7 / (high - low)) END = bin GROUP BY bin', run)) AS histogram,
	public.differ(format('SELECT * FROM comm_over_time(%s, 9, 20, 301)', run),
	format('SELECT bin, 20 + 281 * bin / 9, 20 + 281 * (bin + 1) / 9, count(bytes), coalesce(sum(bytes), 0)::int8 FROM generate_series(0, 8) bin
		LEFT JOIN e ON run_id = %s AND kind IN (''MPI_SEND'', ''MPI_ISEND'') AND "time" >= 20 + 281 * bin / 9 AND "time" < 20 + 281 * (bin + 1) / 9
		GROUP BY bin', run)) AS over_time,
	public.differ(format('SELECT * FROM comm_by_process(%s)', run),
	format('SELECT rank, count(*) FILTER (WHERE kind LIKE ''%%SEND''), count(*) FILTER (WHERE kind LIKE ''%%RECV''),
		coalesce(sum(bytes) FILTER (WHERE kind LIKE ''%%SEND''), 0)::int8, coalesce(sum(bytes) FILTER (WHERE kind LIKE ''%%RECV''), 0)::int8
		FROM e WHERE run_id = %s AND kind IN (''MPI_SEND'', ''MPI_ISEND'', ''MPI_RECV'', ''MPI_IRECV'') GROUP BY 1', run)) AS by_process
FROM unnest(ARRAY[901, 902]) run;

-- time: what calls overlap of a bin less what the calls within them do
CREATE FUNCTION public.overlaps(run int, low int8, high int8) RETURNS TABLE (region text, exclusive int8, visits int8) LANGUAGE sql AS $$
	WITH o AS (SELECT location, call, parent, region, greatest(0, least(ends, high) - greatest(enter, low)) AS overlap,
			enter < high AND ends >= low AS visited FROM pg_temp.reference WHERE run_id = run)
	SELECT region, (sum(overlap) - coalesce(sum(inner_overlap), 0))::int8, count(*) FILTER (WHERE visited)
	FROM o LEFT JOIN (SELECT location, parent AS call, sum(overlap) AS inner_overlap FROM o GROUP BY 1, 2) i USING (location, call)
	GROUP BY region
$$;
SELECT run, public.differ(format('SELECT bin, region, exclusive FROM time_profile(%s, 13)', run),
	format('SELECT bin, o.region, o.exclusive FROM generate_series(0, 12) bin, trace t,
		LATERAL public.overlaps(%1$s, (t.duration + 1) * bin / 13, (t.duration + 1) * (bin + 1) / 13) o WHERE t.run_id = %1$s AND o.exclusive > 0', run)) AS time_profile
FROM unnest(ARRAY[901, 902]) run;
SELECT run, low, high, public.differ(
	format('SELECT region, round(exclusive::numeric * 4e9)::int8, round(calls::numeric * 4)::int8 FROM flat(trace_profile(%s, %s, %s), ''name'')', run, low, high),
	format('SELECT * FROM public.overlaps(%s, %s, %s) WHERE visits > 0', run, low, high)) AS trace_profile
FROM (VALUES (901, 0, 1000), (901, 50, 100), (901, 62, 63), (901, 305, 1000), (902, 0, 30000), (902, 100000, 130000)) w (run, low, high);
SELECT run, public.differ(format('SELECT location, idle FROM idle(%s, ''{solve,MPI_Recv}'')', run),
	format('SELECT l.location, coalesce(sum(ends - enter), 0)::int8 FROM (SELECT DISTINCT location FROM c WHERE run_id = %1$s) l
		LEFT JOIN reference r ON r.location = l.location AND r.run_id = %1$s AND region IN (''solve'', ''MPI_Recv'') AND NOT EXISTS (
			SELECT FROM reference o WHERE o.run_id = r.run_id AND o.location = r.location AND o.region IN (''solve'', ''MPI_Recv'')
				AND o.call < r.call AND o.depth < r.depth AND o.ends >= r.ends AND NOT EXISTS (SELECT FROM reference b
					WHERE b.run_id = r.run_id AND b.location = r.location AND b.depth <= o.depth AND b.call > o.call AND b.call < r.call))
		GROUP BY l.location', run)) AS idle,
	public.differ(format('SELECT region, mean::numeric(30,3), max::numeric(30,3) FROM load_imbalance(%s)', run),
	format('WITH x AS (SELECT region, location, sum(exclusive) AS t FROM c WHERE run_id = %1$s GROUP BY 1, 2)
		SELECT region, (sum(t) / (SELECT count(DISTINCT location) FROM x))::numeric(30,3), max(t)::numeric(30,3) FROM x GROUP BY region', run)) AS load_imbalance
FROM unnest(ARRAY[901, 902]) run;

-- waits: of each call that receives, the innermost one, until the call of the send was entered
CREATE TEMP TABLE around AS
	SELECT DISTINCT ON (e.run_id, e.location, e.seq) e.run_id, e.location, e.seq, e."time", r.call, r.enter, r.ends
	FROM e JOIN reference r ON r.run_id = e.run_id AND r.location = e.location AND r.depth = e.depth AND r.call < e.seq
	WHERE e.kind ~ '^MPI_(I?SEND|I?RECV|COLLECTIVE_END|ISEND_COMPLETE|IRECV_REQUEST)' ORDER BY e.run_id, e.location, e.seq, r.call DESC;
CREATE TEMP VIEW inside AS
	SELECT *, NOT EXISTS (SELECT FROM around i WHERE (i.run_id, i.location) = (a.run_id, a.location) AND i.call > a.call AND i.enter < a.ends) AS innermost
	FROM around a;
CREATE TEMP VIEW causes AS
	SELECT 'message' AS kind, r.*, r.ends AS until, CASE WHEN s.innermost THEN s.enter ELSE m.send_time END AS release
	FROM m JOIN inside r ON (r.run_id, r.location, r.seq) = (m.run_id, m.receiver_location, m.receive_seq)
	LEFT JOIN inside s ON (s.run_id, s.location, s.seq) = (m.run_id, m.sender_location, m.send_seq)
	UNION ALL SELECT 'collective', i.*, "time", max(begins) OVER (PARTITION BY run_id, communicator, place
			ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW)
		FROM (SELECT *, row_number() OVER (PARTITION BY run_id, location, communicator ORDER BY seq) AS place
			FROM (SELECT run_id, location, seq, communicator, kind, lag("time") OVER (PARTITION BY run_id, location ORDER BY seq) AS begins
				FROM e WHERE kind LIKE 'MPI_COLLECTIVE%') x WHERE kind = 'MPI_COLLECTIVE_END') k JOIN inside i USING (run_id, location, seq);
CREATE TEMP VIEW waits AS
	SELECT *, least(release, until, ends) - enter AS wait FROM (SELECT DISTINCT ON (run_id, location, call) * FROM causes
		WHERE innermost AND release IS NOT NULL ORDER BY run_id, location, call, release DESC, seq) c WHERE least(release, until, ends) > enter;
-- two calls of 902 differ: records know nothing of collectives that are inferred from calls, one in solve, one that is awaited
SELECT run, public.differ(format('SELECT receiver_location, receive_enter, wait FROM late_senders(%s)', run),
		format('SELECT location, enter, wait FROM waits WHERE run_id = %s AND kind = ''message''', run)) AS late_senders,
	public.differ(format('SELECT location, seq, wait FROM collective_waits(%s)', run),
		format('SELECT location, seq, wait FROM waits WHERE run_id = %s AND kind = ''collective''', run)) AS collective_waits
FROM unnest(ARRAY[901, 902]) run;
-- the three tell the waits of the one table
SELECT run, public.differ(format('SELECT receiver_location, sender_location, receive_enter, wait FROM late_senders(%s) UNION ALL
		SELECT sender_location, receiver_location, send_enter, wait FROM late_receivers(%1$s) UNION ALL
		SELECT location, cause_location, enter, wait FROM collective_waits(%1$s)', run),
	format('SELECT victim, awaited, t_from, ns FROM wait_states(%s)', run)) AS views
FROM unnest(ARRAY[901, 902]) run;
SELECT run, min(t_from) AS begins, max(t_to) = (SELECT duration FROM trace WHERE run_id = run) AS ends, sum(t_to - t_from) = max(t_to) - min(t_from) AS tiles,
	count(*) FILTER (WHERE t_from <> before) AS gaps
FROM unnest(ARRAY[901, 902]) run, LATERAL (SELECT *, lag(t_to) OVER (ORDER BY step) AS before FROM critical_path(run)) p GROUP BY run ORDER BY run;
-- stays are what their segments add up to
SELECT public.differ(format('SELECT location, t_from, t_to, peer, wait, compute, message, collective, waiting FROM critical_path(%s)', run),
	format('SELECT min(location), min(t_from), max(t_to), max(peer), sum(wait)::int8, sum(compute)::int8, sum(message)::int8, sum(collective)::int8, sum(waiting)::int8
		FROM (SELECT *, count(*) FILTER (WHERE peer_location IS NOT NULL) OVER (ORDER BY step) AS stay FROM critical_path(%s, true)) d GROUP BY stay', run)) AS stays
FROM unnest(ARRAY[901, 902]) run;

-- the summary is the path by call path: what is outside of calls is missing
SELECT run, (SELECT sum(ns) FROM critical_path_summary(run)) = (SELECT sum(t_to - t_from) FROM critical_path(run, true) WHERE region IS NOT NULL) AS whole,
	(SELECT sum(blame) FROM critical_path_summary(run)) = (SELECT sum(long_term) FROM delay_costs(run)) AS blamed,
	(SELECT bool_and(imbalance BETWEEN 0 AND ns) FROM critical_path_summary(run)) AS bounded
FROM unnest(ARRAY[901, 902]) run;
SELECT count(*) FROM critical_path_summary(NULL);

-- waits: every ns counts once, and is shared among its causes once
SELECT run, sum(ns) = (SELECT sum(ns) FROM blame(run)) AS shared, bool_and(ns > 0 AND ns = t_to - t_from) AS whole,
	(SELECT sum(short_term + long_term) FROM delay_costs(run)) <= sum(ns) AS explained,
	count(*) = (SELECT count(*) FROM wait_states(run, 100, 20000)) + (SELECT count(*) FROM wait_states(run, t_to => 100))
		+ (SELECT count(*) FROM wait_states(run, 20000)) AS windows,
	count(*) FILTER (WHERE victim IN (0, 2)) = (SELECT count(*) FROM wait_states(run, locations => '{0,2}')) AS victims
FROM unnest(ARRAY[901, 902]) run, LATERAL wait_states(run) GROUP BY run ORDER BY run;
SELECT * FROM wait_states(901, 20, 10);
SELECT * FROM wait_states(999999);

-- replays: as recorded without changes, and no longer with a network that takes no time
SELECT run, calibration, predicted_ns = recorded_ns AS same, changed, note FROM unnest(ARRAY[901, 902]) run, LATERAL what_if(run, '{}');
SELECT run, predicted_ns <= recorded_ns AS shorter, gain_ns = replayed_ns - predicted_ns AS gained
FROM unnest(ARRAY[901, 902]) run, LATERAL what_if(run, '[{"network": "ideal"}, {"rank_to_mean": 0}]');
SELECT run, bool_and(o.gain_ns > 0 AND w.predicted_ns = o.predicted_ns) AS agree
FROM unnest(ARRAY[901, 902]) run, LATERAL opportunities(run, 40) o, LATERAL what_if(run, o.change) w
GROUP BY run ORDER BY run;
SELECT run, abs(parallel - load_balance * communication * coalesce(threads, 1)) < 1e-9 AS product,
	abs(communication - serialisation * transfer) < 1e-9 AS parts, parallel BETWEEN 0 AND 1 AS bounded
FROM unnest(ARRAY[901, 902]) run, LATERAL efficiency(run);
SELECT count(*) > 0 AS calls, bool_and(t_from < t_to) AS ordered FROM efficiency(901, region => 'main');
-- without a trace: what the profile's columns tell, here added up by hand
WITH cell AS (
	SELECT c.rank, n.paradigm IS NOT DISTINCT FROM 'mpi' AS is_mpi, c.exclusive FROM profile(1) p, LATERAL nodes(p) n, LATERAL column_values(p, n.node) c
	WHERE c.present
), by_rank AS (
	SELECT rank, sum(exclusive) FILTER (WHERE NOT is_mpi) AS useful, sum(exclusive) AS total FROM cell GROUP BY rank
)
SELECT e.estimated, e.serialisation IS NULL AND e.transfer IS NULL AS unknown, e.ranks = count(*) AS ranks,
	abs(e.load_balance - avg(b.useful) / max(b.useful)) < 1e-9 AS load_balance,
	abs(e.communication - max(b.useful) / max(b.total)) < 1e-9 AS communication,
	abs(e.parallel - avg(b.useful) / max(b.total)) < 1e-9 AS parallel
FROM efficiency(1) e, by_rank b GROUP BY e.estimated, e.serialisation, e.transfer, e.ranks, e.load_balance, e.communication, e.parallel;
SELECT count(*) FROM what_if(NULL, '{}');
SELECT count(*) FROM what_if(901, NULL);
SELECT count(*) FROM opportunities(NULL, 3);
SELECT count(*) FROM efficiency(NULL);
SELECT count(*) FROM opportunities(901, -1);
SELECT * FROM efficiency(901, 20, 10);
SELECT * FROM efficiency(999999);
SELECT * FROM efficiency(901, region => 'nothing');
SELECT * FROM opportunities(999999);
SELECT * FROM what_if(999999, '{}');
SELECT * FROM what_if(901, '3');
SELECT * FROM what_if(901, '{"faster": 2}');
SELECT * FROM what_if(901, '{"balance": "nothing"}');
SELECT * FROM what_if(901, '{"network": "fast"}');
SELECT * FROM what_if(901, '{"rank_to_mean": 99}');
SELECT * FROM what_if(901, '{"rank_to_mean": "x"}');
SELECT * FROM what_if(901, '{"scale": {"region": "main", "by": -1}}');
SELECT * FROM what_if(901, '{"scale": {"region": "main", "by": 2, "ranks": "all"}}');
SELECT * FROM what_if(901, '{"order": {"path": "main", "sends": "random"}}');

-- ---- windows are what is left of the whole
SELECT public.differ(format('SELECT * FROM events(902, %1$s, %2$s, ''{0,3}'')', low, high),
		format('SELECT %3$s FROM e WHERE run_id = 902 AND "time" >= %1$s AND "time" < %2$s AND location IN (0, 3)', low, high,
		'location, rank, thread, "time", kind, region, peer, tag, bytes, communicator, seq, request, operation, root, bytes_received, "values", depth')) AS events,
	public.differ(format('SELECT location, call, inclusive, exclusive FROM calls(902, %1$s, %2$s, ''{0,3}'')', low, high),
		format('SELECT location, call, inclusive, exclusive FROM c WHERE run_id = 902 AND enter < %2$s AND coalesce(leave, enter + inclusive) >= %1$s AND location IN (0, 3)', low, high)) AS calls,
	public.differ(format('SELECT send_time, receive_time, send_region, receive_region FROM messages(902, %1$s, %2$s, ''{0,3}'')', low, high),
		format('SELECT send_time, receive_time, send_region, receive_region FROM m WHERE run_id = 902 AND least(send_time, receive_time) < %2$s
			AND greatest(send_time, receive_time) >= %1$s AND (sender_location IN (0, 3) OR receiver_location IN (0, 3))', low, high)) AS messages,
	public.differ(format('SELECT * FROM collectives(902, %1$s, %2$s)', low, high),
		format('SELECT collective, operation, communicator, root, n_members, n_present, first_enter, last_enter, first_leave, last_leave, bytes_sent, bytes_received,
			last_rank, wait, is_mixed, inferred FROM k WHERE run_id = 902 AND first_enter < %2$s AND last_leave >= %1$s', low, high)) AS collectives,
	public.differ(format('SELECT * FROM comm_matrix(902, %1$s, %2$s)', low, high),
		format('SELECT rank, peer, count(*), sum(bytes)::int8 FROM e WHERE run_id = 902 AND kind IN (''MPI_SEND'', ''MPI_ISEND'') AND "time" >= %1$s AND "time" < %2$s
			GROUP BY 1, 2', low, high)) AS matrix
FROM (VALUES (0, 1), (500, 20000), (12000, 12001), (6000000000, 12000010000), (30000000000, 40000000000)) w (low, high);

-- ---- views: whatever the planner makes of a condition, the rows are the same
SELECT public.differ('SELECT run_id::int4, location, rank, thread, "time", kind, region, peer, tag, bytes, communicator, seq, request, operation, root,
		bytes_received, depth FROM event WHERE run_id IN (901, 902)',
	'SELECT run_id, location, rank, thread, "time", kind, region, peer, tag, bytes, communicator, seq, request,
		CASE WHEN kind <> ''METRIC'' THEN operation END, root, bytes_received, depth FROM e') AS event,
	public.differ('SELECT run_id::int4, sender, receiver, send_time, receive_time, bytes, send_seq, receive_seq, receive_region FROM message WHERE run_id IN (901, 902)',
	'SELECT run_id, sender, receiver, send_time, receive_time, bytes, send_seq, receive_seq, receive_region FROM m WHERE receive_time IS NOT NULL') AS message;
CREATE TEMP TABLE all_events AS SELECT * FROM event WHERE run_id IN (901, 902);
CREATE TEMP TABLE all_messages AS SELECT * FROM message WHERE run_id IN (901, 902);
CREATE TEMP TABLE mark (at int8); INSERT INTO mark VALUES (5000), (20000), (NULL);
CREATE FUNCTION public.same_rows(condition text, source text DEFAULT 'event') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	query text := format('SELECT count(*), sum(hashtext(x::text)::int8) FROM (SELECT v.* FROM %%I v WHERE run_id IN (901, 902) AND %s) x', condition);
	a record;
	b record;
BEGIN
	EXECUTE format(query, source) INTO a;
	EXECUTE format(query, 'all_' || source || 's') INTO b;
	RETURN CASE WHEN a IS DISTINCT FROM b THEN 'DIFFERENT' WHEN a.count = 0 THEN 'none' ELSE 'same' END;
END $$;
SELECT condition, public.same_rows(condition) FROM unnest(ARRAY[
	'"time" >= 1000 AND "time" < 9000', '"time" BETWEEN 1000 AND 9000', '"time" = 60', '9000 > "time" AND 1000 <= "time"', '"time" > 1e3 AND "time" <= 9.5e3',
	'"time" >= 1000::float8 AND "time" < ''9000.5''::float8', '"time" > 1000::int2', '"time" < -5', '"time" > 1e30', '"time" < 1e30', '"time" >= ''NaN''::float8',
	'"time" > NULL', '("time" < 100 OR "time" > 20000)', '("time" < 100 OR kind = ''MPI_SEND'')', 'NOT "time" < 9000', '"time" <> 60',
	'"time" >= 1000 AND "time" >= 5000', '"time" < 9000 AND location = 3 AND rank = 2', '"time" + 1 > 9000', '"time" > seq', '"time" > seq * 100 AND "time" < 9000',
	'"time" IN (60, 65)', '"time" > (SELECT min(at) FROM mark)', '"time" > ALL (SELECT at FROM mark WHERE at < 9000)', 'EXISTS (SELECT FROM mark WHERE v."time" < at)',
	'NOT EXISTS (SELECT FROM mark WHERE v."time" < at)', '"time" > random() * 0', '"time" BETWEEN SYMMETRIC 9000 AND 1000',
	'CASE WHEN location = 0 THEN "time" > 9000 ELSE "time" < 100 END', '"time" > 9223372036854775807', '"time" >= ''-9223372036854775808''::int8'
]) condition;
SELECT condition, public.same_rows(condition, 'message') FROM unnest(ARRAY[
	'send_time >= 1000 AND send_time < 9000', 'receive_time BETWEEN 1000 AND 20000', 'send_time < 9000 AND receive_time > 9000', 'send_time IS NULL',
	'(send_time < 9000 OR receive_time > 20000)', 'receiver = 2 AND receive_time < 20000', 'send_time > receive_time', 'sender = 0 AND send_time = 65'
]) condition;
-- joins, where conditions may sit on either side
SELECT count(*), sum(hashtext(x::text)::int8) = (SELECT sum(hashtext(y::text)::int8) FROM (SELECT mark.at, v.seq FROM mark LEFT JOIN all_events v ON v.run_id = 902 AND v."time" BETWEEN 4000 AND 6000 AND v."time" < mark.at) y) AS left_join
	FROM (SELECT mark.at, v.seq FROM mark LEFT JOIN event v ON v.run_id = 902 AND v."time" BETWEEN 4000 AND 6000 AND v."time" < mark.at) x;
SELECT count(*), sum(hashtext(x::text)::int8) = (SELECT sum(hashtext(y::text)::int8) FROM (SELECT mark.at, v.seq FROM all_events v LEFT JOIN mark ON v."time" > 4000 AND mark.at > v."time" WHERE v.run_id = 902) y) AS preserved
	FROM (SELECT mark.at, v.seq FROM event v LEFT JOIN mark ON v."time" > 4000 AND mark.at > v."time" WHERE v.run_id = 902) x;
SELECT count(*), sum(hashtext(x::text)::int8) = (SELECT sum(hashtext(y::text)::int8) FROM (SELECT mark.at, v.seq FROM (SELECT * FROM all_events WHERE run_id = 902) v FULL JOIN mark ON v."time" = mark.at) y) AS full_join
	FROM (SELECT mark.at, v.seq FROM (SELECT * FROM event WHERE run_id = 902) v FULL JOIN mark ON v."time" = mark.at) x;
SELECT a.seq, b.seq FROM event a, event b WHERE a.run_id = 901 AND b.run_id = 901 AND a.location = 0 AND b.location = 3 AND a."time" = 60 AND b."time" = 80;
SELECT at, (SELECT count(*) FROM event WHERE run_id = 902 AND "time" < at) - (SELECT count(*) FROM all_events WHERE run_id = 902 AND "time" < at) AS correlated,
	l.n - (SELECT count(*) FROM all_events WHERE run_id = 902 AND "time" < at) AS lateral
	FROM mark, LATERAL (SELECT count(*) AS n FROM event WHERE run_id = 902 AND "time" < at) l ORDER BY at;
PREPARE window_of(int8, int8) AS SELECT count(*) FROM event WHERE run_id = 902 AND "time" >= $1 AND "time" < $2;
SET plan_cache_mode = force_generic_plan;
EXECUTE window_of(500, 20000);
EXECUTE window_of(NULL, 20000);
RESET plan_cache_mode;
SELECT count(*) FROM all_events WHERE run_id = 902 AND "time" >= 500 AND "time" < 20000;
-- the window is in the call: chunks outside of it are not decoded
CREATE FUNCTION public.call_of(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF, VERBOSE) ' || query LOOP
		IF line LIKE '%Function Call%' THEN
			RETURN NEXT regexp_replace(line, '^.*c\.extra, ', '');
		END IF;
	END LOOP;
END $$;
SELECT public.call_of('SELECT count(*) FROM event WHERE run_id = 902 AND location = 2 AND "time" BETWEEN 1000 AND 2000.5');
SELECT public.call_of('SELECT count(*) FROM message WHERE run_id = 902 AND send_time < 2000 AND receive_time = 5::int8');
SELECT public.call_of('SELECT count(*) FROM event WHERE run_id = 902 AND ("time" < 1000 OR "time" > seq)');
-- a window of one call is not one of another on the same chunk
DO $$
DECLARE
	call text := 'perfhouse_internal.chunk_events(c.location_id, c.chunk_no, c.format, c.n_events, c.n_enter, c.n_message, c.first_seq, '
		'c.t_prev, c.t_first, c.t_last, c.stack, c.dt, c.kind, c.region, c.msg, c.extra, NULL, NULL)';
BEGIN
	EXECUTE 'CREATE TEMP VIEW pairs AS SELECT a."time" AS first, b."time" AS second FROM trace_chunk c, ' || call || ' a, ' || call ||
		' b WHERE c.run_id = 901 AND c.location_id = 0';
	EXECUTE 'CREATE TEMP VIEW listed AS SELECT a."time" AS first, (' || call || ')."time" AS second FROM trace_chunk c, ' || call ||
		' a WHERE c.run_id = 901 AND c.location_id = 0';
END $$;
CREATE FUNCTION public.counted(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	n bigint;
BEGIN
	EXECUTE 'SELECT count(*) FROM (' || query || ') x' INTO n;
	RETURN n;
END $$;
SELECT condition, public.counted(format('SELECT FROM %s WHERE %s', v, condition)) AS n,
	public.counted(format('SELECT FROM (SELECT * FROM %s OFFSET 0) all_of_them WHERE %s', v, condition)) AS expected
	FROM unnest(ARRAY['pairs', 'listed']) v, unnest(ARRAY['first <= 10', 'second <= 10', 'first <= 10 AND second > 10']) condition;
CREATE TEMP TABLE damaged AS SELECT * FROM trace_chunk WHERE run_id = 902 AND location_id = 0 AND t_first > 20000;
UPDATE trace_chunk SET dt = '\x00' WHERE run_id = 902 AND location_id = 0 AND t_first > 20000;
SELECT count(*) > 0 AS is_pruned FROM event WHERE run_id = 902 AND location = 0 AND "time" < 20000;
-- which damaged chunk is met first is the table's order
SELECT f.code, regexp_replace(f.message, 'chunk [0-9]+', 'chunk N') AS message, f.hint FROM public.fails('SELECT count(*) FROM event WHERE run_id = 902 AND location = 0') f;
UPDATE trace_chunk c SET dt = d.dt FROM damaged d WHERE (c.run_id, c.location_id, c.chunk_no) = (d.run_id, d.location_id, d.chunk_no);

-- ---- decoders and tallies by themselves
-- events through their view
SELECT location, "time", kind, region, peer, bytes FROM event WHERE run_id = 901 AND "time" BETWEEN 60 AND 70 AND rank = 0;
-- comm_tally by itself
SELECT r.first AS sender, r.second AS receiver, r.messages, r.bytes
	FROM (SELECT perfhouse_internal.comm_tally(c.location_id, c.chunk_no, c.format, c.n_events, c.n_enter, c.n_message, c.first_seq, c.t_prev, c.t_first,
		c.t_last, c.stack, c.dt, c.kind, c.region, c.msg, c.extra, l.rank, 'pair', NULL, NULL, NULL) AS tally
		FROM trace_chunk c JOIN location l USING (run_id, location_id) WHERE run_id IN (901, 902)) t, perfhouse_internal.comm_tally_rows(tally) r;
-- region_profile by itself
SELECT g.name, r.calls, r.inclusive, r.exclusive
	FROM (SELECT run_id, perfhouse_internal.region_profile(c.location_id, c.chunk_no, c.format, c.n_events, c.n_enter, c.n_message, c.first_seq, c.t_prev,
		c.t_first, c.t_last, c.stack, c.dt, c.kind, c.region, c.msg, c.extra, 0, 100) AS profile
		FROM trace_chunk c WHERE run_id = 901 GROUP BY run_id) p, perfhouse_internal.region_profile_rows(profile) r
	JOIN trace_region g ON g.local_id = r.region_id WHERE g.run_id = 901 ORDER BY r.exclusive DESC;

-- ---- parallel plans give the same
CREATE FUNCTION public.digest_of_traces() RETURNS TABLE (what text, digest text) LANGUAGE plpgsql AS $$
BEGIN
	FOREACH what IN ARRAY ARRAY['comm_matrix(902)', 'load_imbalance(902, 3)', 'message_histogram(902)', 'comm_over_time(902)', 'comm_by_process(902)',
		'time_profile(902)', 'critical_path(902)', 'critical_path_summary(902)', 'late_senders(902)', 'wait_states(902)', 'delay_costs(902)', 'blame(902)', 'messages(902)', 'collectives(902)', 'calls(901)', 'events(902)', 'idle(902)',
		'(SELECT trace_profile(902)::text)', '(SELECT * FROM event WHERE run_id = 902 ORDER BY location, seq)',
		'(SELECT * FROM message WHERE run_id = 902 ORDER BY receiver_location, receive_seq)', 'public.regions_of_902'] LOOP
		EXECUTE format('SELECT md5(string_agg(x::text, '','' ORDER BY n)) FROM (SELECT x, row_number() OVER () AS n FROM %s x) y', what) INTO digest;
		RETURN NEXT;
	END LOOP;
END $$;
CREATE VIEW public.regions_of_902 AS SELECT r.* FROM (SELECT perfhouse_internal.region_profile(c.location_id, c.chunk_no, c.format, c.n_events, c.n_enter, c.n_message,
	c.first_seq, c.t_prev, c.t_first, c.t_last, c.stack, c.dt, c.kind, c.region, c.msg, c.extra, NULL, NULL) AS p
	FROM trace_chunk c WHERE run_id = 902) s, perfhouse_internal.region_profile_rows(p) r;
ANALYZE trace_chunk;
CREATE TEMP TABLE serial AS SELECT * FROM public.digest_of_traces();
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET min_parallel_index_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT perfhouse_internal.region_profile(c.location_id, c.chunk_no, c.format, c.n_events, c.n_enter, c.n_message, c.first_seq, c.t_prev, c.t_first, c.t_last,
	c.stack, c.dt, c.kind, c.region, c.msg, c.extra, NULL, NULL) FROM trace_chunk c WHERE run_id = 902;
-- its name changed with PostgreSQL 16
SELECT name AS forced_mode FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query') \gset
SET :forced_mode = on;
SELECT p.what FROM public.digest_of_traces() p JOIN serial s USING (what) WHERE p.digest IS DISTINCT FROM s.digest;
RESET ALL;
SET search_path = perfhouse, public;
SET extra_float_digits = 0;

-- ---- errors
SELECT * FROM public.fails('SELECT events(7777)');
SELECT * FROM public.fails('SELECT events(1)');
SELECT * FROM public.fails('SELECT calls(901, 10, 5)');
SELECT * FROM public.fails($$SELECT events(901, NULL, NULL, '{5}')$$);
SELECT * FROM public.fails($$SELECT events(901, NULL, NULL, '{NULL}')$$);
SELECT * FROM public.fails('SELECT time_profile(901, 0)');
SELECT * FROM public.fails('SELECT time_profile(901, 5, -10, 5)');
SELECT * FROM public.fails('SELECT comm_over_time(901, 5, 50, 50)');
SELECT * FROM public.fails('SELECT load_imbalance(901, -1)');
SELECT * FROM public.fails('SELECT trace_profile(901, 5000, 6000)');
SELECT * FROM public.fails('SELECT message_histogram(901, 1000001)');
SELECT * FROM public.fails($$SELECT perfhouse_internal.comm_tally_rows('\x00')$$);
SELECT * FROM public.fails($$SELECT perfhouse_internal.region_profile_rows('\x00')$$);
SELECT * FROM public.fails($$SELECT perfhouse_internal.region_profile_add(NULL, 0, 0, 1::int2, 1, 0, 0, 0, 0, 0, 0, '', '', '', '', '', '', NULL, NULL)$$);
SELECT * FROM public.fails($$SELECT perfhouse_internal.chunk_events(0, 0, 9::int2, 1, 0, 0, 0, 0, 0, 0, '', '', '', '', '', '')$$);
SELECT * FROM public.fails($$SELECT perfhouse_internal.chunk_events(0, 0, 1::int2, -1, 0, 0, 0, 0, 0, 0, '', '', '', '', '', '')$$);
SELECT count(*) FROM perfhouse_internal.chunk_events(0, 0, 1::int2, NULL, 0, 0, 0, 0, 0, 0, '', '', '', '', '', '');
SELECT count(*) FROM events(NULL);
SELECT count(*) FROM (SELECT FROM events(901, 65, 65) UNION ALL SELECT FROM calls(901, 65, 65) UNION ALL SELECT FROM messages(901, 65, 65)
	UNION ALL SELECT FROM collectives(901, 245, 245) UNION ALL SELECT FROM comm_matrix(901, 65, 65)) nothing;
SELECT trace_profile(NULL) IS NULL AS nothing, count(*) FROM trace_summary(NULL);
UPDATE run SET state = 'loading' WHERE run_id = 901;
SELECT * FROM public.fails('SELECT messages(901)');
SELECT count(*) FROM event WHERE run_id = 901;
SELECT count(*) FROM message WHERE run_id = 901;
UPDATE run SET state = 'ready' WHERE run_id = 901;

-- ---- checks
SELECT run, check_name, ok, detail FROM unnest(ARRAY[901, 902]) run, check_run(run) WHERE check_name LIKE 'trace%' ORDER BY run, check_name;
CREATE FUNCTION public.after(change text) RETURNS TABLE (check_name text, detail text) LANGUAGE plpgsql AS $$
BEGIN
	BEGIN
		EXECUTE change;
		CREATE TEMP TABLE finding AS SELECT * FROM check_run(901) f WHERE f.check_name LIKE 'trace%' AND NOT f.ok;
		SELECT string_agg(f.check_name || ': ' || f.detail, '; ') INTO check_name FROM finding f;
		RAISE EXCEPTION USING ERRCODE = 'P0001', MESSAGE = coalesce(check_name, 'nothing');
	EXCEPTION WHEN SQLSTATE 'P0001' THEN
		detail := SQLERRM;
		check_name := change;
		RETURN NEXT;
	END;
END $$;
SELECT a.detail FROM unnest(ARRAY['DELETE FROM perfhouse.trace_chunk WHERE run_id = 901 AND location_id = 0 AND chunk_no = 1',
	'DELETE FROM perfhouse.trace WHERE run_id = 901', 'UPDATE perfhouse.trace SET n_events = 1 WHERE run_id = 901', 'UPDATE perfhouse.run SET n_events = NULL WHERE run_id = 901',
	'UPDATE perfhouse.trace SET duration = 1 WHERE run_id = 901', 'UPDATE perfhouse.trace SET n_messages = 9 WHERE run_id = 901',
	'UPDATE perfhouse.trace_chunk SET t_prev = t_prev - 1 WHERE run_id = 901 AND location_id = 0 AND chunk_no = 2',
	'UPDATE perfhouse.trace_chunk SET extra = '''' WHERE run_id = 901 AND location_id = 4',
	'DELETE FROM perfhouse.trace_region WHERE run_id = 901 AND local_id > 3',
	'UPDATE perfhouse.message_chunk SET n_links = 5 WHERE run_id = 901 AND location_id = 2',
	'DELETE FROM perfhouse.message_chunk WHERE run_id = 901',
	'UPDATE perfhouse.message_chunk SET chunk_no = 77 WHERE run_id = 901 AND location_id = 2']) change, public.after(change) a;

-- ---- who may
SET ROLE perfhouse_reader;
SELECT (SELECT count(*) FROM perfhouse.event WHERE run_id = 901) AS event, (SELECT count(*) FROM perfhouse.message WHERE run_id = 901) AS message,
	(SELECT count(*) FROM perfhouse.events(901)) AS events, (SELECT count(*) FROM perfhouse.calls(901)) AS calls, (SELECT sum(messages) FROM perfhouse.comm_matrix(901)) AS sent;
SELECT * FROM public.fails('DELETE FROM perfhouse.trace_chunk');
SET ROLE perfhouse_loader;
SELECT * FROM public.fails('UPDATE perfhouse.trace_chunk SET dt = dt');
BEGIN;
INSERT INTO perfhouse.trace_region VALUES (901, 999, 1, 'of a loader');
SELECT perfhouse.drop_run(901);
ROLLBACK;
RESET ROLE;

-- ---- a window as a run, and the end
SELECT drop_run(901), drop_run(902);
SELECT * FROM rows_without_run();
DELETE FROM region r WHERE kind = 0 AND NOT EXISTS (SELECT FROM callpath c WHERE c.region_id = r.region_id) AND name IN ('main', 'solve', 'MPI_Send', 'MPI_Recv', 'MPI_Isend', 'MPI_Irecv', 'MPI_Waitall', 'MPI_Allreduce', 'MPI_Barrier');
DROP VIEW public.regions_of_902;
DROP FUNCTION public.call_of, public.counted, public.differ, public.overlaps, public.same_rows, public.digest_of_traces, public.after;
