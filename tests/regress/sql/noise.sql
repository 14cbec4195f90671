-- noise.sql - level and noise under a condition, kept up to date as runs come.
SELECT n, level, round(spread::numeric, 4) AS spread, round(autocorrelation::numeric, 4) AS autocorrelation, degrees FROM level_of('{10,10.2,9.9,10.1,14,14.1,13.8,14.2,14,13.9,14.1,14}');
SELECT * FROM level_of('{}');
SELECT * FROM level_of('{3,NULL,5}');
SELECT * FROM level_of(NULL);
SELECT spread = 0 AS constant, level FROM level_of('{2,2,2,2,2,2,2,2}');

INSERT INTO metric (name, unit) VALUES ('noise time', 'ms') ON CONFLICT DO NOTHING;
INSERT INTO region (region_id, kind, name) SELECT 990100 + i, 0, 'noise ' || i FROM generate_series(0, 2) i;
INSERT INTO callpath (callpath_id, parent_id, region_id, depth) VALUES (990100, NULL, 990100, 0), (990101, 990100, 990101, 1), (990102, 990100, 990102, 1);
-- Runs of two units under two conditions: seconds are 10 and a little, the second call path is a ten-thousandth.
CREATE FUNCTION public.add_noise_run(seed int, ranks int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	id bigint;
	metric int := (SELECT m.metric_id FROM perfhouse.metric m WHERE m.name = 'noise time');
	whole float8 := 2 * (10000 + (seed * 37) % 11 * 20);
BEGIN
	INSERT INTO perfhouse.run (fingerprint, state, application, format, n_ranks, n_units, n_nodes, metrics, metric_ids, started_at, excluded_reason)
	VALUES ('noise ' || ranks || ' ' || seed, 'ready', 'noisy', 'sql', ranks, 2, 3, ARRAY['noise time'], ARRAY[metric], timestamptz '2026-01-01' + seed * interval '1 hour',
		CASE WHEN seed = 5 THEN 'broken' END) RETURNING run_id INTO id;
	INSERT INTO perfhouse.profile_summary_1 (run_id, callpath_id, metric_id, n, inclusive_sum, exclusive_sum)
	VALUES (id, 990100, metric, 2, whole * CASE seed WHEN 5 THEN 9 ELSE 1 END, whole / 4), (id, 990101, metric, 2, whole / 2, whole / 2),
		(id, 990102, metric, 2, whole / 10000, whole / 10000);
	RETURN id;
END $$;
SELECT count(public.add_noise_run(i, 4)) FROM generate_series(1, 12) i;
SELECT count(public.add_noise_run(i, 8)) FROM generate_series(1, 2) i;
SELECT refresh_noise('noisy');
SELECT refresh_noise('noisy');
SELECT callpath_id, n_runs, round(level::numeric, 4) AS level, round(spread::numeric, 5) AS spread, degrees FROM noise WHERE application = 'noisy' ORDER BY 1;
-- what the latest runs say, in their order
SELECT abs(n.level - l.level) + abs(n.spread - l.spread) < 1e-9 AS same
FROM noise n, level_of(ARRAY(SELECT (10000 + (i * 37) % 11 * 20)::float8 / 1000 FROM generate_series(1, 12) i WHERE i <> 5)) l
WHERE n.application = 'noisy' AND n.callpath_id = 0;
SELECT path, n_runs, round(level::numeric, 4) AS level, round(relative::numeric, 5) AS relative, round(value::numeric, 4) AS value, round(deviations::numeric, 3) AS deviations, unit
FROM known_noise((SELECT run_id FROM run WHERE fingerprint = 'noise 4 7'));
SELECT count(*) AS of_two_runs FROM known_noise((SELECT run_id FROM run WHERE fingerprint = 'noise 8 1'));
SELECT count(public.add_noise_run(3, 8)) AS third;
SELECT refresh_noise();
SELECT n_runs, degrees FROM known_noise((SELECT run_id FROM run WHERE fingerprint = 'noise 8 1')) LIMIT 1;
-- a run that was excluded, replaced, mended or removed counts as it is; so does one whose number is below those of others
CREATE VIEW public.levels AS SELECT split_part(experiment, E'\x1F', 2) AS ranks, n_runs, round(level::numeric, 4) AS level, round(spread::numeric, 4) AS spread
	FROM noise WHERE application = 'noisy' AND callpath_id = 0 ORDER BY 1;
UPDATE run SET excluded_reason = NULL WHERE fingerprint = 'noise 4 5';
SELECT refresh_noise('noisy'), refresh_noise('noisy') AS again;
TABLE public.levels;
UPDATE run SET excluded_reason = 'broken' WHERE fingerprint IN ('noise 4 5', 'noise 8 2');
SELECT refresh_noise('noisy'), refresh_noise('noisy') AS again;
TABLE public.levels;
UPDATE profile_summary_1 SET inclusive_sum = 2 * inclusive_sum WHERE run_id = (SELECT run_id FROM run WHERE fingerprint = 'noise 4 12');
UPDATE run SET loaded_at = loaded_at + interval '1 second' WHERE fingerprint = 'noise 4 12';
SELECT refresh_noise('noisy'), refresh_noise('noisy') AS again;
UPDATE run SET started_at = '2026-01-01' WHERE fingerprint = 'noise 4 12';
SELECT refresh_noise('noisy'), refresh_noise('noisy') AS again;
-- one whose number was reserved before another condition's runs came
UPDATE run SET excluded_reason = NULL, state = 'loading' WHERE fingerprint = 'noise 8 2';
SELECT public.add_noise_run(13, 4) > 0 AS later, refresh_noise('noisy');
UPDATE run SET state = 'ready' WHERE fingerprint = 'noise 8 2';
SELECT refresh_noise('noisy') AS reserved_before, refresh_noise('noisy') AS again;
SELECT count(drop_run(run_id)) FROM run WHERE fingerprint ~ '^noise 4 ([1-9]|1[01])$';
SELECT refresh_noise('noisy') AS of_two_runs, refresh_noise('noisy') AS again;
TABLE public.levels;
DROP VIEW public.levels;
SELECT f.code FROM unnest(ARRAY['SELECT * FROM known_noise(-1)', 'SELECT * FROM known_noise(NULL)']) s, public.fails(s) f;
DROP FUNCTION public.add_noise_run(int, int);
SELECT count(drop_run(run_id)) FROM run WHERE application = 'noisy';
DELETE FROM noise WHERE application = 'noisy';
DELETE FROM callpath WHERE callpath_id BETWEEN 990100 AND 990102;
DELETE FROM region WHERE region_id BETWEEN 990100 AND 990102;
DELETE FROM metric WHERE name = 'noise time';
