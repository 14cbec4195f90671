-- pictures.sql - text guides of ensembles, least and greatest per node and per column, nodes found.
CREATE VIEW public.both AS SELECT supergraph(ensemble(profile(run), 'run ' || run ORDER BY run)) AS sg FROM generate_series(1, 2) run;
SELECT t.* FROM public.both, text_guides(sg, bins => 4) t;
SELECT t.* FROM public.both, text_guides(sg, 'libmpi.so', 3, 'exclusive') t;
-- the bins are those of ensemble_gradient, without the empty ones
SELECT count(*) AS differ FROM public.both, supernodes(sg) s,
	LATERAL ((SELECT g.bin, g.low, g.high, g.count, g.runs FROM ensemble_gradient(sg, s.node, 5) g WHERE g.count > 0
		EXCEPT ALL SELECT t.bin, t.low, t.high, t.count, t.runs FROM text_guides(sg, s.node, 5) t)
		UNION ALL
		(SELECT t.bin, t.low, t.high, t.count, t.runs FROM text_guides(sg, s.node, 5) t
		EXCEPT ALL SELECT g.bin, g.low, g.high, g.count, g.runs FROM ensemble_gradient(sg, s.node, 5) g WHERE g.count > 0)) d;
-- many runs at once: first the least, last the greatest, the mean of the others
SELECT t.bin, t.count, t.value, t.mark, t.runs, t.begin_share, t.end_share FROM (SELECT supergraph(ensemble(hatchet_literal(jsonb_build_array(
	jsonb_build_object('frame', '{"name": "main"}'::jsonb, 'metrics', jsonb_build_object('time', v)))), v::text ORDER BY v), 'function') AS sg
	FROM unnest(ARRAY[0, 1, 5, 5.5, 10]) v) s, text_guides(sg, NULL, 4) t;
SELECT * FROM node_ranges(profile(2));
SELECT * FROM node_ranges(profile(2), 'inclusive') LIMIT 2;
-- they agree with the cells
SELECT count(*) AS differ FROM node_ranges(profile(2)) r JOIN (SELECT v.node, min(coalesce(v.exclusive, 0)) AS min, max(coalesce(v.exclusive, 0)) AS max,
	avg(coalesce(v.exclusive, 0)) AS mean, count(*) FILTER (WHERE v.present) AS n FROM column_values(profile(2)) v GROUP BY v.node) c USING (node)
	WHERE (r.min, r.max, r.n_present) IS DISTINCT FROM (c.min, c.max, c.n) OR abs(r.mean - c.mean) > 1e-12 * abs(c.mean);
SELECT * FROM column_statistics(profile(2));
SELECT count(*) AS differ FROM column_statistics(profile(2)) s JOIN (SELECT v.location, min(v.exclusive) AS min, max(v.exclusive) AS max,
	sum(v.exclusive) AS total, count(*) AS n FROM column_values(profile(2)) v WHERE v.exclusive <> 0 GROUP BY v.location) c USING (location)
	WHERE (s.min, s.max, s.n_nodes) IS DISTINCT FROM (c.min, c.max, c.n) OR abs(s.total - c.total) > 1e-12 * abs(c.total);
SELECT * FROM matching_nodes(profile(1), '[inclusive > 5]');
SELECT count(*) FROM matching_nodes(profile(1), '"nowhere"');
SELECT node_at(profile(1), 'main'), node_at(profile(1), n.path) = n.node AS back FROM nodes(profile(1)) n WHERE n.node = 3;
SELECT count(*) FROM text_guides(NULL), node_ranges(NULL), column_statistics(NULL), matching_nodes(NULL, '"main"');
SELECT f.* FROM (VALUES ('SELECT perfhouse.text_guides(sg, ''nowhere'') FROM public.both'), ('SELECT perfhouse.text_guides(sg, NULL, 0) FROM public.both'),
	('SELECT perfhouse.text_guides(sg, NULL, 4, ''dear'') FROM public.both'), ('SELECT perfhouse.node_ranges(perfhouse.profile(1), ''dear'')'),
	('SELECT perfhouse.column_statistics(perfhouse.profile(1), metric => ''nothing'')'), ('SELECT perfhouse.matching_nodes(perfhouse.profile(1), ''* ['')'),
	('SELECT perfhouse.node_at(perfhouse.profile(1), ''nowhere'')')) v (statement), public.fails(statement) f;
DROP VIEW public.both;
-- differences are drawn as high as they are, whatever their sign: nothing cancels out
SELECT n.node, n.name, n.exclusive, n.inclusive, g.exclusive AS gross_exclusive, g.inclusive AS gross_inclusive
	FROM (SELECT supergraph(profile(2) - profile(1), 'module') AS sg) s,
	LATERAL (SELECT * FROM nodes(perfhouse.profile(sg))) n
	JOIN LATERAL (SELECT * FROM nodes(perfhouse.profile(perfhouse_internal.gross_change(sg)))) g USING (node) ORDER BY node;
SELECT count(*) AS drawable FROM (SELECT perfhouse_internal.gross_change(supergraph(profile(2) - profile(1), 'module')) AS sg) s, sankey_layout(sg);
SELECT perfhouse_internal.gross_change(supergraph(profile(1))) IS NULL AS needs_none, perfhouse_internal.gross_change(NULL) IS NULL AS null_of_null;
