-- render_logical_clusters.sql - processes of a phase that behave alike, as rows (section, JSON object) for the
-- renderer.
--
-- :run, :phase, :step_metric, :clusters to show, :radius hops from the process in focus for processes on top (null:
-- 1, or the least that shows half the ways of sending when up to 256 processes send and receive in turn), :width
-- columns at most, :aggregates whether the time before events is wanted, :messages, whether they are, :unfold and :fold
-- clusters or null, :cluster whose process is in focus (null: the root), :focus which one of it: latest or centroid.
-- Chares of tasks are processes with a name, no rank and no time before events; their metric is the differential
-- duration. Rows are the processes on top (at most 24), then those that are a cluster of their own.
WITH RECURSIVE wanted AS MATERIALIZED (
	SELECT EXISTS (SELECT FROM perfhouse.logical_timeline t WHERE t.run_id = :run::bigint) AS of_tasks
), metric AS MATERIALIZED (
	SELECT CASE WHEN of_tasks THEN 'differential_duration' ELSE :step_metric::text END AS name FROM wanted
), phase AS MATERIALIZED (
	SELECT p.*, p.first_step % 2 = 0 AND p.last_step % 2 = 0 AND NOT of_tasks AS by_twos
	FROM wanted, perfhouse.phases(:run::bigint) p WHERE p.phase = :phase::int4
), axis AS MATERIALIZED (
	SELECT first, "end", stride, "between", pattern, CASE WHEN "between" THEN "end" - first + 1
		ELSE ("end" - first + stride - 1) / stride END AS columns,
		CASE WHEN "between" THEN 1 ELSE greatest(1, ceil(("end" - first) / stride / :width::float8))::int4 END AS columns_a_cell
	FROM (SELECT first_step AS first, last_step + 1 AS "end", CASE WHEN by_twos THEN 2 ELSE 1 END AS stride, pattern,
			by_twos AND :aggregates::boolean AND last_step - first_step + 2 <= :width::int4 AS "between" FROM phase) p
), names AS MATERIALIZED (
	SELECT l.location_id AS location, l.rank, NULL::text AS name FROM wanted, perfhouse.location l
	WHERE l.run_id = :run::bigint AND NOT of_tasks
	UNION ALL
	SELECT t.location_id, NULL, t.name FROM perfhouse.logical_timeline t WHERE t.run_id = :run::bigint
), tree AS MATERIALIZED (
	SELECT c.*, c.child_left IS NOT NULL AND (c.cluster > max(c.cluster) OVER () + 1 - :clusters::int4
		OR c.cluster = ANY (coalesce(:unfold::int4[], '{}'))) AND NOT c.cluster = ANY (coalesce(:fold::int4[], '{}')) AS is_open
	FROM perfhouse.step_clusters(:run::bigint, :phase::int4, NULL, (SELECT name FROM metric)) c
), shown AS (
	SELECT t.cluster, t.is_open FROM tree t WHERE t.parent IS NULL
	UNION ALL
	SELECT t.cluster, t.is_open FROM shown s JOIN tree t ON t.parent = s.cluster WHERE s.is_open
), clusters AS MATERIALIZED (
	SELECT t.cluster, t.parent, t.distance, t.n_members, t.locations, t.max_metric, t.centroid, t.latest, t.is_open,
		t.child_left IS NOT NULL AS can_unfold,
		CASE WHEN t.is_open THEN t.child_left END AS child_left, CASE WHEN t.is_open THEN t.child_right END AS child_right
	FROM shown JOIN tree t USING (cluster)
), leaves AS MATERIALIZED (
	SELECT c.* FROM clusters c WHERE NOT c.is_open
), members AS MATERIALIZED (
	SELECT unnest(l.locations) AS location, l.cluster, l.n_members FROM leaves l
), events AS MATERIALIZED (
	SELECT e.location, e.seq, e.step, e.kind, e.n_messages, e.region, e.enter, e.leave, e.peers, e.earliest_location,
		coalesce(e.rank, e.processor) AS rank,
		m.cluster, (CASE w.name WHEN 'lateness' THEN e.lateness WHEN 'global_lateness' THEN e.global_lateness
			WHEN 'differential_lateness' THEN e.differential_lateness
			WHEN 'global_differential_lateness' THEN e.global_differential_lateness ELSE e.duration END)::float8 AS value,
		(CASE w.name WHEN 'lateness' THEN e.aggregate_lateness WHEN 'global_lateness' THEN e.aggregate_global_lateness
			WHEN 'differential_lateness' THEN e.aggregate_differential_lateness
			WHEN 'global_differential_lateness' THEN e.aggregate_global_differential_lateness
				ELSE e.aggregate_duration END)::float8 AS before
	FROM metric w CROSS JOIN perfhouse.logical_steps(:run::bigint, (SELECT first FROM axis), (SELECT "end" FROM axis)) e
	JOIN members m USING (location)
	WHERE e.phase = :phase::int4
), leads AS MATERIALIZED (
	SELECT p.location, a.pattern IS DISTINCT FROM 'SRSR' OR e.kind <> 'receive' AS first_sends
	FROM axis a CROSS JOIN perfhouse.phase_members(:run::bigint, :phase::int4) p JOIN events e ON e.location = p.location
		AND e.seq = p.first_event
), groups AS MATERIALIZED (
	SELECT m.cluster, l.first_sends, count(*) AS n FROM leads l JOIN members m USING (location) GROUP BY 1, 2
), series AS MATERIALIZED (
	SELECT e.cluster, l.first_sends, (e.step - a.first + a."between"::int4) / CASE WHEN a."between" THEN 1
		ELSE a.stride * a.columns_a_cell END AS "column",
		min(e.step) AS step, count(*) FILTER (WHERE e.kind = 'send') AS sends, count(*) FILTER (WHERE e.kind = 'receive') AS receives,
		count(*) FILTER (WHERE e.kind = 'collective') AS collectives,
		avg(e.value) FILTER (WHERE e.kind = 'send') AS send_value, avg(e.before) FILTER (WHERE e.kind = 'send') AS send_before,
		avg(e.value) FILTER (WHERE e.kind = 'receive') AS receive_value, avg(e.before) FILTER (WHERE e.kind = 'receive') AS receive_before,
		avg(e.value) FILTER (WHERE e.kind = 'collective') AS collective_value,
		avg(e.before) FILTER (WHERE e.kind = 'collective') AS collective_before,
		avg(e.n_messages) FILTER (WHERE e.kind = 'receive') AS received
	FROM axis a CROSS JOIN events e JOIN leads l USING (location)
	GROUP BY 1, 2, 3
), centre AS MATERIALIZED (
	SELECT t.cluster, CASE WHEN :focus::text = 'centroid' THEN t.centroid ELSE t.latest END AS location,
		CASE WHEN :focus::text = 'centroid' THEN 'centroid' ELSE 'latest' END AS by,
		coalesce(:radius::int4, CASE WHEN a.pattern IS DISTINCT FROM 'SRSR' OR p.n_locations > 256 THEN 1 END) AS radius
	FROM axis a, phase p, tree t WHERE CASE WHEN :cluster::int4 IS NULL THEN t.parent IS NULL ELSE t.cluster = :cluster::int4 END
), around AS MATERIALIZED (
	SELECT f.* FROM centre c, perfhouse.focus_processes(:run::bigint, :phase::int4, c.radius, c.location, (SELECT name FROM metric)) f
), focus AS MATERIALIZED (
	SELECT f.location, f.hops, (row_number() OVER (ORDER BY f.location) - 1)::int4 AS "row"
	FROM (SELECT * FROM around ORDER BY hops, location LIMIT 24) f
), rows AS MATERIALIZED (
	SELECT r.*, n.rank, n.name
	FROM (SELECT f."row", f.location, f.hops, NULL::int4 AS cluster FROM focus f
		UNION ALL
		SELECT ((SELECT count(*) FROM focus) + row_number() OVER (ORDER BY s.cluster) - 1)::int4, s.centroid, NULL, s.cluster
		FROM leaves s WHERE s.n_members = 1) r LEFT JOIN names n USING (location)
), row_events AS MATERIALIZED (
	SELECT e.* FROM events e WHERE e.location = ANY (ARRAY(SELECT location FROM rows))
), cells AS MATERIALIZED (
	SELECT r."row", (e.step - w.wait::int4 - a.first + a."between"::int4) / CASE WHEN a."between" THEN 1
		ELSE a.stride * a.columns_a_cell END AS "column",
		w.wait::int4 AS aggregate, CASE WHEN w.wait THEN e.before ELSE e.value END AS value, e.step - w.wait::int4 AS step, e.kind,
		e.n_messages, e.region,
		e.enter, e.leave, e.peers, e.rank, l.rank AS earliest
	FROM axis a CROSS JOIN rows r JOIN row_events e ON e.location = r.location JOIN (VALUES (false), (true)) w (wait) ON a."between"
		OR NOT w.wait
	LEFT JOIN names l ON l.location = e.earliest_location
	ORDER BY 1, 2, e.seq, 3
), messages AS MATERIALIZED (
	SELECT m.*, s.cluster AS sender_cluster, r.cluster AS receiver_cluster
	FROM axis a CROSS JOIN perfhouse.logical_messages(:run::bigint, a.first, a."end", ARRAY(SELECT DISTINCT location FROM rows)) m
	JOIN events s ON s.location = m.sender_location AND s.seq = m.send_seq
	JOIN members r ON r.location = m.receiver_location
	WHERE :messages::boolean LIMIT 20001
)
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint
UNION ALL
SELECT 'logical', to_jsonb(l)::text FROM perfhouse.logical l WHERE l.run_id = :run::bigint
UNION ALL
SELECT 'phase', to_jsonb(p)::text FROM phase p
UNION ALL
SELECT 'axis', jsonb_build_object('first', first, 'end', "end", 'stride', stride, 'between', "between", 'columns', columns,
	'columns_a_cell', columns_a_cell, 'metric', m.name, 'tasks', of_tasks)::text FROM axis, metric m, wanted
