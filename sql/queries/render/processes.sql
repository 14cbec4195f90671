-- render_processes.sql - what every process spent in its nodes, as rows (section, JSON object) for the renderer.
--
-- :run, :metric or null, :ranks or null, :filter share, :width and :height of the grid, :order, rank, host or one of rank_groups():
-- the order. Neighbours that have less room than 8 x 8 share a cell: of it the greatest, the least and the mean of means.
-- :given: the profile of a query instead of that of a run, or null
SELECT s.*
FROM (SELECT coalesce(:given::perfhouse.profile, perfhouse_internal.shown_profile(:run::bigint, ARRAY[:metric::text], :ranks::int4[],
	:filter::float8, :metric::text)) AS profile OFFSET 0) base,
LATERAL (
WITH spent AS MATERIALIZED (
	SELECT s.*, coalesce(g.label, s.host) AS at, count(*) OVER () AS n_all, row_number() OVER (ORDER BY CASE WHEN :order::text <> 'rank'
		THEN coalesce(g.label, s.host) END, s.rank, s.thread, s.location) - 1 AS place
	FROM perfhouse.column_statistics(profile) s LEFT JOIN perfhouse_internal.rank_groups((SELECT min(run_id)
		FROM perfhouse.columns(profile)), :order::text) g USING (rank)
), names AS MATERIALIZED (
	SELECT n.node, n.name FROM perfhouse.nodes(profile) n
), cell AS MATERIALIZED (
	SELECT s.place / per.n AS cell, min(per.n) AS per, count(*) AS n, max(s.max) AS max, min(s.min) FILTER (WHERE s.n_nodes > 0) AS min,
		avg(s.mean) AS mean, sum(s.total) AS total, min(ARRAY[s.place, s.location]) AS first, max(ARRAY[s.place, s.location]) AS last,
		max(ARRAY[s.max, -s.location, s.max_node]) AS worst
	FROM spent s,
		LATERAL (SELECT ceil(s.n_all / (greatest(1, floor(:width::float8 / 8)) * greatest(1, floor(:height::float8 / 8))))::bigint AS n) per
	GROUP BY 1
)
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint
UNION ALL
SELECT 'metric', to_jsonb(m)::text FROM perfhouse.metrics(profile) m
UNION ALL
SELECT 'caption', jsonb_build_object('caption', perfhouse.caption(profile))::text
UNION ALL
SELECT 'grid', jsonb_build_object('n', count(*), 'ranks', count(DISTINCT rank), 'threads', count(thread), 'order', :order::text,
	'hosts', count(DISTINCT host), 'idle', count(*) FILTER (WHERE n_nodes = 0))::text FROM spent
UNION ALL
SELECT 'cells', jsonb_build_object('per', min(c.per), 'n', jsonb_agg(c.n ORDER BY cell), 'max', jsonb_agg(c.max ORDER BY cell),
	'min', jsonb_agg(c.min ORDER BY cell), 'mean', jsonb_agg(c.mean ORDER BY cell), 'total', jsonb_agg(c.total ORDER BY cell),
	'first', jsonb_agg(f.name ORDER BY cell), 'last', jsonb_agg(l.name ORDER BY cell), 'rank', jsonb_agg(f.rank ORDER BY cell),
	'host', jsonb_agg(f.at ORDER BY cell), 'worst', jsonb_agg(w.name ORDER BY cell), 'worst_node', jsonb_agg(m.name ORDER BY cell))::text
FROM cell c JOIN spent f ON f.location = c.first[2] JOIN spent l ON l.location = c.last[2]
	JOIN spent w ON w.location = -c.worst[2] LEFT JOIN names m ON m.node = c.worst[3]
HAVING count(*) > 0
) s;
