-- experiments.sql - which runs can be compared: default keys, keys that were set, unknown values; one decision everywhere.
CREATE FUNCTION public.add_experiment(no int, of text, ranks int, threads int, machine text, facts jsonb) RETURNS bigint LANGUAGE sql AS $$
	INSERT INTO perfhouse.run (run_id, fingerprint, state, application, format, n_ranks, n_threads, cluster, n_units, metrics, metric_ids, meta, commit_id,
		started_at)
	VALUES (700000 + no, 'exp' || no, 'ready', of, 'sql', ranks, threads, machine, 1, '{time}',
		ARRAY[(SELECT min(metric_id) FROM perfhouse.metric WHERE name = 'time')], facts, md5('e' || no), '2026-05-01'::timestamptz + no * interval '1 day')
	RETURNING run_id $$;
SELECT count(public.add_experiment(no, of, ranks, threads, machine, facts)) FROM (VALUES
	(1, 'exp', 8, 1, 'oak', '{"problem": "small"}'::jsonb), (2, 'exp', 8, 1, 'oak', '{"problem": "small"}'), (3, 'exp', 8, 1, 'oak', '{"problem": "large"}'),
	(4, 'exp', 16, 1, 'oak', '{"problem": "small"}'), (5, 'exp', 8, 1, 'elm', '{"problem": "small"}'), (6, 'exp', 8, 1, 'oak', '{}'),
	(7, 'exp', 8, 1, 'oak', '{}'), (8, 'exp', 8, 2, 'oak', '{"problem": "small"}'), (9, NULL, 8, 1, 'oak', '{"problem": "small"}'),
	(10, NULL, 8, 1, 'oak', '{"problem": "small"}'), (11, 'other', 8, 1, 'oak', '{"problem": "small"}'), (12, 'exp', NULL, NULL, NULL, '{}'),
	(13, 'exp', NULL, NULL, NULL, '{"problem": ""}'), (14, 'exp', 8, 1, 'oak', '{"problem": "small", "input": "deck 2"}')) v (no, of, ranks, threads, machine, facts);
CREATE FUNCTION public.pair(a int, b int) RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(string_agg(d.key || ' ' || d.status, ', '), 'comparable') FROM perfhouse.experiment_differences(ARRAY[700000 + a]::bigint[], ARRAY[700000 + b]::bigint[]) d
	WHERE d.status IN ('differs', 'unknown') $$;
SELECT b, public.pair(1, b) FROM generate_series(1, 14) b;
-- an unknown application is like no other unknown one, a key that neither run has does not count, one that one of both has does
SELECT public.pair(9, 10) AS no_application, public.pair(6, 7) AS no_problem, public.pair(12, 13) AS nothing_known, public.pair(9, 9) AS itself;
-- several runs a side: one that differs is enough
SELECT key, status, a_values, b_values FROM experiment_differences('{700001,700004,700006}', '{700002,700005}') WHERE status <> 'not recorded';
SELECT are_comparable('{700001,700002}') AS alike, are_comparable('{700001,700003}') AS mixed, are_comparable('{}') AS none, are_comparable('{700001}', '{700004}') AS other;
SELECT perfhouse_internal.differences_text('{700001}', '{700004}') AS two, perfhouse_internal.differences_text('{700001,700004,700005}') AS many,
	perfhouse_internal.differences_text('{700001}', '{700006}') AS unknown, perfhouse_internal.differences_text('{700001}', '{700002}') AS none;
-- the text in run_experiment and the function that explains it say the same of all pairs
CREATE FUNCTION public.disagreements() RETURNS bigint LANGUAGE sql AS $$
	SELECT count(*) FROM perfhouse.run_experiment a, perfhouse.run_experiment b WHERE a.run_id > 700000 AND b.run_id > 700000 AND a.run_id <> b.run_id
		AND coalesce(a.experiment = b.experiment, false) IS DISTINCT FROM perfhouse.are_comparable(ARRAY[a.run_id], ARRAY[b.run_id]) $$;
