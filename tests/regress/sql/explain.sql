-- explain.sql - why runs take longer than others.
-- Three functions on four ranks, four runs a side; calls and time of one of them grow, or time alone.
CREATE FUNCTION public.by_rank(cost float8, i int, slow_rank int, wobble float8 DEFAULT 0.01) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
	SELECT jsonb_object_agg(r, cost * (1 + wobble * ((i * 7 + r * 3) % 5)) + CASE WHEN r = slow_rank THEN 9 ELSE 0 END) FROM generate_series(0, 3) r
$$;
CREATE FUNCTION public.explained_run(i int, solve float8, visits float8, slow_rank int DEFAULT -1) RETURNS perfhouse.profile
LANGUAGE sql IMMUTABLE AS $$
	SELECT perfhouse.hatchet_literal(jsonb_build_array(jsonb_build_object('frame', jsonb_build_object('name', 'main'),
		'metrics', jsonb_build_object('time', public.by_rank(1, i, -1), 'visits', public.by_rank(1, 0, -1, 0)), 'children', jsonb_build_array(
			jsonb_build_object('frame', jsonb_build_object('name', 'solve'), 'metrics',
				jsonb_build_object('time', public.by_rank(solve, i, slow_rank), 'visits', public.by_rank(visits, 0, -1, 0))),
			jsonb_build_object('frame', jsonb_build_object('name', 'flux'), 'metrics',
				jsonb_build_object('time', public.by_rank(20, i + 1, -1), 'visits', public.by_rank(10, 0, -1, 0))),
			jsonb_build_object('frame', jsonb_build_object('name', 'MPI_Allreduce'), 'metrics',
				jsonb_build_object('time', public.by_rank(4, i + 2, -1), 'visits', public.by_rank(10, 0, -1, 0)))))))
$$;
CREATE TABLE public.explained AS
	SELECT name, array_agg(public.explained_run(i, solve, visits, rank) ORDER BY i) AS p
	FROM (VALUES ('before', 30, 10, -1), ('longer', 38, 10, -1), ('oftener', 38, 12.7, -1), ('one rank', 30, 10, 2)) v (name, solve, visits, rank),
		generate_series(1, 4) i GROUP BY 1;
SELECT v.name, e.finding, e.verdict, round(e.share::numeric, 3) AS share, round(e.noise::numeric, 3) AS noise, e.shape, e.cause, e.path, e.units, e.shared,
	round(e.work::numeric, 2) AS work, e.work_kind, e.confidence, e.score > 5 AS is_clear
	FROM public.explained b, public.explained v, LATERAL perfhouse.explain_profiles(b.p, v.p) e WHERE b.name = 'before' ORDER BY 1, 2;
SELECT v.name, e.sentence FROM public.explained b, public.explained v, LATERAL perfhouse.explain_profiles(b.p, v.p) e WHERE b.name = 'before' ORDER BY v.name, e.finding;
-- the other way round, and of single runs
SELECT e.finding, e.cause, e.sentence FROM public.explained b, public.explained v, LATERAL perfhouse.explain_profiles(v.p, b.p) e
	WHERE b.name = 'before' AND v.name = 'oftener' ORDER BY 1;
SELECT e.finding, e.verdict, e.noise, e.path, e.confidence FROM public.explained b, public.explained v, LATERAL perfhouse.explain_profiles(b.p[1:1], v.p[1:1]) e
	WHERE b.name = 'before' AND v.name = 'longer' ORDER BY 1;
-- of single runs of which it is known that others scatter little, or much
SELECT k.spread, e.finding, e.verdict, round(e.noise::numeric, 3) AS noise, e.path, e.confidence, CASE WHEN e.finding = 0 THEN e.sentence END AS sentence
	FROM (VALUES (0.01), (0.3)) k (spread), public.explained b, public.explained v,
	LATERAL perfhouse.explain_profiles(b.p[1:1], v.p[1:1], 0.02, '{"",main/flux}', ARRAY[k.spread, 0.01], '{12,12}') e
	WHERE b.name = 'before' AND v.name = 'longer' ORDER BY 1, 2;
