-- serve_counter.sql - a metric of a trace in 512 bins of a window: mean, least and largest value over the locations.
--
-- :run, :metric, :from and :to in ns, :location or null: all that have one
SELECT 'rows' AS section, perfhouse.json_columns(m) AS row
  FROM (SELECT c.bin_start, c.bin_end, c.mean, c.min, c.max
          FROM perfhouse.metric_over_time(:run::int8, :metric::text, 512, :from::int8, :to::int8,
                   CASE WHEN :location::int4 IS NULL THEN NULL ELSE ARRAY[:location::int4] END) c
         WHERE c.n_locations > 0
         ORDER BY c.bin) m
HAVING count(*) > 0;
