-- colors.sql - the colours that the functions and modules of :application ('': of runs without one) have in all pictures,
-- as a row (section, JSON object) for the renderer.
SELECT 'colors', perfhouse.json_columns(c)::text FROM (SELECT c.name, c.family, c.place FROM perfhouse.color_of c
	WHERE c.application = :application::text ORDER BY c.family, c.place, c.name LIMIT 5000) c HAVING count(*) > 0;
