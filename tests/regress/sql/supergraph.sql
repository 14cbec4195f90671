-- supergraph.sql - super graphs: rows, splits, layout, node graph.
CREATE TABLE public.graph AS SELECT name, supergraph(p) AS g FROM public.sample;
SELECT s.* FROM public.graph, supernodes(g) s WHERE name = 'a';
SELECT s.node, s.label, s.duplicate, s.level, s.inclusive, s.exclusive FROM public.graph, supernodes(g) s WHERE name = 'callback';
SELECT e.* FROM public.graph, superedges(g) e WHERE name = 'a';
SELECT e.* FROM public.graph, superedges(g, 'calls') e WHERE name = 'a';
SELECT e.* FROM public.graph, entry_functions(g) e WHERE name = 'a';
SELECT e.* FROM public.graph, entry_functions(g, 'libmpi.so') e WHERE name = 'a';
SELECT e.* FROM public.graph, entry_callers(g, 'libmpi.so') e WHERE name = 'a';
SELECT m.node, m.cct_node, m.name, m.kind, m.module, m.file, m.line, m.inclusive, m.exclusive FROM public.graph, members(g, 'libfoo.so') m WHERE graph.name = 'a';
SELECT count(*) FROM public.graph, members(g) m WHERE graph.name = 'a';
-- flow: what comes in goes out, and exclusives add up to the whole
SELECT name, sum(s.exclusive + s.absorbed + s.residual) - sum(s.source) AS zero FROM public.graph, supernodes(g) s GROUP BY name ORDER BY name;
SELECT s.node, s.inclusive - s.source - coalesce(sum(e.inclusive), 0) AS zero FROM public.graph, supernodes(g) s
	LEFT JOIN LATERAL superedges(g) e ON e.target = s.node WHERE name = 'a' GROUP BY s.node, s.inclusive, s.source ORDER BY node;
-- groupings and a module map
SELECT s.node, s.inclusive FROM public.sample, supernodes(supergraph(p, 'function')) s WHERE name = 'a';
SELECT s.node, s.inclusive FROM public.sample, supernodes(supergraph(p, 'file')) s WHERE name = 'a';
SELECT s.node, s.inclusive FROM public.sample, supernodes(supergraph(p, 'module', E'^MPI_=MPI\nfoo=physics')) s WHERE name = 'a';
-- splits
SELECT s.node, s.level, s.inclusive FROM public.graph, supernodes(split_by_caller(g, 'libmpi.so')) s WHERE name = 'a';
SELECT s.node, s.level, s.inclusive FROM public.graph, supernodes(split_by_caller(g, 'libmpi.so', 'function')) s WHERE name = 'a';
SELECT s.node, s.level, s.inclusive FROM public.graph, supernodes(split_by_entry(g, 'libfoo.so')) s WHERE name = 'a';
SELECT s.node, s.level, s.inclusive FROM public.graph, supernodes(split_by_entry(g, 'libfoo.so', ARRAY['log'])) s WHERE name = 'a';
SELECT s.node, s.level, s.inclusive, s.ambiguous FROM public.graph, supernodes(split_by_callee(g, 'app')) s WHERE name = 'a';
SELECT s.node, s.level, s.inclusive FROM public.graph, supernodes(drill_down(g, 'libfoo.so', 'function')) s WHERE name = 'a';
SELECT s.node, s.level, s.inclusive FROM public.sample, supernodes(drill_down(supergraph(p, 'paradigm'), 'user', 'module')) s WHERE name = 'a';
-- a list of steps is the steps one after the other
SELECT refine(g, '[{"op": "split-entry", "node": "app"}, {"op": "drill", "node": "libfoo.so", "level": "function"}]')::text
	= drill_down(split_by_entry(g, 'app'), 'libfoo.so', 'function')::text AS both,
	refine(g, '[{"op": "split-caller", "node": "libfoo.so"}, {"op": "split-entry", "node": "app", "functions": ["main"]}]')::text
	= split_by_entry(split_by_caller(g, 'libfoo.so'), 'app', '{main}')::text AS others, refine(g, '[]')::text = g::text AS nothing,
	refine(g, '[{"op": "fold", "node": "app"}]') IS NULL AS unknown
	FROM public.graph WHERE name = 'a';
