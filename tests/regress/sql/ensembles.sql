-- ensembles.sql - many runs side by side.
CREATE VIEW public.pair AS SELECT a.p AS a, b.p AS b FROM public.sample a, public.sample b WHERE a.name = 'a' AND b.name = 'b';
CREATE VIEW public.runs AS SELECT ensemble(p, name ORDER BY name) AS e FROM public.sample WHERE name IN ('a', 'b')
	UNION ALL SELECT ensemble(p, name ORDER BY name) FROM public.sample;
-- a column per run
SELECT s.* FROM public.runs, supernodes_by_column(supergraph(e)) s;
-- the same numbers as supernodes and supernode_values have
SELECT count(*) AS differences FROM public.runs, LATERAL (SELECT supergraph(e, 'function') AS g) x, supernodes(g) n JOIN LATERAL supernodes_by_column(g) s USING (node)
	WHERE n.inclusive <> s.inclusive OR EXISTS (SELECT FROM supernode_values(g, n.node) v
		WHERE v.inclusive <> coalesce(s.run_values[v.location + 1], 0) OR v.name <> s.columns[v.location + 1]);
-- an ensemble of one run has the run's super graph, with one column
SELECT count(*) AS differences FROM (SELECT x.node, x.inclusive, x.exclusive, x.level FROM public.sample, supernodes(supergraph(p)) x WHERE name = 'a'
	EXCEPT SELECT x.node, x.inclusive, x.exclusive, x.level FROM (SELECT ensemble(p, 'only') AS e FROM public.sample WHERE name = 'a') s, supernodes(supergraph(e)) x) d;
-- a run beside itself: two equal columns, nothing missing, no spread
SELECT bool_and(run_values[1] = run_values[2] AND exclusive_values[1] = exclusive_values[2] AND n_present = 2 AND sd = 0) AS equal
	FROM (SELECT ensemble(p, l) AS e FROM public.sample, (VALUES ('x'), ('y')) v(l) WHERE name = 'a') s, supernodes_by_column(supergraph(e, 'function'));
-- a run against the others
SELECT x.node, x.path, x.value, x.mean, round(x.sd::numeric, 6) AS sd, x.difference, round(x.z::numeric, 6) AS z, x.rank, x.bin, x.n
	FROM (SELECT ensemble(p, l) AS e FROM (SELECT p, name AS l FROM public.sample WHERE name IN ('a', 'b') UNION ALL SELECT p * 2, 'a2' FROM public.sample WHERE name = 'a') q) s,
	against_ensemble(e, 'b', bins => 4) x;
SELECT x.node, x.value, x.mean, x.difference, x.z, x.rank, x.bin, x.n FROM public.runs, against_ensemble(supergraph(e), 'a', 'exclusive') x LIMIT 6;
-- without others there is nothing to compare with
SELECT x.name, x.value, x.mean, x.sd, x.difference, x.z, x.rank, x.bin, x.n FROM (SELECT ensemble(p, 'only') AS e FROM public.sample WHERE name = 'a') s, against_ensemble(e, 'only') x;
-- what two profiles, or all runs, have in common
SELECT n.node, n.path, n.inclusive, n.exclusive, n.absorbed FROM public.pair, nodes(perfhouse.intersect(a, b)) n;
SELECT n.node, n.path, n.inclusive, n.exclusive, n.absorbed FROM public.pair, nodes(perfhouse.intersect(b, a)) n;
SELECT n.node, n.path, n.inclusive, n.n_present FROM (SELECT ensemble(p, name ORDER BY name) AS e FROM public.sample WHERE name <> 'callback') s, nodes(perfhouse.intersect(e)) n;
SELECT value FROM public.pair, provenance(perfhouse.intersect(a, b)) WHERE value LIKE '%intersect%';
SELECT count(*) AS differences FROM public.pair, nodes(perfhouse.intersect(a, a)) x FULL JOIN LATERAL nodes(a) y USING (callpath_id, inclusive, exclusive) WHERE x.node IS NULL OR y.node IS NULL;
-- rank by rank
SELECT d.* FROM public.pair, column_values_diff(a, a * 2) d;
SELECT d.* FROM public.pair, column_values_diff(a, (a - a) + a, 'main/bar/MPI_Send') d;
SELECT d.rank, d.before, d.after, d.difference FROM public.pair, column_values_diff(a, subset_ranks(b, ARRAY[0, 1]), 'baz', cost => 'exclusive') d;
SELECT h.* FROM public.pair, histogram_diff(a, a * 2, 'foo', 2) h;
SELECT f.* FROM (VALUES ('SELECT perfhouse.against_ensemble(e, ''other'') FROM public.runs'),
	('SELECT perfhouse.against_ensemble(ensemble(p, ''same''), ''same'') FROM public.sample'),
	('SELECT perfhouse.against_ensemble(e, ''a'', bins => 0) FROM public.runs'),
	('SELECT perfhouse.intersect(x.p, y.p) FROM public.sample x, public.sample y WHERE x.name = ''a'' AND y.name = ''callback'''),
	('SELECT perfhouse.intersect(e) FROM public.runs'),
	('SELECT perfhouse.column_values_diff(a, b) FROM public.pair'),
	('SELECT perfhouse.column_values_diff(a, a, ''nowhere'') FROM public.pair'),
	('SELECT perfhouse.histogram_diff(a, a, ''MPI_Send'') FROM public.pair'),
	('SELECT perfhouse.column_values_diff(a, a, metric => ''nothing'') FROM public.pair')) v (statement), public.fails(statement) f;
-- nulls
SELECT (SELECT count(*) FROM supernodes_by_column(NULL)) AS a, (SELECT count(*) FROM against_ensemble(NULL::profile, 'a')) AS b,
	(SELECT count(*) FROM column_values_diff(NULL, NULL)) AS c, (SELECT count(*) FROM histogram_diff(NULL, NULL)) AS d;
DROP VIEW public.pair;
DROP VIEW public.runs;
