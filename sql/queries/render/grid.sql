-- render_grid.sql - one node of the call tree over the Cartesian grid of ranks, as rows (section, JSON object) for the renderer.
--
-- :run, :metric or null, :ranks or null, :node: its number, path or only name; null: the one with the highest exclusive, :cost,
-- :topology by name; null: the run's own. More than two dimensions are slices of the last two, side by side.
-- :given: the profile of a query instead of that of a run, or null
SELECT s.* FROM (SELECT coalesce(:given::perfhouse.profile, perfhouse.profile(:run::bigint, :metric::text, :ranks::int4[])) OFFSET 0)
	base (profile), LATERAL (
WITH chosen AS MATERIALIZED (
	SELECT CASE WHEN :node::text ~ '^[0-9]{1,9}$' THEN :node::text::int4
		WHEN :node::text IS NOT NULL THEN perfhouse.node_at(profile, :node::text)
		ELSE (SELECT n.node FROM perfhouse.nodes(profile) n ORDER BY n.exclusive DESC, n.node LIMIT 1) END AS node
), place AS MATERIALIZED (
	SELECT t.rank, t.coordinates, t.dimensions, t.sizes, perfhouse_internal.grid_place(t.coordinates, t.sizes) AS at,
		perfhouse_internal.grid_slice(t.coordinates, t.dimensions) AS slice
	FROM (SELECT min(run_id) AS run_id FROM perfhouse.columns(profile)) r, perfhouse.topology(r.run_id, :topology::text) t
), spent AS MATERIALIZED (
	SELECT v.rank, max(coalesce(CASE :cost::text WHEN 'inclusive' THEN v.inclusive ELSE v.exclusive END, 0)) AS value
	FROM chosen c, perfhouse.column_values(profile, c.node) v GROUP BY 1
)
SELECT 'error', jsonb_build_object('message', 'the ranks of the run stand in no known grid', 'hint',
	concat('Say it with perfhouse set RUN grid=8x8x8; traces of MPI_Cart_create know theirs.', (SELECT ' It says "grid = '
		|| (r.meta ->> 'grid') || '" of ' || r.n_ranks || ' ranks.' FROM perfhouse.run r WHERE r.run_id = c.run_id)))::text
FROM (SELECT min(run_id) AS run_id FROM perfhouse.columns(profile)) c WHERE NOT EXISTS (SELECT FROM place)
UNION ALL SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint
UNION ALL SELECT 'metric', to_jsonb(m)::text FROM perfhouse.metrics(profile) m
UNION ALL SELECT 'caption', jsonb_build_object('caption', perfhouse.caption(profile))::text
UNION ALL
SELECT 'node', jsonb_build_object('name', n.name, 'path', n.path)::text FROM chosen c, perfhouse.nodes(profile) n WHERE n.node = c.node
UNION ALL
SELECT 'variance', to_jsonb(e)::text
FROM chosen c, perfhouse.explain_variance(profile, c.node, :metric::text, :cost::text, :topology::text) e WHERE e.is_clear
UNION ALL SELECT 'given_columns',
	jsonb_build_object('column', v.name, 'name', v.title, 'kind', CASE v.name WHEN 'label' THEN 'text' ELSE 'number' END)::text
FROM (SELECT dimensions, cardinality(sizes) AS n FROM place LIMIT 1) d,
	(SELECT m.* FROM perfhouse.metrics(profile) m WHERE m.metric = :metric::text OR :metric::text IS NULL LIMIT 1) m,
	LATERAL (VALUES ('x', d.dimensions[d.n]), ('y', coalesce(d.dimensions[d.n - 1], '')), ('label', 'rank'),
		('value', concat(:cost::text, ' ', m.metric, nullif(' [' || m.unit || ']', ' []')))) v (name, title)
UNION ALL
(SELECT 'slices', jsonb_build_object('x', min(p.at[1]), 'end', max(p.at[1]), 'y', min(p.at[2]), 'label', nullif(p.slice, ''),
	'width', max(p.sizes[cardinality(p.sizes)]), 'height', coalesce(max(p.sizes[cardinality(p.sizes) - 1]), 1))::text
FROM place p GROUP BY p.slice ORDER BY min(p.at[2]), min(p.at[1]))
UNION ALL
(SELECT 'given', jsonb_build_object('x', p.at[1], 'y', p.at[2], 'value', s.value,
	'label', concat(s.rank, ' at ', p.coordinates))::text FROM place p JOIN spent s USING (rank) ORDER BY p.rank)
) s;