-- rank sets add up
SELECT s.node, s.inclusive FROM public.graph, supernodes(restrict_ranks(g, ARRAY[1])) s WHERE name = 'a';
SELECT s.node, s.inclusive FROM public.graph, supernodes(restrict_other_ranks(g, ARRAY[1])) s WHERE name = 'a';
SELECT f.* FROM (VALUES ('{7}'), ((SELECT array_agg(c.rank)::text FROM columns(profile(1)) c)), ('{}')) v (ranks),
	public.fails(format('SELECT restrict_other_ranks(supergraph(profile(1), %L), %L)', 'function', v.ranks)) f;
SELECT sankey_order(g) FROM public.graph WHERE name = 'a';
SELECT count(*) AS kept, (SELECT count(*) FROM (SELECT l.element, l.node, l.target, l.level, l."position" FROM public.graph, sankey_layout(g) l
		WHERE name = 'a' EXCEPT SELECT l.element, l.node, l.target, l.level, l."position"
		FROM public.graph, sankey_layout(g, previous => sankey_order(g)) l WHERE name = 'a') x) AS moved
	FROM public.graph, sankey_layout(g) WHERE name = 'a';
SELECT s.node, s.inclusive - (x.inclusive + y.inclusive) / 2 AS zero FROM public.graph, supernodes(g) s
	JOIN LATERAL supernodes(restrict_columns(g, ARRAY[0])) x USING (node)
	JOIN LATERAL supernodes(restrict_columns(g, ARRAY[1])) y USING (node) WHERE name = 'a' ORDER BY node;
-- what a filter removed comes back; without a filter nothing changes
SELECT repopulate(g)::text = g::text AS unchanged FROM public.graph WHERE name = 'a';
SELECT count(*) AS kept FROM public.sample, supernodes(supergraph(filter(p, 0.2), 'function')) s WHERE name = 'a';
SELECT count(*) AS back FROM public.sample, supernodes(repopulate(supergraph(filter(p, 0.2), 'function'))) s WHERE name = 'a';
-- the order of Sankey's rows; sizes and bands
SELECT l.element, l.node, l.target, l.level, l."position", round(l.x::numeric, 3) AS x, round(l.y::numeric, 3) AS y,
	round(l.width::numeric, 3) AS width, round(l.height::numeric, 3) AS height, round(l.x1::numeric, 3) AS x1,
	round(l.y1::numeric, 3) AS y1, round(l.thickness::numeric, 3) AS thickness, round(l.value::numeric, 6) AS value,
	l.own, l.absorbed, l.label FROM public.graph, sankey_layout(g, 800, 400) l WHERE name = 'a';
-- equal heights mean equal time on a shared scale; an older order is kept
SELECT l.value FROM public.graph, sankey_layout(g, 800, 400, scale_limit => 7) l WHERE name = 'a' AND element = 'canvas';
SELECT l.node, l."position" FROM public.graph, sankey_layout(g, previous => '{"libbar.so": 0, "libfoo.so": 1}') l
	WHERE name = 'a' AND element = 'bar' AND level = 1;
SELECT o.previous, l.element, l.node, l.target, l."position"
	FROM supergraph(hatchet_literal('[{"frame": {"name": "a", "type": "function"}, "metrics": {"time": 1},
		"children": [{"frame": {"name": "b", "type": "function"}, "metrics": {"time": 2},
			"children": [{"frame": {"name": "c", "type": "function"}, "metrics": {"time": 3}}]},
			{"frame": {"name": "c", "type": "function"}, "metrics": {"time": 4}}]}]'), 'function') g,
	(VALUES ('{"b": 0, "a -> c": [1]}'), ('{"b": 1, "a -> c": [0, 9], "z": 2, "a -> z": []}'), ('{"a -> c": 0, "b": []}')) AS o(previous),
	sankey_layout(g, previous => o.previous) l WHERE l.level = 1 AND l.element <> 'band' ORDER BY 1, 5;
