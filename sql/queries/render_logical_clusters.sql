-- render_logical_clusters.sql - processes of a phase that behave alike, as rows (section, JSON object) for the
-- renderer.
--
-- $1 run, $2 phase, $3 metric, $4 clusters shown, $5 hops from the latest process for processes on top,
-- $6 columns at most, $7 whether the time before events is wanted, $8 whether messages are.
-- Runs of tasks are refused. Rows are the processes on top (at most 24), then those that are a cluster of their own.
WITH wanted AS MATERIALIZED (
	SELECT CASE WHEN NOT EXISTS (SELECT FROM perfhouse.logical_timeline t WHERE t.run_id = $1::bigint) THEN $1::bigint END AS run
), phase AS MATERIALIZED (
	SELECT p.*, p.first_step % 2 = 0 AND p.last_step % 2 = 0 AS by_twos FROM perfhouse.phases($1::bigint) p WHERE p.phase = $2::int4
), axis AS MATERIALIZED (
	SELECT first, "end", stride, "between", pattern, CASE WHEN "between" THEN "end" - first + 1 ELSE ("end" - first + stride - 1) / stride END AS columns,
		CASE WHEN "between" THEN 1 ELSE greatest(1, ceil(("end" - first) / stride / $6::float8))::int4 END AS columns_a_cell
	FROM (SELECT first_step AS first, last_step + 1 AS "end", CASE WHEN by_twos THEN 2 ELSE 1 END AS stride, pattern,
			by_twos AND $7::boolean AND last_step - first_step + 2 <= $6::int4 AS "between" FROM phase) p
), clusters AS MATERIALIZED (
	SELECT * FROM perfhouse.step_clusters((SELECT run FROM wanted), $2::int4, $4::int4, $3::text)
), leaves AS MATERIALIZED (
	SELECT c.* FROM clusters c WHERE NOT EXISTS (SELECT FROM clusters d WHERE d.parent = c.cluster)
), members AS MATERIALIZED (
	SELECT unnest(l.locations) AS location, l.cluster, l.n_members FROM leaves l
), events AS MATERIALIZED (
	SELECT e.location, e.seq, e.step, e.kind, e.n_messages, e.region, e.enter, e.leave, e.peers, e.earliest_location, e.rank, m.cluster,
		(CASE $3::text WHEN 'lateness' THEN e.lateness WHEN 'global_lateness' THEN e.global_lateness
			WHEN 'differential_lateness' THEN e.differential_lateness
			WHEN 'global_differential_lateness' THEN e.global_differential_lateness ELSE e.duration END)::float8 AS value,
		(CASE $3::text WHEN 'lateness' THEN e.aggregate_lateness WHEN 'global_lateness' THEN e.aggregate_global_lateness
			WHEN 'differential_lateness' THEN e.aggregate_differential_lateness
			WHEN 'global_differential_lateness' THEN e.aggregate_global_differential_lateness ELSE e.aggregate_duration END)::float8 AS before
	FROM axis a CROSS JOIN perfhouse.logical_steps((SELECT run FROM wanted), a.first, a."end") e JOIN members m USING (location)
	WHERE e.phase = $2::int4
), leads AS MATERIALIZED (
	SELECT DISTINCT ON (e.location) e.location, e.kind <> 'receive' OR a.pattern IS DISTINCT FROM 'SRSR' AS first_sends
	FROM axis a, events e ORDER BY e.location, e.seq
), groups AS MATERIALIZED (
	SELECT m.cluster, l.first_sends, count(*) AS n FROM leads l JOIN members m USING (location) GROUP BY 1, 2
), series AS MATERIALIZED (
	SELECT e.cluster, l.first_sends, (e.step - a.first + a."between"::int4) / CASE WHEN a."between" THEN 1 ELSE a.stride * a.columns_a_cell END AS "column",
		min(e.step) AS step, count(*) FILTER (WHERE e.kind = 'send') AS sends, count(*) FILTER (WHERE e.kind = 'receive') AS receives,
		count(*) FILTER (WHERE e.kind = 'collective') AS collectives,
		avg(e.value) FILTER (WHERE e.kind = 'send') AS send_value, avg(e.before) FILTER (WHERE e.kind = 'send') AS send_before,
		avg(e.value) FILTER (WHERE e.kind = 'receive') AS receive_value, avg(e.before) FILTER (WHERE e.kind = 'receive') AS receive_before,
		avg(e.value) FILTER (WHERE e.kind = 'collective') AS collective_value, avg(e.before) FILTER (WHERE e.kind = 'collective') AS collective_before,
		avg(e.n_messages) FILTER (WHERE e.kind = 'receive') AS received
	FROM axis a CROSS JOIN events e JOIN leads l USING (location)
	GROUP BY 1, 2, 3
), focus AS MATERIALIZED (
	SELECT f.location, f.rank, f.hops, (row_number() OVER (ORDER BY f.location) - 1)::int4 AS "row"
	FROM (SELECT * FROM perfhouse.focus_processes((SELECT run FROM wanted), $2::int4, $5::int4, NULL, $3::text) ORDER BY hops, location LIMIT 24) f
), rows AS MATERIALIZED (
	SELECT f."row", f.location, f.rank, f.hops, NULL::int4 AS cluster FROM focus f
	UNION ALL
	SELECT ((SELECT count(*) FROM focus) + row_number() OVER (ORDER BY s.cluster) - 1)::int4, s.centroid, l.rank, NULL, s.cluster
	FROM leaves s LEFT JOIN perfhouse.location l ON l.run_id = $1::bigint AND l.location_id = s.centroid WHERE s.n_members = 1
), cells AS MATERIALIZED (
	SELECT r."row", (e.step - w.wait::int4 - a.first + a."between"::int4) / CASE WHEN a."between" THEN 1 ELSE a.stride * a.columns_a_cell END AS "column",
		w.wait::int4 AS aggregate, CASE WHEN w.wait THEN e.before ELSE e.value END AS value, e.step - w.wait::int4 AS step, e.kind, e.n_messages, e.region,
		e.enter, e.leave, e.peers, e.rank, l.rank AS earliest
	FROM axis a CROSS JOIN rows r JOIN events e ON e.location = r.location JOIN (VALUES (false), (true)) w (wait) ON a."between" OR NOT w.wait
	LEFT JOIN perfhouse.location l ON l.run_id = $1::bigint AND l.location_id = e.earliest_location
	ORDER BY 1, 2, e.seq, 3
), messages AS MATERIALIZED (
	SELECT m.*, s.cluster AS sender_cluster, r.cluster AS receiver_cluster
	FROM axis a CROSS JOIN perfhouse.logical_messages((SELECT run FROM wanted), a.first, a."end", ARRAY(SELECT DISTINCT location FROM rows)) m
	JOIN events s ON s.location = m.sender_location AND s.seq = m.send_seq
	JOIN members r ON r.location = m.receiver_location
	WHERE $8::boolean LIMIT 20001
)
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = $1::bigint
UNION ALL
SELECT 'logical', to_jsonb(l)::text FROM perfhouse.logical l WHERE l.run_id = $1::bigint
UNION ALL
SELECT 'phase', to_jsonb(p)::text FROM phase p
UNION ALL
SELECT 'axis', jsonb_build_object('first', first, 'end', "end", 'stride', stride, 'between', "between", 'columns', columns,
	'columns_a_cell', columns_a_cell, 'metric', $3::text)::text FROM axis