SELECT public.disagreements();
SELECT comparable_runs(700001) AS run_id;
SELECT experiment, n_runs, runs FROM experiments('exp');
-- histories never mix them
SELECT series, experiment, array_agg(run_id ORDER BY place) AS runs FROM history_runs('exp', NULL) GROUP BY 1, 2 ORDER BY 1;
-- keys that were set: what is not among them does not count, and a run without one is like no other
SELECT set_application('exp', '{ranks, problem ,ranks}');
SELECT keys, size_keys, size_of, is_declared, n_runs, n_experiments FROM applications() WHERE application = 'exp';
SELECT public.pair(1, 5) AS other_cluster, public.pair(1, 3) AS other_problem, public.pair(6, 7) AS no_problem, public.pair(6, 6) AS itself;
SELECT public.disagreements();
SELECT series, experiment, array_agg(run_id ORDER BY place) AS runs FROM history_runs('exp', NULL) GROUP BY 1, 2 ORDER BY 1;
SELECT comparable_runs(700006) AS run_id;
SELECT set_application('exp', '{}');
SELECT public.pair(1, 5) AS same_application, public.pair(1, 11) AS other_application, public.disagreements();
SELECT set_application('exp', '{meta.problem,format}', size_keys => '{n}', size_of => 'rank');
SELECT set_application('exp', size_of => 'run');
SELECT keys, size_keys, size_of FROM applications() WHERE application = 'exp';
SELECT public.pair(1, 3) AS other_problem, public.disagreements();
SELECT reset_application('exp');
SELECT public.pair(1, 5) AS other_cluster;
-- strong and weak scaling by the sizes of the runs' problems
CREATE FUNCTION public.kind(sizes text[], size_of text DEFAULT NULL, keys text[] DEFAULT '{n}', machines text[] DEFAULT '{oak,oak,oak}', parameter text DEFAULT 'n_ranks')
	RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	found text;
BEGIN
	PERFORM public.add_experiment(100 + i, 'scaled', (8 * 2 ^ i)::int, 1, machines[i], jsonb_build_object('n', split_part(sizes[i], ' ', 1), 'm', split_part(sizes[i], ' ', 2)))
		FROM generate_series(1, 3) i;
	PERFORM perfhouse.set_application('scaled', size_keys => keys, size_of => $2);
	SELECT coalesce(k.kind, '-') || ': ' || k.reason INTO found FROM perfhouse.scaling_kind('{700101,700102,700103}', parameter) k;
	PERFORM perfhouse.reset_application('scaled');
	DELETE FROM perfhouse.run WHERE run_id BETWEEN 700100 AND 700199;
	RETURN found;
END $$;
SELECT sizes, size_of, public.kind(sizes, size_of) FROM (VALUES ('{100,100,100}'::text[]), ('{100,200,400}'), ('{1000,1414,2000}'), ('{100,126,159}'), ('{400,200,100}'), ('{100,100,400}'),
	('{100,x,100}'), ('{100,"",100}')) s (sizes), (VALUES (NULL), ('run'), ('rank')) o (size_of) ORDER BY 2 NULLS FIRST, 1;
SELECT public.kind('{10 10,20 10,20 20}', 'run', '{n,m}') AS product, public.kind('{9,9,9}', 'run', machines => '{oak,elm,oak}') AS other_machines,
	public.kind('{9,18,36}', 'run', parameter => 'n') AS along_the_size, public.kind('{9,9,9}', 'rank', parameter => 'n_threads') AS same_threads;
SELECT * FROM scaling_kind('{700001,700011}');
SELECT * FROM scaling_kind('{700001,700004}');
DROP FUNCTION public.kind(text[], text, text[], text[], text);
-- excluded runs are no siblings
UPDATE perfhouse.run SET excluded_reason = 'test' WHERE run_id = 700002;
SELECT comparable_runs(700001) AS run_id;
SELECT f.* FROM (VALUES ('SELECT perfhouse.set_application('' '')'), ('SELECT perfhouse.set_application(''exp'', ''{run_id}'')'), ('SELECT perfhouse.set_application(''exp'', ''{a,NULL}'')'),
	('SELECT perfhouse.set_application(''exp'', size_of => ''node'')'), ('SELECT perfhouse.set_application(''exp'', size_keys => ''{}'')'),
	('SELECT perfhouse.reset_application(''exp'')')) v (statement), public.fails(statement) f;
DELETE FROM perfhouse.run WHERE run_id > 700000;
DROP FUNCTION public.disagreements(), public.pair(int, int), public.add_experiment(int, text, int, int, text, jsonb);
