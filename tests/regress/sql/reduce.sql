-- reduce.sql - filter, subset, subtree, squash, queries, invert, roll_up, select_metrics.
CREATE VIEW public.one AS SELECT p FROM public.sample WHERE name = 'a';
-- filter keeps totals; what it removed is absorbed above
SELECT n.node, n.name, n.inclusive, n.exclusive, n.absorbed FROM public.one, nodes(filter(p, 0.1)) n ORDER BY node;
SELECT sum(n.exclusive + n.absorbed) AS total FROM public.one, nodes(filter(p, 0.1)) n;
SELECT caption(filter(p, 0.1)) FROM public.one;
SELECT max(abs(x.exclusive - y.exclusive)) AS again, count(*) FROM public.one, nodes(filter(p, 0.1)) x JOIN LATERAL nodes(filter(filter(p, 0.1), 0.1)) y USING (callpath_id);
SELECT n.name FROM public.one, nodes(filter(p, 0.2, stat => 'max')) n ORDER BY node;
SELECT n.name FROM public.one, nodes(filter(p, 0.2, cost => 'exclusive')) n ORDER BY node;
SELECT n.name FROM public.one, nodes(filter(p, 0.2, metric => 'calls'), 'calls') n ORDER BY node;
-- columns
SELECT c.location, c.rank FROM public.one, columns(subset(p, ARRAY[1])) c;
SELECT n.name, n.inclusive, n.n_present FROM public.one, nodes(subset_ranks(p, ARRAY[0])) n ORDER BY node;
-- subtrees
SELECT n.node, n.depth, n.name, n.inclusive FROM public.one, nodes(subtree(p, 'main/foo')) n ORDER BY node;
SELECT n.node, n.depth, n.name, n.inclusive, n.exclusive FROM public.one, nodes(subtree(p, 'foo', reroot => false)) n ORDER BY node;
SELECT subtree(p, 'main/bar') = subtree(p, (SELECT node FROM nodes(p) WHERE name = 'bar')) AS same FROM public.one;
-- queries
SELECT n.depth, n.name, n.inclusive FROM public.one, nodes(squash(p, '. [name = "MPI_Send"]')) n ORDER BY node;
SELECT n.depth, n.name, n.inclusive, n.absorbed FROM public.one, nodes(call_path_query(p, '"foo" *')) n ORDER BY node;
-- bottom-up
SELECT n.depth, n.name, n.inclusive, n.exclusive FROM public.one, nodes(invert(p)) n ORDER BY node;
-- columns rolled up
SELECT c.kind, c.rank, c.name FROM public.one, columns(roll_up(p, 'all')) c;
SELECT n.name, n.inclusive FROM public.one, nodes(roll_up(p, 'all')) n ORDER BY node;
-- metrics
SELECT m.metric FROM public.one, metrics(select_metrics(p, ARRAY['calls'])) m;
SELECT n.name, n.inclusive FROM public.one, nodes(select_metrics(p, ARRAY['calls', 'time'])) n ORDER BY node;
-- nulls
SELECT filter(NULL) IS NULL AS a, filter(p, NULL) IS NULL AS b, subset(p, NULL) IS NULL AS c FROM public.one;
-- a chain without flattening gives what one with it gives
SELECT select_metrics(filter(subset_ranks(p, ARRAY[0]), 0.1), ARRAY['time'])
	= select_metrics(filter(subset_ranks(p, ARRAY[0])::text::profile, 0.1)::text::profile, ARRAY['time']) AS same FROM public.one;
SELECT * FROM public.fails($$SELECT filter(p, -1) FROM public.one$$);
SELECT * FROM public.fails($$SELECT filter(p, 'NaN') FROM public.one$$);
SELECT * FROM public.fails($$SELECT filter(p, 0.1, 'median') FROM public.one$$);
SELECT * FROM public.fails($$SELECT filter(p, 0.1, cost => 'absorbed') FROM public.one$$);
SELECT * FROM public.fails($$SELECT filter(p, 0.1, metric => 'cycles') FROM public.one$$);
SELECT * FROM public.fails($$SELECT subset(p, '{}') FROM public.one$$);
SELECT * FROM public.fails($$SELECT subset(p, '{2}') FROM public.one$$);
SELECT * FROM public.fails($$SELECT subset(p, '{-1}') FROM public.one$$);
SELECT * FROM public.fails($$SELECT subset_ranks(p, '{0,5}') FROM public.one$$);
SELECT * FROM public.fails($$SELECT subtree(p, 99) FROM public.one$$);
SELECT * FROM public.fails($$SELECT subtree(p, 'nowhere') FROM public.one$$);
SELECT * FROM public.fails($$SELECT subtree(p, 'MPI_Send') FROM public.one$$);
SELECT * FROM public.fails($$SELECT squash(p, '* [name =') FROM public.one$$);
SELECT * FROM public.fails($$SELECT squash(p, '. [name = "nowhere"]') FROM public.one$$);
SELECT * FROM public.fails($$SELECT roll_up(p, 'planet') FROM public.one$$);
SELECT * FROM public.fails($$SELECT select_metrics(p, '{}') FROM public.one$$);
SELECT * FROM public.fails($$SELECT select_metrics(p, '{cycles}') FROM public.one$$);
DROP VIEW public.one;
