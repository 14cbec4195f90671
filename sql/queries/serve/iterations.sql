-- serve_iterations.sql - what the dearest functions cost in each iteration: columns iteration and function (a place in names), value;
-- changes: where the level of one changes. Neighbouring iterations share a cell where there are more than 512: the greatest of them.
--
-- :run, :metric or null: the primary one, :limit: so many functions
WITH base AS MATERIALIZED (
    SELECT p.profile, perfhouse_internal.combining(p.profile, :metric::text) AS combining
      FROM (SELECT perfhouse.profile(:run::int8, :metric::text, NULL::int4[], true) AS profile OFFSET 0) p
), cost AS MATERIALIZED (
    SELECT b.name, b.iteration,
           perfhouse_internal.combined(base.combining, sum(b.mean), min(b.mean), max(b.mean), count(b.mean)) AS value
      FROM base, perfhouse.by_iteration(CASE WHEN EXISTS (SELECT FROM perfhouse.columns(base.profile) c WHERE c.iteration IS NOT NULL)
               THEN base.profile END, 'exclusive', :metric::text) b
     GROUP BY 1, 2, base.combining
), dear AS MATERIALIZED (
    SELECT c.name, row_number() OVER (ORDER BY sum(abs(c.value)) DESC, c.name) - 1 AS place
      FROM cost c GROUP BY c.name HAVING sum(abs(c.value)) > 0 ORDER BY 2 LIMIT :limit::int4
), shape AS MATERIALIZED (
    SELECT count(DISTINCT c.iteration) AS n, ceil(count(DISTINCT c.iteration) / 512.0)::int8 AS each FROM cost c
), placed AS (
    SELECT d.place, c.iteration, (dense_rank() OVER (ORDER BY c.iteration) - 1) / s.each AS cell, c.value
      FROM cost c JOIN dear d USING (name), shape s
)
SELECT 'rows' AS section, json_build_object('iterations', s.n, 'each', s.each,
           'names', (SELECT json_agg(d.name ORDER BY d.place) FROM dear d)) AS row
  FROM shape s WHERE s.n > 0
UNION ALL
SELECT 'cells', perfhouse.json_columns(v)
  FROM (SELECT p.place AS function, p.cell, min(p.iteration) AS iteration, max(p.value) AS value
          FROM placed p GROUP BY 1, 2 ORDER BY 1, 2) v
HAVING count(*) > 0;
