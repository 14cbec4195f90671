-- serve_rank_values.sql - what a function costs in each rank and thread: its own cost in all call paths of that name
-- (of metrics that do not add up: their mean, least or greatest).
--
-- :run, :metric or null: the primary one, :name
WITH given AS MATERIALIZED (
    SELECT p.profile, perfhouse_internal.combining(p.profile, :metric::text) AS combining
      FROM (SELECT perfhouse.profile(r.run_id, :metric::text) AS profile FROM perfhouse.run r WHERE r.run_id = :run::int8 OFFSET 0) p
)
SELECT 'rows' AS section, perfhouse.json_columns(v) AS row
  FROM (SELECT c.rank, c.thread, c.host, c.name, coalesce(s.value, 0) AS value
          FROM given, perfhouse.columns(given.profile) c
          LEFT JOIN (SELECT x.location, perfhouse_internal.combined(given.combining, sum(x.exclusive), min(x.exclusive),
                            max(x.exclusive), count(x.exclusive)) AS value
                       FROM given, perfhouse.nodes(given.profile) n, perfhouse.column_values(given.profile, n.node, :metric::text) x
                      WHERE n.name = :name::text
                      GROUP BY x.location, given.combining) s USING (location)
         ORDER BY c.rank, c.thread, c.location) v
HAVING count(*) > 0;