SELECT count(*) FROM public.graph, sankey_layout(g, metric => 'calls') l WHERE name = 'a';
-- Grafana's node graph: arcs add up to 1, every end is a node
SELECT n.id, n.title, n.subtitle, n.mainstat, n.secondarystat, n.arc__exclusive, n.arc__inclusive, n.arc__absorbed, n.color FROM public.graph, node_graph_nodes(g) n WHERE name = 'a';
SELECT bool_and(abs(n.arc__exclusive + n.arc__inclusive + n.arc__absorbed - 1) < 1e-9) AS arcs,
	bool_and(n.fixedx IS NOT NULL AND n.fixedy IS NOT NULL) AS fixed FROM public.graph, node_graph_nodes(g) n;
SELECT e.id, e.source, e.target, e.mainstat, round(e.thickness::numeric, 3) AS thickness FROM public.graph, node_graph_edges(g) e WHERE name = 'a';
SELECT count(*) AS loose FROM public.graph, node_graph_edges(g) e
	WHERE e.source NOT IN (SELECT id FROM node_graph_nodes(g)) OR e.target NOT IN (SELECT id FROM node_graph_nodes(g));
SELECT v.* FROM public.graph, provenance(g) v WHERE name = 'callback';
SELECT name, caption(g) FROM public.graph ORDER BY name;
-- a super graph of a difference has no bars, but numbers
SELECT s.node, s.inclusive FROM supernodes(supergraph(profile(2) - profile(1))) s;
-- nulls
SELECT supergraph(NULL) IS NULL AS a, split_by_entry(NULL, 'x') IS NULL AS b, repopulate(NULL) IS NULL AS c;
SELECT count(*) FROM supernodes(NULL);
SELECT * FROM public.fails($$SELECT supergraph(p, 'planet') FROM public.sample WHERE name = 'a'$$);
SELECT * FROM public.fails($$SELECT supergraph(p, 'module', '(=x') FROM public.sample WHERE name = 'a'$$);
SELECT * FROM public.fails($$SELECT supernodes(g, 'cycles') FROM public.graph WHERE name = 'a'$$);
SELECT * FROM public.fails($$SELECT entry_functions(g, 'nowhere') FROM public.graph WHERE name = 'a'$$);
SELECT * FROM public.fails($$SELECT split_by_entry(g, 'app', ARRAY['nowhere']) FROM public.graph WHERE name = 'a'$$);
SELECT * FROM public.fails($$SELECT split_by_caller(g, 'libmpi.so', 'planet') FROM public.graph WHERE name = 'a'$$);
SELECT * FROM public.fails($$SELECT drill_down(g, 'app', 'planet') FROM public.graph WHERE name = 'a'$$);
SELECT * FROM public.fails($$SELECT restrict_ranks(g, ARRAY[7]) FROM public.graph WHERE name = 'a'$$);
SELECT * FROM public.fails($$SELECT sankey_layout(g, width => 0) FROM public.graph WHERE name = 'a'$$);
SELECT * FROM public.fails($$SELECT sankey_layout(g, height => 'NaN') FROM public.graph WHERE name = 'a'$$);
SELECT * FROM public.fails($$SELECT sankey_layout(g, previous => '[1]') FROM public.graph WHERE name = 'a'$$);
SELECT * FROM public.fails($$SELECT sankey_layout(g, previous => '{"nowhere": "x"}') FROM public.graph WHERE name = 'a'$$);
SELECT * FROM public.fails($$SELECT sankey_layout(g, previous => '{"app -> libfoo.so": ["x"]}') FROM public.graph WHERE name = 'a'$$);
SELECT * FROM public.fails($$SELECT sankey_layout(g, previous => '{') FROM public.graph WHERE name = 'a'$$);
SELECT * FROM public.fails($$SELECT sankey_layout(supergraph(profile(2) - profile(1)))$$);
SELECT * FROM public.fails($$SELECT supergraph(profile(1), 'x' || repeat('é', 60))$$);
DROP TABLE public.graph;
