-- node_statistics.sql - distributions per node, scaling models, speed-up.
SELECT node, name, n, mean, round(sd::numeric, 6) AS sd, min, lower_quartile, median, upper_quartile, max, lower_fence, upper_fence, outliers FROM node_statistics(profile(1));
SELECT name, n, mean FROM node_statistics(profile(2), cost => 'exclusive') ORDER BY mean DESC LIMIT 3;
SELECT count(*) FROM node_statistics(NULL);
-- main = p, f = 1 + 3 / p (strong scaling), g = constant; g is missing in one run
CREATE TABLE public.scale AS SELECT r, hatchet_literal(jsonb_build_array(jsonb_build_object('frame', '{"name": "main"}'::jsonb, 'metrics', jsonb_build_object('time', r),
	'children', jsonb_build_array(jsonb_build_object('frame', '{"name": "f"}'::jsonb, 'metrics', jsonb_build_object('time', 1 + 3.0 / r)))
		|| CASE WHEN r = 64 THEN '[]'::jsonb ELSE jsonb_build_array(jsonb_build_object('frame', '{"name": "g"}'::jsonb, 'metrics', '{"time": 2}'::jsonb)) END))) AS p
	FROM unnest(ARRAY[1, 2, 4, 8, 16, 32, 64]) r;
CREATE VIEW public.scaled AS SELECT ensemble(p, r::text ORDER BY r) AS e FROM public.scale;
SELECT name, model, exponent, log_exponent, round(growth::numeric, 4) AS growth, round(r_squared::numeric, 6) AS r_squared, n
	FROM public.scaled, scaling_model(e, 'ranks', cost => 'exclusive');
SELECT name, parameter, value, round(speedup::numeric, 4) AS speedup, round(efficiency::numeric, 4) AS efficiency FROM public.scaled, speedup(e, cost => 'exclusive')
	WHERE name = 'f' ORDER BY parameter LIMIT 3;
SELECT name, parameter, round(speedup::numeric, 4) AS speedup, round(efficiency::numeric, 4) AS efficiency FROM public.scaled, speedup(e, 'weak', cost => 'exclusive')
	WHERE name = 'g' ORDER BY parameter LIMIT 3;
SELECT f.* FROM (VALUES ('SELECT perfhouse.scaling_model(perfhouse.profile(1))'), ('SELECT perfhouse.speedup(e, ''other'') FROM public.scaled'),
	('SELECT perfhouse.node_statistics(perfhouse.profile(1), ''dear'')')) v (statement), public.fails(statement) f;
DROP VIEW public.scaled;
DROP TABLE public.scale;
