-- serve_functions.sql - the functions of an application over all its runs, the most expensive first.
--
-- $1 application, $2 text in their names or null, $3 limit
SELECT f.name, min(f.library) AS library, count(DISTINCT f.run_id) AS runs, avg(f.exclusive) AS exclusive, min(f.unit) AS unit
FROM perfhouse.function_cost f
WHERE f.application = $1::text AND ($2::text IS NULL OR position(lower($2) IN lower(f.name)) > 0)
GROUP BY f.name ORDER BY sum(f.exclusive) DESC, 1 LIMIT $3::int4;
