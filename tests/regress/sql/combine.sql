-- combine.sql - arithmetic, diff, aggregates.
CREATE VIEW public.pair AS SELECT a.p AS a, b.p AS b FROM public.sample a, public.sample b WHERE a.name = 'a' AND b.name = 'b';
-- a - a is 0 everywhere; a + a is 2 a
SELECT max(abs(inclusive)) FROM public.pair, nodes(a - a);
SELECT max(abs(x.inclusive - y.inclusive)) AS halves FROM public.pair, nodes((a + a) * 0.5) x JOIN LATERAL nodes(a) y USING (node);
SELECT n.node, n.name, n.inclusive, n.exclusive FROM public.pair, nodes(a + a) n ORDER BY node;
SELECT n.node, n.name, n.inclusive, n.exclusive FROM public.pair, nodes(b - a) n ORDER BY node;
SELECT n.node, n.name, n.inclusive FROM public.pair, nodes(a * a) n ORDER BY node;
SELECT n.node, n.name, n.inclusive FROM public.pair, nodes(a / a) n ORDER BY node;
SELECT n.node, n.name, n.inclusive FROM public.pair, nodes(a / 2) n ORDER BY node;
SELECT m.* FROM public.pair, metrics(a * b) m;
SELECT m.* FROM public.pair, metrics(b - a) m;
-- diff: marks, both sides, antisymmetric
SELECT d.node, d.parent, d.name, d.before_inclusive, d.after_inclusive, d.delta_inclusive, d.before_exclusive, d.after_exclusive,
	d.delta_exclusive, round(d.relative::numeric, 6) AS relative, d.status FROM public.pair, nodes_diff(diff(a, b)) d ORDER BY node;
SELECT max(abs(d.delta_inclusive)) AS zero, count(DISTINCT d.status) FROM public.pair, nodes_diff(diff(a, a)) d;
SELECT max(abs(x.delta_inclusive + y.delta_inclusive)) AS antisymmetric
	FROM public.pair, nodes_diff(diff(a, b)) x JOIN LATERAL nodes_diff(diff(b, a)) y USING (callpath_id);
-- the issue's query, on stored runs
SELECT name, delta_inclusive, delta_exclusive, status FROM nodes_diff(diff(profile(1), profile(2))) ORDER BY abs(delta_exclusive) DESC, name;
-- ensemble: a column per input, named by its label, in the order asked for
SELECT c.location, c.kind, c.name FROM (SELECT ensemble(p, name ORDER BY name DESC) AS e FROM public.sample) s, columns(e) c ORDER BY 1;
SELECT n.name, v.name AS run, v.present, v.inclusive FROM (SELECT ensemble(p, name ORDER BY name) AS e FROM public.sample WHERE name <> 'callback') s,
	nodes(e) n, LATERAL column_values(e, n.node) v WHERE n.depth < 2 ORDER BY n.node, v.location;
SELECT c.name FROM (SELECT ensemble(profile(r), NULL ORDER BY r) AS e FROM generate_series(1, 2) r) s, columns(e) c ORDER BY location;
-- the aggregates do not depend on the order of their input, and leave nulls out
SELECT (SELECT mean(p ORDER BY name) FROM public.sample) = (SELECT mean(p ORDER BY name DESC) FROM public.sample) AS mean,
	(SELECT sum(p ORDER BY name) FROM public.sample) = (SELECT sum(p ORDER BY name DESC) FROM public.sample) AS sum;
SELECT n.node, n.name, n.inclusive, n.n_present FROM (SELECT mean(p) AS m FROM public.sample WHERE name <> 'callback') s, nodes(m) n ORDER BY node;
SELECT mean(p) = (SELECT mean(p) FROM public.sample) AS nulls_left_out FROM (SELECT p FROM public.sample UNION ALL SELECT NULL) s;
SELECT mean(p) IS NULL AS mean, sum(p) IS NULL AS sum, ensemble(p, 'x') IS NULL AS ensemble FROM public.sample WHERE false;
-- they fold what came, whenever it is as large as their result; in which parts does not matter to the last bit
CREATE TABLE public.many AS SELECT i, hatchet_literal(jsonb_agg(jsonb_build_object('frame', jsonb_build_object('name', 'f' || (f + i % 40)),
	'metrics', jsonb_build_object('time', (f + 0.1) / (i + 7))))) AS p FROM generate_series(1, 400) i, generate_series(1, 60) f GROUP BY i;
CREATE TABLE public.folded AS SELECT sum(p) AS sum, mean(p) AS mean, ensemble(p, i::text ORDER BY i) AS ensemble FROM public.many;
SET perfhouse.memory_limit = '2MB';
SELECT sum(p) = (SELECT f.sum FROM public.folded f) AS sum, mean(p) = (SELECT f.mean FROM public.folded f) AS mean, ensemble(p, i::text ORDER BY i) = (SELECT f.ensemble FROM public.folded f) AS ensemble
	FROM public.many;
SELECT sum(p ORDER BY i DESC) = (SELECT f.sum FROM public.folded f) AS sum FROM public.many;
RESET perfhouse.memory_limit;
ALTER TABLE public.many SET (parallel_workers = 2);
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT sum(p), mean(p) FROM public.many;
SELECT s.sum = f.sum AS sum, s.mean = f.mean AS mean FROM (SELECT sum(p), mean(p) FROM public.many) s, public.folded f;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;
SELECT n_columns, n_nodes FROM (SELECT ensemble FROM public.folded) f, LATERAL (SELECT (SELECT count(*) FROM columns(ensemble)) AS n_columns, (SELECT count(*) FROM nodes(ensemble)) AS n_nodes) c;
DROP TABLE public.many, public.folded;
-- an ensemble of one run is its mean
SELECT count(*) AS differences FROM (SELECT x.node, x.inclusive, x.exclusive FROM public.sample, nodes(p) x WHERE sample.name = 'a'
	EXCEPT SELECT x.node, x.inclusive, x.exclusive FROM (SELECT ensemble(p, 'only') AS e FROM public.sample WHERE name = 'a') s, nodes(e) x) d;
