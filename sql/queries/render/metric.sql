-- render_metric.sql - one node of the call tree over all processes, as rows (section, JSON object) for the renderer.
--
-- :run, :metric or null, :ranks or null, :node: its number, path or only name; null: the one with the highest
-- exclusive, :cost, :width places across, :order, rank, host or one of rank_groups(): the order. Processes that share a place are one:
-- its least, greatest and mean. :order iteration: all processes of an iteration share a place.
-- :given: the profile of a query instead of that of a run, or null
SELECT s.* FROM (SELECT coalesce(:given::perfhouse.profile, perfhouse.profile(:run::bigint, :metric::text, :ranks::int4[],
	:order::text = 'iteration')) OFFSET 0) base (profile), LATERAL (
WITH chosen AS MATERIALIZED (
	SELECT CASE WHEN :node::text ~ '^[0-9]{1,9}$' THEN :node::text::int4
		WHEN :node::text IS NOT NULL THEN perfhouse.node_at(profile, :node::text)
		ELSE (SELECT n.node FROM perfhouse.nodes(profile) n ORDER BY n.exclusive DESC, n.node LIMIT 1) END AS node
), spent AS MATERIALIZED (
	SELECT v.*, coalesce(CASE :cost::text WHEN 'inclusive' THEN v.inclusive ELSE v.exclusive END, 0) AS value,
		CASE :order::text WHEN 'iteration' THEN v.iteration::text ELSE coalesce(g.label, v.host) END AS "group",
		CASE :order::text WHEN 'iteration' THEN 'iteration ' || v.iteration ELSE v.name END AS title,
		CASE :order::text WHEN 'iteration' THEN dense_rank() OVER (ORDER BY v.iteration) ELSE row_number() OVER (ORDER BY
			CASE WHEN :order::text <> 'rank' THEN coalesce(g.label, v.host) END, v.rank, v.thread, v.location) END - 1 AS place
	FROM chosen c CROSS JOIN perfhouse.column_values(profile, c.node) v LEFT JOIN perfhouse_internal.rank_groups(
		(SELECT min(run_id) FROM perfhouse.columns(profile)), :order::text) g USING (rank)
), cell AS MATERIALIZED (
	SELECT s.place / per.n AS cell, min(per.n) AS per, count(*) AS n, count(*) FILTER (WHERE s.present) AS n_present, max(s.value) AS max,
		min(s.value) AS min, avg(s.value) AS mean, min(ARRAY[s.place, s.location]) AS first, max(ARRAY[s.place, s.location]) AS last,
		max(ARRAY[s.value, -s.location]) AS worst
	FROM spent s, (SELECT ceil((max(place) + 1) / greatest(1, floor(:width::float8)))::bigint AS n FROM spent) per GROUP BY 1
)
SELECT 'error', '{"message": "the profile has no columns by iteration", "hint": "It was not measured by iteration."}'
FROM perfhouse.columns(profile) HAVING :order::text = 'iteration' AND count(iteration) = 0
UNION ALL SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint
UNION ALL SELECT 'metric', to_jsonb(m)::text FROM perfhouse.metrics(profile) m
UNION ALL SELECT 'caption', jsonb_build_object('caption', perfhouse.caption(profile))::text
UNION ALL SELECT 'node', jsonb_build_object('node', n.node, 'name', n.name, 'path', n.path, 'module', n.module, 'cost', :cost::text)::text
FROM chosen c, perfhouse.nodes(profile) n WHERE n.node = c.node
UNION ALL SELECT 'grid', jsonb_build_object('n', count(*), 'ranks', count(DISTINCT rank), 'threads', count(thread), 'order', :order::text,
	'present', count(*) FILTER (WHERE present), 'mean', avg(value), 'sd', stddev_samp(value), 'median',
	percentile_cont(0.5) WITHIN GROUP (ORDER BY value))::text FROM spent
UNION ALL SELECT 'cells', jsonb_build_object('per', min(c.per), 'n', jsonb_agg(c.n ORDER BY cell), 'max', jsonb_agg(c.max ORDER BY cell),
	'present', jsonb_agg(c.n_present ORDER BY cell), 'min', jsonb_agg(c.min ORDER BY cell), 'mean', jsonb_agg(c.mean ORDER BY cell),
	'first', jsonb_agg(f.title ORDER BY cell), 'last', jsonb_agg(l.title ORDER BY cell), 'rank', jsonb_agg(CASE
	:order::text WHEN 'iteration' THEN f.iteration ELSE f.rank END ORDER BY cell),
	'host', jsonb_agg(f."group" ORDER BY cell), 'worst', jsonb_agg(w.name ORDER BY cell))::text
FROM cell c JOIN spent f ON f.location = c.first[2] JOIN spent l ON l.location = c.last[2] JOIN spent w ON w.location = -c.worst[2]
HAVING count(*) > 0
) s;
