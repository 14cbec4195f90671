-- serve_rank_values.sql - what a function costs in each rank and thread: its own cost in all call paths of that name.
--
-- :run, :metric or null: the primary one, :name
WITH given AS MATERIALIZED (
    SELECT perfhouse.profile(r.run_id, :metric::text) AS profile FROM perfhouse.run r WHERE r.run_id = :run::int8
)
SELECT 'rows' AS section, perfhouse.json_columns(v) AS row
  FROM (SELECT c.rank, c.thread, c.host, c.name, coalesce(s.value, 0) AS value
          FROM given, perfhouse.columns(given.profile) c
          LEFT JOIN (SELECT x.location, sum(coalesce(x.exclusive, 0)) AS value
                       FROM given, perfhouse.nodes(given.profile) n, perfhouse.column_values(given.profile, n.node, :metric::text) x
                      WHERE n.name = :name::text
                      GROUP BY x.location) s USING (location)
         ORDER BY c.rank, c.thread, c.location) v
HAVING count(*) > 0;
