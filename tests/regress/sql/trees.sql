-- trees.sql - call trees and labels of regions that runs share: stored once, kept as long as somebody needs them.
BEGIN;
UPDATE call_tree SET used_at = now() - interval '25 hours';
SELECT perfhouse_internal.unused_trees(true) >= 0 AS others_are_gone;
-- the same tree once, another one beside it
CREATE TEMPORARY TABLE tree_run AS SELECT name, public.store_profile(p * factor, 'tree ' || name || factor) AS run_id
FROM public.sample, generate_series(2, 3) factor WHERE name IN ('a', 'callback');
SELECT t.name, count(DISTINCT r.tree_id) AS trees, count(*) AS runs, bool_and(c.n_nodes = r.n_nodes AND c.n_nodes = cardinality(c.callpath_ids)) AS counted
FROM tree_run t JOIN run r USING (run_id) JOIN call_tree c USING (tree_id) GROUP BY 1 ORDER BY 1;
SELECT bool_and(c.callpath_ids = ARRAY(SELECT n.callpath_id FROM nodes(profile(t.run_id)) n ORDER BY n.node)) AS in_preorder
FROM tree_run t JOIN run r USING (run_id) JOIN call_tree c USING (tree_id);
SELECT bool_and((SELECT p.tree FROM profile_tree p WHERE p.run_id = t.run_id) = skeleton(profile(t.run_id))) AS whole FROM tree_run t;
-- what was interned by who has none of it yet is what is there; others are not
SELECT perfhouse_internal.intern_tree(c.tree) = c.tree_id AS same FROM tree_run t JOIN run r USING (run_id) JOIN call_tree c USING (tree_id) LIMIT 1;
-- several at a time, in their order, each once
SAVEPOINT sets;
CREATE TEMP TABLE set_of AS SELECT n, perfhouse_internal.label_bytes(ARRAY[n, -n], '{0,1}', ARRAY[n, NULL]::int[], '{m,NULL}', '{NULL,"a/ü b"}', '{NULL,openmp}') AS bytes
	FROM generate_series(11, 13) n;
SELECT r.* FROM set_of, perfhouse_internal.label_rows(bytes) r WHERE n = 12 ORDER BY region_id;
SELECT ids = ARRAY(SELECT perfhouse_internal.content_id(bytes) FROM set_of ORDER BY n) || ARRAY(SELECT perfhouse_internal.content_id(bytes) FROM set_of WHERE n = 11) AS in_order
FROM (SELECT perfhouse_internal.intern_label_sets((SELECT array_agg(bytes ORDER BY n) FROM set_of) || (SELECT bytes FROM set_of WHERE n = 11)) AS ids) s;
SELECT count(*), count(DISTINCT l.labels_id) FROM label_data l CROSS JOIN LATERAL perfhouse_internal.label_rows(l.labels) JOIN set_of s ON l.labels_id = perfhouse_internal.content_id(s.bytes);
SELECT perfhouse_internal.intern_labels('{12,-12}', '{0,1}', '{12,NULL}', '{m,NULL}', '{NULL,"a/ü b"}', '{NULL,openmp}') = perfhouse_internal.content_id(bytes) AS same FROM set_of WHERE n = 12;
SELECT perfhouse_internal.intern_label_sets('{}'), perfhouse_internal.intern_trees('{}');
SELECT code, message FROM set_of, public.fails(format('SELECT * FROM perfhouse_internal.label_rows(%L)', substr(bytes, 1, length(bytes) - 1))) WHERE n = 11;
SELECT code, message FROM set_of, public.fails(format('SELECT * FROM perfhouse_internal.label_rows(%L)', substr(bytes, 1, 15))) WHERE n = 11;
SELECT code FROM set_of, public.fails(format('SELECT * FROM perfhouse_internal.label_rows(%L)', overlay(bytes PLACING '\xff' FROM 17))) WHERE n = 11;
SELECT t.n, perfhouse_internal.content_id(t.tree) = t.id AS in_order FROM (SELECT array_agg(skeleton(p)::bytea ORDER BY name) AS trees FROM public.sample WHERE name IN ('a', 'b', 'callback')) s,
	ROWS FROM (unnest(s.trees), unnest(perfhouse_internal.intern_trees(s.trees))) WITH ORDINALITY t (tree, id, n);
SELECT code FROM public.fails($$SELECT perfhouse_internal.intern_trees('{"no tree"}')$$);
ROLLBACK TO sets;
SELECT code FROM public.fails($$SELECT perfhouse_internal.intern_tree('no tree')$$);
-- labels: null and '' are one, their order does not matter, anything else does
SELECT perfhouse_internal.intern_labels('{-5,7}', '{1,0}', '{NULL,12}', '{m,NULL}', '{"",/a/b.c}', '{NULL,openmp}') AS labels,
    perfhouse_internal.intern_labels('{7,-5}', '{0,1}', '{12,NULL}', '{"",m}', '{/a/b.c,NULL}', '{openmp,""}') AS again,
    perfhouse_internal.intern_labels('{7,-5}', '{0,1}', '{12,NULL}', '{"",n}', '{/a/b.c,NULL}', '{openmp,""}') AS others \gset
