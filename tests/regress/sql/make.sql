-- make.sql - profiles of stored runs and of Hatchet literals.
SELECT caption(profile(1)) AS one, caption(profile(2)) AS two;
SELECT m.* FROM metrics(profile(1)) m;
SELECT m.* FROM metrics(profile(1, NULL::text[])) m;
SELECT m.metric FROM metrics(profile(1, ARRAY['calls', 'time'])) m;
-- what is stored is what was made
SELECT node, name, inclusive, exclusive, n_present FROM nodes(profile(1)) ORDER BY node;
SELECT count(*) AS differences FROM (
	SELECT node, name, kind, module, file, line, inclusive, exclusive, n_present, callpath_id FROM nodes(profile(1, 'time'))
	EXCEPT SELECT n.node, n.name, n.kind, n.module, n.file, n.line, n.inclusive, n.exclusive, n.n_present, n.callpath_id
		FROM public.sample, nodes(p) n WHERE sample.name = 'a') d;
SELECT location, present, inclusive FROM column_values(profile(1), (SELECT node FROM nodes(profile(1)) WHERE name = 'log')) ORDER BY location;
-- metric names: exact, other letter case, beginning
SELECT m.metric FROM metrics(profile(1, 'calls')) m;
SELECT m.metric FROM metrics(profile(1, 'CALLS')) m;
SELECT m.metric FROM metrics(profile(1, 'ti')) m;
-- ranks; those that do not exist are counted
SELECT rank, name, run_id FROM columns(profile(2, NULL::text, ranks => ARRAY[2, 0])) ORDER BY location;
SELECT caption(profile(2, 'time', ranks => ARRAY[0, 7, 8]));
-- nulls
SELECT profile(NULL) IS NULL AS a, profile(NULL, 'time') IS NULL AS b;
-- iterations are summed per unit unless they are asked for
WITH new AS (INSERT INTO perfhouse.run (fingerprint, application, format, metrics, metric_ids, n_nodes, n_columns, n_units)
	SELECT 'iterations', 'loops', 'sql', metrics[1:1], metric_ids[1:1], 1, 4, 2 FROM perfhouse.run WHERE run_id = 1 RETURNING *)
SELECT run_id AS loops FROM new \gset
INSERT INTO perfhouse.location (run_id, location_id, rank, iteration)
	VALUES (:loops, 0, 0, 0), (:loops, 1, 0, 1), (:loops, 2, 1, 0), (:loops, 3, 1, 1);
UPDATE perfhouse.run SET tree_id = perfhouse_internal.intern_tree(skeleton(hatchet_literal('[{"frame": {"name": "solve"}, "metrics": {"time": 1}}]'))) WHERE run_id = :loops;
INSERT INTO perfhouse.profile_values_1 SELECT :loops, n.callpath_id, (SELECT metric_ids[1] FROM perfhouse.run WHERE run_id = 1), 0,
	'{1,2,4,null}', '{1,2,4,null}' FROM nodes(hatchet_literal('[{"frame": {"name": "solve"}, "metrics": {"time": 1}}]')) n;
