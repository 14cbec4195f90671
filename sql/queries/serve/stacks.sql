-- serve_stacks.sql - the call stacks of a location in a window, in 512 bins: in each the function with most time there.
--
-- :run, :location, :from and :to in ns
SELECT 'rows' AS section, perfhouse.json_columns(s) AS row
  FROM (SELECT t.depth, t.region, t.t_start, t.t_end, t.calls
          FROM perfhouse.timeline(:run::int8, 512, :from::int8, :to::int8, ARRAY[:location::int4], 1, 24) t
         ORDER BY t.depth, t.bin) s
HAVING count(*) > 0;
