-- serve_hits.sql - the calls of a function in a window by time: the first 10,000.
--
-- :run, :name, :from and :to in ns
SELECT 'rows' AS section, perfhouse.json_columns(h) AS row
  FROM (SELECT c.location, c.enter, c.inclusive
          FROM perfhouse.calls(:run::int8, :from::int8, :to::int8) c
         WHERE c.region = :name::text
         ORDER BY c.enter, c.location LIMIT 10000) h
HAVING count(*) > 0;