UNION ALL
(SELECT 'clusters', ((to_jsonb(c) - 'locations') || jsonb_build_object('latest_rank', t.rank, 'centroid_rank', m.rank,
	'ranks', CASE WHEN l.cluster IS NOT NULL THEN (SELECT jsonb_agg(o.rank ORDER BY o.rank) FROM perfhouse.location o
		WHERE o.run_id = $1::bigint AND o.location_id = ANY (c.locations)) END))::text
FROM clusters c LEFT JOIN leaves l USING (cluster)
LEFT JOIN perfhouse.location t ON t.run_id = $1::bigint AND t.location_id = c.latest
LEFT JOIN perfhouse.location m ON m.run_id = $1::bigint AND m.location_id = c.centroid
ORDER BY c.cluster)
UNION ALL
(SELECT 'series', (to_jsonb(s) || jsonb_build_object('n', g.n))::text
FROM (SELECT cluster, first_sends, array_agg("column" ORDER BY "column") AS "column", array_agg(step ORDER BY "column") AS step,
		array_agg(sends ORDER BY "column") AS sends, array_agg(receives ORDER BY "column") AS receives,
		array_agg(collectives ORDER BY "column") AS collectives, array_agg(send_value ORDER BY "column") AS send_value,
		array_agg(receive_value ORDER BY "column") AS receive_value, array_agg(collective_value ORDER BY "column") AS collective_value,
		array_agg(send_before ORDER BY "column") AS send_before, array_agg(receive_before ORDER BY "column") AS receive_before,
		array_agg(collective_before ORDER BY "column") AS collective_before, array_agg(round(received, 3) ORDER BY "column") AS received
	FROM series GROUP BY cluster, first_sends) s JOIN groups g USING (cluster, first_sends) ORDER BY s.cluster, s.first_sends DESC)
