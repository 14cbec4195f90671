-- rows.sql - tables from one profile.
CREATE VIEW public.one AS SELECT p FROM public.sample WHERE name = 'a';
SELECT n.* FROM public.one, nodes(p) n ORDER BY node;
SELECT n.node, n.name, n.inclusive FROM public.one, nodes(p, 'calls') n ORDER BY node;
SELECT f.* FROM public.one, flat(p) f;
SELECT f.* FROM public.one, flat(p, 'module') f;
SELECT f.* FROM public.one, flat(p, 'file', 'calls') f;
SELECT f.* FROM public.one, flat(p, 'paradigm') f;
-- calls, where the profile counts them
SELECT f.region, f.calls, f.inclusive, f.exclusive
	FROM flat(hatchet_literal('{"frame": {"name": "main"}, "metrics": {"time": [1, 2], "visits": [1, 1]}, "children": [
	 {"frame": {"name": "f"}, "metrics": {"time": [4, 8], "visits": [3, 5]}, "children": [
	  {"frame": {"name": "main"}, "metrics": {"time": [0, 1], "visits": [0, 1]}}]}]}'), 'name') f;
SELECT f.* FROM public.one, flame(p) f;
SELECT count(*) FILTER (WHERE level = 0) AS roots, bool_and(value >= self) AS fits FROM public.one, flame(p) f;
SELECT f.level, f.label, f.value, f.node FROM flame(hatchet_literal('[{"frame": {"name": "x"}, "metrics": {"time": 1}},
	{"frame": {"name": "y"}, "metrics": {"time": 2}}]')) f;
SELECT f.* FROM flame_diff(profile(1), profile(2)) f;
SELECT h.* FROM public.one, hot_path(p) h;
SELECT h.step, h.name FROM public.one, hot_path(p, 0.99) h;
SELECT h.step, h.name FROM public.one, hot_path(p, 0, 0, 'calls') h;
SELECT v.* FROM public.one, column_values(p, 0) v ORDER BY location;
SELECT count(*) FROM public.one, column_values(p) v;
-- the same as columns of little-endian bytes: sparse, of ratios that are undefined in places, and with absorbed costs
CREATE FUNCTION public.little_endian(big bytea) RETURNS bytea LANGUAGE sql AS
	$$SELECT string_agg(substr(big, i, 1), ''::bytea ORDER BY i DESC) FROM generate_series(1, length(big)) i$$;
CREATE FUNCTION public.little_endian(value float8) RETURNS bytea LANGUAGE sql AS
	$$SELECT public.little_endian(float8send(coalesce(value, 'NaN')))$$;
WITH profiles (name, p) AS (SELECT 'sparse', derive(p - subset_ranks(p, '{0}'), 'per call', 'time / calls') FROM public.one
	UNION ALL SELECT 'filtered', derive(filter(p, 0.2), 'per call', 'time / calls') FROM public.one
	UNION ALL SELECT 'run', profile(1))
SELECT name, metric, t.n, t.n = v.n AS n_same, t.node = v.node AS nodes_same, t.location = v.location AS locations_same,
	t.inclusive = v.inclusive AS inclusive_same, t.exclusive = v.exclusive AS exclusive_same, t.absorbed = v.absorbed AS absorbed_same
FROM profiles, metrics(p) m, LATERAL (
	SELECT count(*) AS n, string_agg(public.little_endian(int4send(c.node)), '' ORDER BY c.node, c.location) AS node,
		string_agg(public.little_endian(int4send(c.location)), '' ORDER BY c.node, c.location) AS location,
		string_agg(public.little_endian(c.inclusive), '' ORDER BY c.node, c.location) AS inclusive,
		string_agg(public.little_endian(c.exclusive), '' ORDER BY c.node, c.location) AS exclusive,
		string_agg(public.little_endian(c.absorbed), '' ORDER BY c.node, c.location) AS absorbed
	FROM column_values(p, metric => m.metric) c WHERE c.present) t, value_columns(p, m.metric) v;
-- one row after the other where there are many cells, none cut
SELECT count(*) > 3 AS rows, bool_and(n % 9 = 0 AND n <= 16384) AS whole, bool_and(first_node = before / 9) AS follow, sum(n) AS cells
FROM (SELECT v.*, sum(n) OVER (ORDER BY first_node) - n AS before FROM value_columns(hatchet_literal((
	SELECT jsonb_agg(jsonb_build_object('frame', jsonb_build_object('name', 'f' || i),
		'metrics', jsonb_build_object('time', (SELECT jsonb_agg(i + r) FROM generate_series(1, 9) r))))
	FROM generate_series(1, 7000) i))) v) w;
SELECT count(*) FROM value_columns(NULL);
SELECT * FROM public.fails($$SELECT value_columns(p, 'cycles') FROM public.one$$);
SELECT c.* FROM public.one, columns(p) c;
SELECT m.* FROM public.one, metrics(p) m;
SELECT i.node, i.name, i.path, i.mean, i.max, i.imbalance_ratio, i.imbalance_excess, i.imbalance_range, i.lost, i.worst_rank
	FROM public.one, imbalance(p) i;
SELECT tree_text(p) FROM public.one;
SELECT tree_text(p, 1, 0.1, 'calls') FROM public.one;
SELECT v.* FROM provenance(filter(profile(1), 0.1)) v;
SELECT caption(filter(profile(1), 0.1)), caption(profile(1) - profile(2)), caption(p) FROM public.one;
-- in the target list, and with nothing
SELECT (h).name FROM (SELECT hot_path(p) AS h FROM public.one) s;
SELECT count(*) FROM nodes(NULL);
SELECT caption(NULL::profile) IS NULL AS a, tree_text(NULL) IS NULL AS b;
-- a path longer than 4096 bytes keeps its end
SELECT length(n.path) > 4000 AND octet_length(n.path) <= 4100 AS bounded, left(n.path, 1) AS mark, right(n.path, 9) AS rest
	FROM nodes(hatchet_literal((SELECT string_agg('{"frame": {"name": "' || repeat('n', 90) || i || '"}, "children": [', '' ORDER BY i)
		|| '{"frame": {"name": "the end"}, "metrics": {"time": 1}}' || repeat(']}', 100) FROM generate_series(1, 100) i)::jsonb)) n
	WHERE n.name = 'the end';
SELECT * FROM public.fails($$SELECT nodes(p, 'cycles') FROM public.one$$);
SELECT * FROM public.fails($$SELECT flat(p, 'planet') FROM public.one$$);
SELECT * FROM public.fails($$SELECT flame(p - p) FROM public.one$$);
SELECT * FROM public.fails($$SELECT hot_path(p, start => 99) FROM public.one$$);
SELECT * FROM public.fails($$SELECT column_values(p, 99) FROM public.one$$);
SELECT * FROM public.fails($$SELECT tree_text(p, -1) FROM public.one$$);
SELECT * FROM public.fails($$SELECT nodes(skeleton(p)::profile) FROM public.one$$);
DROP VIEW public.one;
-- functions: loops and statements belong to the function above them, recursion is counted once
CREATE VIEW public.recursive AS SELECT hatchet_literal('[{"frame": {"name": "main", "type": "function"}, "metrics": {"time": 0, "time (inc)": 12}, "children": [
	{"frame": {"name": "f", "type": "function"}, "metrics": {"time": 1, "time (inc)": 10}, "children": [
		{"frame": {"name": "loop", "type": "loop", "file": "a.c", "line": 7}, "metrics": {"time": 2, "time (inc)": 9}, "children": [
			{"frame": {"name": "f", "type": "function"}, "metrics": {"time": 3, "time (inc)": 7}, "children": [
				{"frame": {"name": "g", "type": "function"}, "metrics": {"time": 4, "time (inc)": 4}}]}]}]},
	{"frame": {"name": "g", "type": "function"}, "metrics": {"time": 2, "time (inc)": 2}}]}]') AS p;
