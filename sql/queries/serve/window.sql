-- serve_window.sql - what functions took of a window of a trace, the largest first.
--
-- :run, :from and :to in ns, :first_location and :last_location or null: all
SELECT 'rows' AS section, to_json(found) AS row
  FROM (
    SELECT p.region, p.exclusive, p.share
      FROM perfhouse.time_profile(:run::int8, 1, :from::int8, :to::int8, (SELECT array_agg(i)
                     FROM generate_series(:first_location::int4, :last_location::int4) i)) p
     ORDER BY p.exclusive DESC, p.region LIMIT 200
       ) found;
