-- serve_counter_cells.sql - a metric of a trace in 256 bins of 2^level ns from x * 256 on, up to the run's end: of each row the largest
-- value.
--
-- :run, :metric, :level, :x, :each locations a row
WITH span AS (
    SELECT t.run_id, t.n_locations, (:x::int8 * 256) << :level::int4 AS first,
           least(((:x::int8 + 1) * 256) << :level::int4, t.duration) AS stop
      FROM perfhouse.trace t
     WHERE t.run_id = :run::int8)
SELECT 'rows' AS section, perfhouse.json_columns(m) AS row
  FROM (SELECT g."row", c.bin, c.max AS value, g."row" * :each::int4 AS location
          FROM span s
         CROSS JOIN generate_series(0, (s.n_locations - 1) / :each::int4) g ("row")
         CROSS JOIN LATERAL perfhouse.metric_over_time(s.run_id, :metric::text,
             greatest(1, ((s.stop - s.first - 1) >> :level::int4) + 1)::int4, s.first, s.stop,
             ARRAY(SELECT generate_series(g."row" * :each::int4, least((g."row" + 1) * :each::int4, s.n_locations) - 1))) c
         WHERE c.n_locations > 0
         ORDER BY g."row", c.bin) m
HAVING count(*) > 0;
