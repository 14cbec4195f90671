-- serve_call_waits.sql - for whom a location waited in a window, and whose fault it was.
--
-- :run, :location, :from and :to in ns
SELECT 'rows' AS section, to_json(found) AS row
  FROM (
    SELECT w.kind, w.awaited, w.awaited_rank, w.origin, w.origin_rank, w.awaited_region, w.origin_path, w.origin_share, w.t_from,
           w.t_to, w.ns
      FROM perfhouse.wait_states(:run::int8, :from::int8, :to::int8, ARRAY[:location::int4]) w
     ORDER BY w.ns DESC, w.t_from LIMIT 10
       ) found;
