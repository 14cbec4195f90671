-- grid.sql - run 905: 4 x 4 ranks by hosts of four, 12 iterations; plane x = 3 is slow in solve, which takes longer from iteration 6 on.
SELECT public.store_profile(hatchet_literal(jsonb_build_array(jsonb_build_object('frame', jsonb_build_object('name', 'main'), 'metrics', jsonb_build_object('time', t.main),
	'children', jsonb_build_array(jsonb_build_object('frame', jsonb_build_object('name', 'solve'), 'metrics', jsonb_build_object('time', t.solve)),
		jsonb_build_object('frame', jsonb_build_object('name', 'io'), 'metrics', jsonb_build_object('time', t.io)))))), 'grid') AS grid
FROM (SELECT jsonb_agg(0.25 ORDER BY i) AS main,
	jsonb_agg(1 + CASE WHEN i / 12 / 4 = 3 THEN 0.5 ELSE 0 END + CASE WHEN i % 12 >= 6 THEN 0.25 ELSE 0 END + (i * 37 % 11) / 1000.0 ORDER BY i) AS solve,
	jsonb_agg(CASE WHEN i % 12 % 4 = 3 THEN 2 END ORDER BY i) AS io FROM generate_series(0, 191) i) t \gset
UPDATE perfhouse.location SET rank = location_id / 12, iteration = location_id % 12, host = 'node' || location_id / 48, name = NULL WHERE run_id = :grid;
UPDATE perfhouse.run SET n_units = 16, n_ranks = 16, meta = '{"grid": "4x4"}' WHERE run_id = :grid;
DELETE FROM perfhouse.region_summary WHERE run_id = :grid;
DELETE FROM perfhouse.summary_block WHERE run_id = :grid;
DO $$ BEGIN PERFORM perfhouse.remake_summaries((SELECT run_id FROM perfhouse.run WHERE title = 'grid')); END $$;
UPDATE perfhouse.location SET run_id = 905 WHERE run_id = :grid;
UPDATE perfhouse.value_block SET run_id = 905 WHERE run_id = :grid;
UPDATE perfhouse.summary_block SET run_id = 905 WHERE run_id = :grid;
UPDATE perfhouse.region_summary SET run_id = 905 WHERE run_id = :grid;
UPDATE perfhouse.derived SET run_id = 905 WHERE run_id = :grid;
UPDATE perfhouse.run SET run_id = 905 WHERE run_id = :grid;