UPDATE perfhouse.run SET state = 'ready' WHERE run_id = :loops;
SELECT location, rank, iteration, inclusive FROM column_values(profile(:loops), 0) ORDER BY location;
SELECT location, rank, iteration, inclusive FROM column_values(profile(:loops, 'time', iterations => true), 0) ORDER BY location;
SELECT caption(profile(:loops, 'time', iterations => true));
SELECT drop_run(:loops);
-- what does not exist
SELECT * FROM public.fails($$SELECT profile(12345)$$);
SELECT * FROM public.fails($$SELECT profile(3)$$);
SELECT * FROM public.fails($$SELECT profile(1, 'cycles')$$);
SELECT * FROM public.fails($$SELECT profile(1, ARRAY['time', 'cycles'])$$);
SELECT * FROM public.fails($$SELECT profile(1, 'time', ranks => ARRAY[99])$$);
SELECT * FROM public.fails($$SELECT profile(1, 'time', ranks => ARRAY[[1, 2]])$$);
SELECT * FROM public.fails($$SELECT profile(1, 'time', ranks => ARRAY[1, NULL])$$);
-- a run whose rows disagree
SELECT md5(flat_form(profile(1, NULL::text[]))) AS blocks \gset
BEGIN;
SELECT public.as_old_release(1);
SELECT md5(flat_form(profile(1, NULL::text[]))) = :'blocks' AS same;
UPDATE perfhouse.profile_values_1 SET inclusive = '{1}', exclusive = '{1}' WHERE run_id = 1;
SELECT profile(1);
ROLLBACK;
BEGIN;
SELECT public.as_old_release(1);
SELECT md5(flat_form(profile(1, NULL::text[]))) = :'blocks' AS same;
UPDATE perfhouse.profile_values_1 SET inclusive = '{1,null}', exclusive = '{1,2}' WHERE run_id = 1 AND callpath_id = -8746874526718393113;
SELECT profile(1);
ROLLBACK;
BEGIN;
UPDATE perfhouse.value_block SET bytes = set_byte(bytes, length(bytes) - 1, 255 - get_byte(bytes, length(bytes) - 1)) WHERE run_id = 1;
SELECT profile(1);
ROLLBACK;
BEGIN;
UPDATE perfhouse.value_block SET block = 1 WHERE run_id = 1;
SELECT profile(1);
ROLLBACK;
-- a whole block of a run of another size: neither the chosen ranks nor the supernodes' sums look beyond the run
BEGIN;
UPDATE perfhouse.value_block SET bytes = (SELECT b.bytes FROM perfhouse.value_block b JOIN perfhouse.run r USING (run_id)
	WHERE (r.n_nodes, r.n_columns) <> (SELECT n_nodes, n_columns FROM perfhouse.run WHERE run_id = 1) AND b.block = 0
	ORDER BY r.n_columns DESC, r.n_nodes DESC, b.run_id, b.metric_id LIMIT 1) WHERE run_id = 1;
\set ON_ERROR_ROLLBACK on
SELECT * FROM nodes(profile(1, NULL::text, ARRAY[0]));
SELECT * FROM supernodes(perfhouse_internal.measured(supergraph(perfhouse_internal.mean_profile(1, '{}'), 'function'), 1, '{}'));
\set ON_ERROR_ROLLBACK off
ROLLBACK;
BEGIN;
UPDATE perfhouse.location SET location_id = 5 WHERE run_id = 1 AND location_id = 1;
SELECT profile(1);
ROLLBACK;
BEGIN;
UPDATE perfhouse.call_tree SET tree = substr(tree, 1, 50) WHERE tree_id = (SELECT tree_id FROM perfhouse.run WHERE run_id = 1);
SELECT profile(1);
ROLLBACK;
BEGIN;
DELETE FROM perfhouse.call_tree WHERE tree_id = (SELECT tree_id FROM perfhouse.run WHERE run_id = 1);
SELECT profile(1);
ROLLBACK;
-- Hatchet's other form
SELECT node, depth, name, inclusive, exclusive FROM nodes(hatchet_literal('{"graph": [
	{"0": {"data": {"name": "foo", "type": "function"}, "children": [1, 2]},
	 "1": {"data": {"name": "bar", "type": "None"}, "children": []}, "2": {"data": {"name": "baz"}, "children": []}},
	{"10": {"data": {"name": "qux"}, "children": []}}],
	"dataframe": [{"node": 0, "rank": 0, "time": 1, "time (inc)": 6}, {"node": 1, "rank": 0, "time": 2, "time (inc)": 2},
	 {"node": 2, "rank": 0, "time": 3, "time (inc)": 3}, {"node": 10, "rank": 0, "time": 4, "time (inc)": 4}],
	"dataframe_indices": ["node", "rank"], "exclusive_metrics": ["time"], "inclusive_metrics": ["time (inc)"]}')) ORDER BY node;
