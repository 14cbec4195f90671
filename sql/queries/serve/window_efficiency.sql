-- serve_window_efficiency.sql - how efficient a window of a trace is, and what its waits were.
--
-- :run, :from and :to in ns
SELECT 'rows' AS section, to_json(found) AS row
  FROM (
    SELECT e.parallel, e.load_balance, e.communication, e.serialisation, e.transfer, e.aligned
      FROM perfhouse.efficiency(:run::int8, :from::int8, :to::int8) e
       ) found
UNION ALL
SELECT 'waits', to_json(found)
  FROM (
    SELECT w.kind, count(*) AS n, sum(w.ns)::int8 AS ns
      FROM perfhouse.wait_states(:run::int8, :from::int8, :to::int8) w
     GROUP BY w.kind ORDER BY ns DESC, w.kind
       ) found;