-- operators are pure: the operands stay what they were
SELECT bool_and(q.p = s.p) AS unchanged FROM public.sample s, LATERAL (SELECT s.p, (s.p + s.p) IS NULL, supergraph(s.p) IS NULL) q(p, x, y);
SELECT * FROM public.fails($$SELECT a / 0 FROM public.pair$$);
SELECT * FROM public.fails($$SELECT a * 'NaN' FROM public.pair$$);
SELECT * FROM public.fails($$SELECT a * 'Infinity'::float8 FROM public.pair$$);
SELECT * FROM public.fails($$SELECT nodes_diff(a) FROM public.pair$$);
-- units: those of one dimension are converted, others refused
SELECT max(abs(d.delta_inclusive)) < 1e-12 AS zero FROM public.pair, nodes_diff(diff(with_unit(a, 'time', 's'),
	with_unit(with_unit(a, 'time', 's'), 'time', 'ns'))) d;
SELECT m.metric, m.unit FROM public.pair, metrics(with_unit(a, 'time', 'us') + with_unit(a, 'time', 's')) m;
SELECT * FROM public.fails($$SELECT with_unit(a, 'time', 's') + with_unit(a, 'time', 'bytes') FROM public.pair$$);
SELECT * FROM public.fails($$SELECT with_unit(a, 'time', 's') - a FROM public.pair$$);
SELECT * FROM public.fails($$SELECT with_unit(with_unit(a, 'time', 's'), 'time', 'bytes') FROM public.pair$$);
-- derived metrics: after aggregation, at every level
SELECT m.* FROM metrics(derive(profile(1, NULL::text[]), 'per call', '2 * time / calls')) m;
SELECT f.name, f.exclusive = 2 * t.exclusive / c.exclusive AS of_sums FROM profile(1, NULL::text[]) p,
	flat(derive(p, 'per call', '2 * time / calls'), 'module', 'per call') f, flat(p, 'module', 'time') t, flat(p, 'module', 'calls') c
	WHERE t.name = f.name AND c.name = f.name ORDER BY 1;
SELECT sum(self) FROM flame(derive(profile(1), 'half', 'time / 2'), 'half');
SELECT count(*) FROM perfhouse_internal.flame_diff_boxes(NULL, profile(1), 'time', 0.1);
SELECT count(*) FROM perfhouse_internal.flame_diff_boxes(profile(1), profile(1), 'time', NULL);
SELECT * FROM public.fails($$SELECT derive(profile(1), 'x', 'time * time')$$);
SELECT * FROM public.fails($$SELECT derive(profile(1), 'x', 'time / absent')$$);
SELECT * FROM public.fails($$SELECT derive(profile(1), 'x', 'time /')$$);
SELECT * FROM public.fails($$SELECT derive(profile(1), 'time', '2 * time')$$);
SELECT derive(NULL, 'x', 'time') IS NULL AS p, derive(profile(1), NULL, 'time') IS NULL AS name, derive(profile(1), 'x', NULL) IS NULL AS formula;
-- derived metrics of the whole warehouse
BEGIN;
SELECT define_metric('per call', 'time / calls', 'us'), define_metric('twice', '2 * time');
SELECT m.* FROM metrics(profile(1, ARRAY['calls', 'per call', 'twice', 'per call'])) m;
SELECT count(*) AS differences FROM (SELECT node, inclusive, exclusive FROM nodes(profile(1, 'twice'))
	EXCEPT SELECT node, 2 * inclusive, 2 * exclusive FROM nodes(profile(1))) d;
SELECT bool_and(a.exclusive IS NOT DISTINCT FROM b.exclusive) AS same FROM flat(profile(1, 'per call', '{1}'), 'module') a
	JOIN flat(derive(profile(1, '{time,calls}'::text[], '{1}'), 'x', 'time / calls'), 'module', 'x') b USING (name);
-- the run's own name comes first, then the defined one, then what begins like it
SELECT define_metric('absent', 'time / nothing'), define_metric('tim', '5 * calls'), define_metric('time', '5 * calls');
SELECT m.metric, m.unit FROM metrics(profile(1, ARRAY['time', 'tim'])) m;
SELECT * FROM public.fails($$SELECT profile(1, 'absent')$$);
SELECT * FROM public.fails($$SELECT profile(1, 'nothing')$$);
SELECT * FROM public.fails($$SELECT define_metric('x', 'time *')$$);
SELECT * FROM public.fails($$SELECT define_metric('x', 'x / time')$$);
SELECT * FROM public.fails($$SELECT define_metric('x', 'twice / calls')$$);
SELECT * FROM public.fails($$SELECT define_metric('x', NULL)$$);
SELECT * FROM public.fails($$SELECT define_metric('', 'time')$$);
SELECT * FROM public.fails($$SELECT drop_metric('x')$$);
SELECT drop_metric('twice');
SELECT * FROM public.fails($$SELECT profile(1, 'twice')$$);
ROLLBACK;
DROP VIEW public.pair;