SELECT node, function, caller, is_call, is_outermost, inclusive, exclusive, calls FROM public.recursive, function_nodes(p);
SELECT function, count(*) FILTER (WHERE is_call) AS nodes, sum(inclusive) FILTER (WHERE is_outermost) AS inclusive, sum(exclusive) AS exclusive
FROM public.recursive, function_nodes(p) GROUP BY 1 ORDER BY 1;
-- the graph of functions: what is drawn, what is not, and what is not there
SELECT element, place, function, caller, node_id, nodes, inclusive, exclusive, "values" FROM public.recursive, function_graph(p);
SELECT element, place, function, caller FROM public.recursive, function_graph(p, NULL, 'g', 2) WHERE element <> 'context';
SELECT element, place, function FROM public.recursive, function_graph(p, node => 'nope');
SELECT (SELECT count(*) FROM function_graph(NULL)) + (SELECT count(*) FROM named_nodes(NULL)) AS nothing;
SELECT panel, node, path, name, n_candidates FROM public.recursive, named_nodes(p, most => 2);
SELECT panel, node, path, name, candidates FROM public.recursive, named_nodes(p, (SELECT ARRAY['g', 'nope', min(n.path), 'none'] FROM nodes(p) n));
SELECT f.* FROM (VALUES ('function_graph(p, ''nope'')'), ('named_nodes(p, metric => ''nope'')')) v (call),
	public.fails('SELECT * FROM public.recursive, ' || call) f;
SELECT count(*) FROM function_nodes(NULL);
SELECT * FROM public.recursive, function_nodes(p, 'nope');
