-- bundle_values.sql - the values of a metric by call path (node) and column (a place in rows, from 0): from them pages without a server
-- count means over chosen ranks, and what a function costs in each.
--
-- :run, :metric or null: the primary one. Nothing of profiles with more than a million values.
WITH given AS MATERIALIZED (
    SELECT perfhouse.profile(r.run_id, :metric::text) AS profile
      FROM perfhouse.run_overview r
     WHERE r.run_id = :run::int8 AND r.n_nodes::int8 * r.n_columns <= 1000000
), place AS MATERIALIZED (
    SELECT c.location, c.rank, c.thread, c.host, c.name, (row_number() OVER (ORDER BY c.rank, c.thread, c.location))::int4 - 1 AS place
      FROM given, perfhouse.columns(given.profile) c)
SELECT 'rows' AS section, perfhouse.json_columns(f) AS row
  FROM (SELECT p.rank, p.thread, p.host, p.name FROM place p ORDER BY p.place) f
HAVING count(*) > 0
UNION ALL
SELECT 'values', perfhouse.json_columns(f)
  FROM (SELECT x.node, p.place AS "column", x.exclusive, x.inclusive
          FROM given
         CROSS JOIN perfhouse.column_values(given.profile, NULL, :metric::text) x
          JOIN place p USING (location)
         WHERE x.present
         ORDER BY x.node, p.place) f
HAVING count(*) > 0;
