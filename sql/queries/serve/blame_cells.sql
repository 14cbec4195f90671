-- serve_blame_cells.sql - whom others wait for, in 256 bins of 2^level ns from x * 256 on: the most blamed location of each row.
--
-- :run, :level, :x, :each locations a row. ns: waits that this location caused, summed over those that waited in the bin.
WITH waits AS MATERIALIZED (
    SELECT coalesce(w.origin, w.awaited) AS location, w.t_from, w.t_to
      FROM perfhouse.run_overview r,
           perfhouse.wait_states(r.run_id, (:x::int8 * 256) << :level::int4, ((:x::int8 + 1) * 256) << :level::int4) w
     WHERE r.run_id = :run::int8 AND r.has_trace AND w.t_to > w.t_from
), cells AS (
    SELECT w.location, b.bin,
           sum(least(w.t_to, (b.bin + 1) << :level::int4) - greatest(w.t_from, b.bin << :level::int4)) AS ns
      FROM waits w, generate_series(w.t_from >> :level::int4, (w.t_to - 1) >> :level::int4) AS b (bin)
     WHERE w.location IS NOT NULL
     GROUP BY w.location, b.bin
), most AS (
    SELECT DISTINCT ON (c.location / :each::int4, c.bin) c.location / :each::int4 AS "row", c.bin - :x::int8 * 256 AS bin, c.ns AS value,
           c.location
      FROM cells c
     ORDER BY c.location / :each::int4, c.bin, c.ns DESC, c.location
)
SELECT 'rows' AS section, perfhouse.json_columns(m) AS row
  FROM (SELECT * FROM most ORDER BY "row", bin) m
HAVING count(*) > 0;