SELECT :labels = :again AS same, :labels = :others AS same_as_others;
UPDATE run SET labels_id = :labels WHERE run_id = (SELECT min(run_id) FROM tree_run);
SELECT region_id, local_id, module, raw_file, line, paradigm FROM run_region WHERE run_id = (SELECT min(run_id) FROM tree_run) ORDER BY 1;
-- one region at a time, of shared labels and of rows of the run's own, one after the other; what is not there says nothing
INSERT INTO run_region_1 (run_id, region_id, local_id, line, module) VALUES (-3, 7, 0, 5, 'own'), (-3, 8, 1, NULL, NULL);
SELECT run, labels, region, perfhouse_internal.module_of(run, labels, region), perfhouse_internal.line_of(run, labels, region)
FROM (VALUES (1, 1, :labels, -5), (2, 2, :labels, 7), (3, -3, NULL, 7), (4, -3, NULL, 8), (5, 1, :others, 7), (6, 1, :labels, -5), (7, -3, NULL, 7),
    (8, 1, :labels, 99), (9, -4, NULL, 7), (10, 1, 12345, 7), (11, NULL, NULL, 7), (12, 1, :labels, NULL)) v (no, run, labels, region) ORDER BY no;
DELETE FROM run_region_1 WHERE run_id = -3;
SELECT * FROM check_run((SELECT min(run_id) FROM tree_run)) WHERE check_name IN ('dictionary', 'tree');
-- another content under the hash of one is refused
SAVEPOINT sound;
UPDATE call_tree SET crc = crc + 1;
UPDATE label_set SET crc = crc + 1;
SELECT code, message ~ '^call tree -?\d+ stands for something else already$' AS said FROM public.fails($$SELECT perfhouse_internal.intern_tree(skeleton(p)) FROM public.sample WHERE name = 'a'$$);
SELECT code FROM public.fails($$SELECT perfhouse_internal.intern_labels('{-5,7}', '{1,0}', '{NULL,12}', '{m,NULL}', '{"",/a/b.c}', '{NULL,openmp}')$$);
SELECT * FROM check_run((SELECT min(run_id) FROM tree_run)) WHERE check_name IN ('dictionary', 'tree');
SELECT message FROM public.fails(format('SELECT profile(%s)', (SELECT min(run_id) FROM tree_run)));
ROLLBACK TO sound;
UPDATE call_tree SET callpath_ids = callpath_ids[2:] || callpath_ids[1];
UPDATE label_data SET labels = overlay(labels PLACING '\x07' FROM 12) WHERE labels_id = :labels;
SELECT * FROM check_run((SELECT min(run_id) FROM tree_run)) WHERE check_name IN ('dictionary', 'tree');
UPDATE label_data SET labels = substr(labels, 1, length(labels) - 1) WHERE labels_id = :labels;
SELECT code FROM public.fails(format('SELECT perfhouse_internal.module_of(1, %s, 7)', :labels));
SELECT * FROM check_run((SELECT min(run_id) FROM tree_run)) WHERE check_name = 'dictionary';
DELETE FROM label_set;
SELECT * FROM check_run((SELECT min(run_id) FROM tree_run)) WHERE check_name = 'dictionary';
ROLLBACK TO sound;
-- unused ones go a day after somebody asked for them; those of runs stay
SELECT perfhouse_internal.unused_trees() AS unused, perfhouse_internal.unused_trees(true) AS removed;
SELECT count(perfhouse.drop_run(run_id)) FROM tree_run;
SELECT perfhouse_internal.unused_trees() AS of_today;
UPDATE call_tree SET used_at = now() - interval '25 hours';
UPDATE label_set SET used_at = now() - interval '25 hours';
SELECT count(*) AS still_known FROM perfhouse_internal.known_labels(ARRAY[:labels]);
SELECT perfhouse_internal.unused_trees() AS of_yesterday, perfhouse_internal.unused_trees(true) AS removed;
SELECT (SELECT count(*) FROM label_set) AS sets, (SELECT count(*) FROM label_data) AS labels,
    (SELECT count(*) FROM call_tree c WHERE NOT EXISTS (SELECT FROM run r WHERE r.tree_id = c.tree_id)) AS unused_trees;
-- who may not remove them leaves them alone
UPDATE label_set SET used_at = now() - interval '25 hours';
SET LOCAL ROLE perfhouse_loader;
SELECT perfhouse_internal.unused_trees() AS unused, perfhouse_internal.unused_trees(true) AS removed;
SELECT perfhouse_internal.intern_labels('{1}', '{0}', '{NULL}', '{NULL}', '{NULL}', '{NULL}') IS NOT NULL AS a_loader_interns, (SELECT count(*) FROM perfhouse_internal.known_labels(ARRAY[:labels])) AS and_touches;
ROLLBACK;
-- values: one node is what the whole is, whatever stores them
SELECT count(*) AS cells, count(*) FILTER (WHERE (v.inclusive, v.exclusive) IS DISTINCT FROM (n.inclusive, n.exclusive)) AS different
FROM run r, nodes(profile(r.run_id)) t, LATERAL column_values(profile(r.run_id), t.node) v
LEFT JOIN LATERAL (SELECT * FROM perfhouse_internal.node_row(r.run_id, r.metric_ids[1], t.node) o WHERE o.location_id = v.location) n ON true
WHERE r.run_id IN (1, 2) AND v.inclusive IS NOT NULL;
SELECT message FROM public.fails('SELECT * FROM perfhouse_internal.node_row(1, (SELECT metric_ids[1] FROM run WHERE run_id = 1), 7)');
SELECT message FROM public.fails('SELECT * FROM perfhouse_internal.node_row(1, -1, 0)');
