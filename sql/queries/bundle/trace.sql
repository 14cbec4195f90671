-- bundle_trace.sql - what pages without a server count their answers from: the calls, messages, waits and steps of a trace. Regions are
-- places in regions, from 0.
--
-- :run
WITH named AS MATERIALIZED (
    SELECT r.name, (row_number() OVER (ORDER BY min(r.local_id)))::int4 - 1 AS place
      FROM perfhouse.trace_region r
     WHERE r.run_id = :run::int8
     GROUP BY r.name)
SELECT 'regions' AS section, perfhouse.json_columns(f) AS row
  FROM (SELECT n.name FROM named n ORDER BY n.place) f
HAVING count(*) > 0
UNION ALL
SELECT 'calls', perfhouse.json_columns(f)
  FROM (SELECT c.location, n.place AS region, c.depth, c.enter, coalesce(c.leave, c.enter + c.inclusive) AS leave
          FROM perfhouse.calls(:run::int8) c
          JOIN named n ON n.name = c.region
         ORDER BY c.location, c.enter, c.depth) f
HAVING count(*) > 0
UNION ALL
SELECT 'messages', perfhouse.json_columns(f)
  FROM (SELECT m.sender_location, m.receiver_location, m.send_time, m.receive_time, m.tag, m.bytes
          FROM perfhouse.messages(:run::int8) m
         WHERE m.send_time IS NOT NULL AND m.receive_time IS NOT NULL
         ORDER BY m.send_time, m.receive_time) f
HAVING count(*) > 0
UNION ALL
SELECT 'waits', perfhouse.json_columns(f)
  FROM (SELECT w.victim AS location, w.kind, w.awaited, w.awaited_rank, w.origin, w.origin_rank, w.awaited_region, w.origin_path,
               w.origin_share, w.t_from, w.t_to
          FROM perfhouse.wait_states(:run::int8) w
         ORDER BY w.victim, w.t_from) f
HAVING count(*) > 0
UNION ALL
SELECT 'steps', perfhouse.json_columns(f)
  FROM (SELECT s.location, s.enter, s.leave, s.step, s.phase, coalesce(s.lateness, 0) AS lateness, n.place AS region
          FROM perfhouse.logical_steps(:run::int8) s
          JOIN named n ON n.name = s.region
         WHERE EXISTS (SELECT 1 FROM perfhouse.logical l WHERE l.run_id = :run::int8)
         ORDER BY s.location, s.step) f
HAVING count(*) > 0;
