-- logical_clusters.sql - processes of a phase that behave alike, as rows (section, JSON object) for the renderer.
-- :run, :phase, :step_metric, :clusters shown, to :unfold, to :fold; :cluster whose process (:focus: latest or centroid) is in focus (null:
-- the root), :radius of hops from it (null: what shows enough), :width columns, :aggregates: time before events is wanted, :messages are.
WITH axis AS MATERIALIZED (
	SELECT p, g.*, 20000 AS most_messages, CASE WHEN g.of_tasks THEN 'differential_duration' ELSE :step_metric::text END AS metric
	FROM perfhouse.phases(:run::bigint) p, perfhouse.logical_grid(:run::bigint, p.first_step, p.last_step + 1, '{}', :width::int4, NULL,
		:aggregates::boolean AND p.last_step - p.first_step + 2 <= :width::int4) g WHERE p.phase = :phase::int4
), tree AS MATERIALIZED (
	SELECT * FROM perfhouse.open_clusters(:run::bigint, :phase::int4, (SELECT metric FROM axis), :clusters::int4, :unfold::int4[],
		:fold::int4[], :cluster::int4)
), parts AS MATERIALIZED (
	SELECT array_agg(m.location) AS members, array_agg(t.cluster) AS clusters
	FROM tree t, unnest(t.locations) m (location) WHERE t.is_shown AND NOT t.is_open
), centre AS MATERIALIZED (
	SELECT t.cluster, a.metric, CASE :focus::text WHEN 'centroid' THEN t.centroid ELSE t.latest END AS location, :focus::text AS by,
		coalesce(:radius::int4, CASE WHEN (a.p).pattern IS DISTINCT FROM 'SRSR' OR (a.p).n_locations > 256 THEN 1 END) AS radius
	FROM axis a, tree t WHERE t.is_centre
), rows AS MATERIALIZED (
	SELECT r.*
	FROM parts, centre, perfhouse_internal.cluster_rows(:run::bigint, :phase::int4, metric, location, radius, members, clusters) r
)
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint
UNION ALL SELECT 'logical', to_jsonb(l)::text FROM perfhouse.logical l WHERE l.run_id = :run::bigint
UNION ALL SELECT 'phase', to_jsonb(a.p)::text FROM axis a
UNION ALL SELECT 'axis', jsonb_build_object('first', step_from, 'end', step_to, 'stride', stride, 'between', aggregates, 'columns', columns,
	'columns_a_cell', columns_a_cell, 'metric', metric, 'tasks', of_tasks, 'most_messages', most_messages)::text FROM axis
UNION ALL SELECT 'focus', (to_jsonb(c) || to_jsonb(r))::text FROM centre c,
	(SELECT count(*) FILTER (WHERE cluster IS NULL) AS shown, max(all_around) AS "all", max(most_hops) AS hops FROM rows) r
UNION ALL (SELECT 'clusters', (to_jsonb(t) - 'locations' || jsonb_build_object('can_unfold', t.child_left IS NOT NULL))::text
	FROM tree t WHERE t.is_shown ORDER BY t.cluster)
UNION ALL (SELECT 'series', perfhouse.json_columns(s)::text FROM axis a, parts p, perfhouse.cluster_series(:run::bigint, :phase::int4,
	a.metric, p.members, p.clusters, :width::int4, a.aggregates) s GROUP BY s.cluster, s.first_sends ORDER BY s.cluster, s.first_sends DESC)
UNION ALL (SELECT 'rows', to_jsonb(r)::text FROM rows r ORDER BY r."row")
UNION ALL (SELECT 'cells', perfhouse.json_columns(c)::text FROM (SELECT r."row", c."column" / a.columns_a_cell AS "column", c.n, c.value,
		c.rank, c.step, c.phase, c.enter, c.leave, c.peers, c.n_messages, c.earliest, c.is_aggregate::int AS aggregate, c.region,
		CASE WHEN c.inferred THEN 'inferred ' || c.kind ELSE c.kind END AS kind
	FROM axis a, rows r, perfhouse.logical_cells(:run::bigint, a.metric, a.step_from, a.step_to, ARRAY(SELECT location FROM rows), NULL,
		NULL, a.aggregates, :phase::int4) c WHERE c.location = r.location ORDER BY 1, 2, c.seq, c.is_aggregate) c
	GROUP BY c."row" ORDER BY c."row")
UNION ALL SELECT m.kind, perfhouse.json_columns(m)::text FROM axis a, parts p, perfhouse_internal.cluster_messages(:run::bigint,
	:phase::int4, ARRAY(SELECT location FROM rows WHERE cluster IS NULL ORDER BY "row"), p.members, p.clusters, most_messages + 1) m
WHERE :messages::boolean GROUP BY m.kind;