UNION ALL
SELECT 'focus', (to_jsonb(c) || jsonb_build_object('shown', (SELECT count(*) FROM focus), 'all', (SELECT count(*) FROM around),
	'hops', (SELECT max(hops) FROM around)))::text FROM centre c
UNION ALL
(SELECT 'clusters',
	((to_jsonb(c) - 'locations') || jsonb_build_object('latest_rank', t.rank, 'latest_name', t.name, 'centroid_rank', m.rank,
	'centroid_name', m.name,
	'ranks', r.ranks,
	'names', CASE WHEN NOT c.is_open AND m.name IS NOT NULL THEN (SELECT jsonb_agg(o.name ORDER BY o.location) FROM names o
		WHERE o.location = ANY (c.locations[1:200])) END))::text
FROM clusters c
LEFT JOIN (SELECT m.cluster, jsonb_agg(n.rank ORDER BY n.rank) AS ranks FROM members m JOIN names n USING (location)
	WHERE n.rank IS NOT NULL
	GROUP BY m.cluster) r USING (cluster)
LEFT JOIN names t ON t.location = c.latest
LEFT JOIN names m ON m.location = c.centroid
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
		array_agg(step) AS step, array_agg(:phase::int4) AS phase, array_agg(enter) AS enter, array_agg(leave) AS leave,
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
SELECT 'stubs', jsonb_build_object('row', jsonb_agg("row" ORDER BY "row", step, sent, up),
	'step', jsonb_agg(step ORDER BY "row", step, sent, up),
	'sent', jsonb_agg(sent ORDER BY "row", step, sent, up), 'up', jsonb_agg(up ORDER BY "row", step, sent, up))::text
FROM (SELECT DISTINCT f."row", CASE WHEN sent THEN m.send_step ELSE m.receive_step END AS step, sent::int4 AS sent,
		(CASE WHEN sent THEN m.receiver_location ELSE m.sender_location END < f.location)::int4 AS up
	FROM messages m CROSS JOIN (VALUES (true), (false)) d (sent)
	JOIN focus f ON f.location = CASE WHEN sent THEN m.sender_location ELSE m.receiver_location END
	WHERE NOT EXISTS (SELECT FROM focus o WHERE o.location = CASE WHEN sent THEN m.receiver_location ELSE m.sender_location END)) s
HAVING count(*) > 0
UNION ALL
SELECT 'links', jsonb_build_object('from_cluster', jsonb_agg(sender_cluster ORDER BY n),
	'to_cluster', jsonb_agg(receiver_cluster ORDER BY n),
	'send_step', jsonb_agg(send_step ORDER BY n), 'receive_step', jsonb_agg(receive_step ORDER BY n))::text
FROM (SELECT DISTINCT ON (sender_cluster, receiver_cluster, send_step, receive_step) m.sender_cluster, m.receiver_cluster,
	m.send_step, m.receive_step,
		row_number() OVER (ORDER BY m.sender_cluster, m.receiver_cluster, m.send_step, m.receive_step) AS n
	FROM messages m WHERE EXISTS (SELECT FROM leaves l WHERE l.n_members = 1 AND l.cluster IN (m.sender_cluster, m.receiver_cluster))
	ORDER BY sender_cluster, receiver_cluster, send_step, receive_step) l
HAVING count(*) > 0
UNION ALL
SELECT 'error', jsonb_build_object('message', format('phase %s of run %s has no cluster %s', :phase::int4, :run::bigint, :cluster::int4),
	'hint', 'Clusters are numbered as perfhouse.step_clusters does; tooltips of the picture name them.')::text
WHERE :cluster::int4 IS NOT NULL AND NOT EXISTS (SELECT FROM tree WHERE cluster = :cluster::int4);