UNION ALL
(SELECT 'rows', (to_jsonb(r) || '{"n_locations": 1}')::text FROM rows r ORDER BY r."row")
UNION ALL
(SELECT 'cells', to_jsonb(c)::text
FROM (SELECT "row", array_agg("column") AS "column", array_agg(1) AS n, array_agg(value) AS value, array_agg(rank) AS rank,
		array_agg(step) AS step, array_agg($2::int4) AS phase, array_agg(enter) AS enter, array_agg(leave) AS leave,
		array_agg(peers) AS peers, array_agg(n_messages) AS n_messages, array_agg(earliest) AS earliest, array_agg(aggregate) AS aggregate,
		array_agg(region) AS region, array_agg(kind) AS kind
	FROM cells GROUP BY "row") c ORDER BY c."row")
UNION ALL
SELECT 'messages', jsonb_build_object('from_row', jsonb_agg(f."row" ORDER BY m.send_step, f."row", m.send_seq, t."row"),
	'to_row', jsonb_agg(t."row" ORDER BY m.send_step, f."row", m.send_seq, t."row"),
	'send_step', jsonb_agg(m.send_step ORDER BY m.send_step, f."row", m.send_seq, t."row"),
	'receive_step', jsonb_agg(m.receive_step ORDER BY m.send_step, f."row", m.send_seq, t."row"),
	'bytes', jsonb_agg(m.bytes ORDER BY m.send_step, f."row", m.send_seq, t."row"))::text
FROM messages m JOIN focus f ON f.location = m.sender_location JOIN focus t ON t.location = m.receiver_location HAVING count(*) > 0
UNION ALL
SELECT 'stubs', jsonb_build_object('row', jsonb_agg("row" ORDER BY "row", step, sent, up), 'step', jsonb_agg(step ORDER BY "row", step, sent, up),
	'sent', jsonb_agg(sent ORDER BY "row", step, sent, up), 'up', jsonb_agg(up ORDER BY "row", step, sent, up))::text
FROM (SELECT DISTINCT f."row", CASE WHEN sent THEN m.send_step ELSE m.receive_step END AS step, sent::int4 AS sent,
		(CASE WHEN sent THEN m.receiver_location ELSE m.sender_location END < f.location)::int4 AS up
	FROM messages m CROSS JOIN (VALUES (true), (false)) d (sent)
	JOIN focus f ON f.location = CASE WHEN sent THEN m.sender_location ELSE m.receiver_location END
	WHERE NOT EXISTS (SELECT FROM focus o WHERE o.location = CASE WHEN sent THEN m.receiver_location ELSE m.sender_location END)) s
HAVING count(*) > 0
UNION ALL
SELECT 'links', jsonb_build_object('from_cluster', jsonb_agg(sender_cluster ORDER BY n), 'to_cluster', jsonb_agg(receiver_cluster ORDER BY n),
	'send_step', jsonb_agg(send_step ORDER BY n), 'receive_step', jsonb_agg(receive_step ORDER BY n))::text
FROM (SELECT DISTINCT ON (sender_cluster, receiver_cluster, send_step, receive_step) m.sender_cluster, m.receiver_cluster, m.send_step, m.receive_step,
		row_number() OVER (ORDER BY m.sender_cluster, m.receiver_cluster, m.send_step, m.receive_step) AS n
	FROM messages m WHERE EXISTS (SELECT FROM leaves l WHERE l.n_members = 1 AND l.cluster IN (m.sender_cluster, m.receiver_cluster))
	ORDER BY sender_cluster, receiver_cluster, send_step, receive_step) l
HAVING count(*) > 0
UNION ALL
SELECT 'error', jsonb_build_object('message', format('run %s is of tasks, whose clusters are not drawn', $1::bigint),
	'hint', 'perfhouse.step_clusters has them; draw its chares with perfhouse render logical.')::text FROM wanted WHERE run IS NULL;
