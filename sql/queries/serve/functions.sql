-- serve_functions.sql - the functions of an application over all its runs, the most expensive first.
--
-- :application, :search text in their names or null, :limit
SELECT 'rows' AS section, to_json(found) AS row
  FROM (
    SELECT f.name, min(f.library) AS library, count(DISTINCT f.run_id) AS runs, avg(f.exclusive) AS exclusive, min(f.unit) AS unit
    FROM perfhouse.function_cost f
    WHERE f.application = :application::text AND (:search::text IS NULL OR position(lower(:search) IN lower(f.name)) > 0)
    GROUP BY f.name ORDER BY sum(f.exclusive) DESC, 1 LIMIT :limit::int4
       ) found;