-- null, and errors
SELECT count(*) FROM perfhouse.explain_profiles(NULL, '{}');
SELECT f.* FROM (VALUES ('SELECT * FROM perfhouse.explain_profiles(''{}'', ''{}'')'), ('SELECT e.* FROM public.explained x, perfhouse.explain_profiles(x.p, ''{}'') e'),
	('SELECT e.* FROM public.explained x, perfhouse.explain_profiles(x.p, x.p || NULL::perfhouse.profile) e'),
	('SELECT e.* FROM public.explained x, perfhouse.explain_profiles(x.p, x.p, 0.02, ''{main}'', ''{}'', ''{}'') e'),
	('SELECT e.* FROM public.explained x, perfhouse.explain_profiles(x.p, x.p, 0.02, ''{main}'', ''{-1}'', ''{3}'') e'),
	('SELECT e.* FROM (SELECT ARRAY[perfhouse.hatchet_literal(''[{"frame": {"name": "main"}, "metrics": {}, "children": []}]'')] AS p) x, perfhouse.explain_profiles(x.p, x.p) e'),
	('SELECT e.* FROM public.explained x, perfhouse.explain_profiles(x.p, x.p, 1) e')) v (statement), public.fails(statement) f;
-- of stored runs: some that cannot be compared, one without siblings, and errors; tests/tap/048_explain.pl loads others
SELECT step, sentence, evidence FROM perfhouse.explain_runs('{1}', '{2}');
SELECT step, sentence, evidence FROM perfhouse.explain_run(1) WHERE step = 'level';
SELECT count(*) FROM perfhouse.explain_run(NULL);
SELECT count(*) FROM perfhouse.explain_runs(NULL, '{1}');
SELECT f.* FROM (VALUES ('SELECT * FROM perfhouse.explain_run(999999)'), ('SELECT * FROM perfhouse.explain_runs(''{1}'', ''{999999}'')'),
	('SELECT * FROM perfhouse.explain_runs(''{1}'', ''{1,2}'')'), ('SELECT * FROM perfhouse.explain_runs(''{}'', ''{1}'')'),
	('SELECT * FROM perfhouse.explain_runs(''{1}'', ''{NULL}'')')) v (statement), public.fails(statement) f;
-- beside other numbers of ranks: tests/tap/049_case_studies.pl loads them
SELECT count(*) FROM scaling_deviation(NULL), LATERAL (SELECT count(*) FROM scaling_deviation(999999)) n;
SELECT count(*) FROM metadata_effects(NULL), LATERAL (SELECT count(*) FROM metadata_effects(999999)) n;
-- a run that takes twenty times what is expected of its number of ranks, with sizes whose product no double holds
BEGIN;
INSERT INTO run (run_id, fingerprint, state, application, format, n_ranks, n_units, n_columns, n_nodes, metrics, metric_ids, total, meta)
	SELECT 800000 + n, 'far ' || n, 'ready', 'far', 'test', 1 << n, 1 << n, 1 << n, 1, ARRAY[m.name], ARRAY[m.metric_id],
		64.0 / (1 << n) * CASE n WHEN 3 THEN 20 ELSE 1 END, jsonb_build_object('problem', '1e99', 'problem_size', '1e99', 'nx', '1e99', 'ny', (1 << n) || 'e97')
	FROM generate_series(0, 6) n, (SELECT * FROM metric WHERE name = 'time' ORDER BY metric_id LIMIT 1) m;
INSERT INTO application (application, keys, size_keys) VALUES ('far', '{n_ranks,problem,problem_size,nx,ny}', '{problem,problem_size,nx,ny}');
SELECT sentence FROM perfhouse_internal.explain_sizes(800003);
ROLLBACK;
SELECT v, u, readable(v, u) FROM unnest('{0,0.000285,-6.1541,98765.4,30000000,12345,0.5,1,NULL,NaN,Infinity}'::float8[],
	'{s,s,s,s,bytes,"",sheep,NULL,s,s,s}'::text[]) x (v, u);
-- what would help, in words
SELECT perfhouse_internal.change_text(c.change) FROM (VALUES (1, '{"network": "ideal"}'::jsonb), (2, '{"balance": "solve"}'), (3, '{"rank_to_mean": 17}'),
	(4, '{"nonblocking": "MPI_Send"}'), (5, '{"order": {"path": "step", "sends": "descending partner"}}'),
	(6, '{"order": {"path": "step", "first": "receive", "ranks": "odd"}}'), (7, '{"scale": {"region": "solve", "by": 0.5}}')) c (no, change) ORDER BY c.no;
SELECT count(*) FROM perfhouse_internal.explain_gain(1);
SELECT count(*) FROM perfhouse_internal.explain_efficiency(999999);
DROP TABLE public.explained;
DROP FUNCTION public.explained_run, public.by_rank;