-- equal siblings are one node; the order of the document does not matter
SELECT hatchet_literal('[{"frame": {"name": "m"}, "metrics": {"time": 1}, "children": [{"frame": {"name": "a"}, "metrics": {"time": 1}},
		{"frame": {"name": "b"}, "metrics": {"time": 2}}, {"frame": {"name": "a"}, "metrics": {"time": 3}}]}]')
	= hatchet_literal('[{"frame": {"name": "m"}, "metrics": {"time": 1}, "children": [{"frame": {"name": "b"}, "metrics": {"time": 2}},
		{"frame": {"name": "a"}, "metrics": {"time": 3}}, {"frame": {"name": "a"}, "metrics": {"time": 1}}]}]') AS same;
-- bad literals
SELECT hatchet_literal('7');
SELECT hatchet_literal('[]');
SELECT hatchet_literal('[7]');
SELECT hatchet_literal('[{"metrics": {"time": 1}}]');
SELECT hatchet_literal('[{"frame": {"name": ""}}]');
SELECT hatchet_literal('[{"frame": {"name": "a"}, "metrics": [1]}]');
SELECT hatchet_literal('[{"frame": {"name": "a"}, "metrics": {"time": "x"}}]');
SELECT hatchet_literal('[{"frame": {"name": "a"}, "metrics": {"time": -1}}]');
SELECT hatchet_literal('[{"frame": {"name": "a"}, "metrics": {"time": 1}, "children": {"frame": {"name": "b"}}}]');
SELECT hatchet_literal('{"graph": [{"0": {"data": {"name": "a"}, "children": [1]}}], "dataframe": []}');
SELECT hatchet_literal('{"graph": [{"0": {"data": {"name": "a"}, "children": [1]}, "1": {"data": {"name": "b"}, "children": [0]}}],
	"dataframe": [{"node": 0, "time": 1}], "exclusive_metrics": ["time"]}');
SELECT hatchet_literal('{"graph": [{"0": {"data": {"name": "a"}, "children": [2]}, "1": {"data": {"name": "b"}, "children": [2]},
	"2": {"data": {"name": "c"}}}], "dataframe": []}');
SELECT hatchet_literal('{"graph": [], "dataframe": [{"node": 3, "time": 1}]}');

-- values that are packed as they are stored answer as those that were unpacked and stored as a value
CREATE TEMP TABLE unpacked AS SELECT run_id, profile(run_id) AS p FROM perfhouse.run WHERE state = 'ready' AND rolled_up_at IS NULL;
CREATE FUNCTION pg_temp.differ(packed text, stored text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
	EXECUTE format('SELECT count(*) FROM (SELECT u.run_id, to_jsonb(f) FROM unpacked u, %s f EXCEPT ALL SELECT u.run_id, to_jsonb(f) FROM unpacked u, %s f) d', packed, stored) INTO n;
	RETURN n;
END $$;
SELECT name, pg_temp.differ(format(call, 'profile(u.run_id)'), format(call, 'u.p')) AS differ
FROM (VALUES ('nodes', 'nodes(%s)'), ('node_ranges', 'node_ranges(%s)'), ('inclusive ranges', 'node_ranges(%s, ''inclusive'')'),
	('node_statistics', 'node_statistics(%s)'), ('own', 'node_statistics(%s, ''own'')'), ('imbalance', 'imbalance(%s)'), ('flame', 'flame(%s)'),
	('tree_text', 'tree_text(%s)'), ('metrics', 'metrics(%s)'), ('columns', 'columns(%s)'), ('caption', 'caption(%s)'),
	('supernodes', 'supernodes(supergraph(%s, ''module''))'), ('superedges', 'superedges(supergraph(%s, ''function''))'),
	('supernode_values', 'supernode_values(supergraph(%s, ''module''))'), ('provenance', 'provenance(%s)'),
	('diff', 'nodes_diff(diff(%1$s, %1$s))'), ('flat form', 'md5(flat_form(%s))')) AS t (name, call);
