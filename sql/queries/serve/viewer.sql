-- serve_viewer.sql - what a viewer must know of a trace before it draws: its extent, version, regions, locations, colours.
--
-- :run
SELECT 'rows' AS section, to_json(found) AS row
  FROM (
    SELECT o.run_id, o.application, o.title, o.n_ranks, o.commit_id, t.duration, t.n_events,
           perfhouse.run_version(ARRAY[o.run_id]) AS version,
           EXISTS (SELECT 1 FROM perfhouse.logical l WHERE l.run_id = :run::int8) AS has_steps,
           EXISTS (SELECT 1 FROM perfhouse.phase_block b WHERE b.run_id = :run::int8) AS has_lateness
      FROM perfhouse.run_overview o
      JOIN perfhouse.trace t ON t.run_id = o.run_id AND t.run_id = :run::int8
     WHERE o.run_id = :run::int8 AND o.has_trace
       ) found
UNION ALL
SELECT 'regions', perfhouse.json_columns(g)
  FROM (SELECT r.local_id, r.name FROM perfhouse.trace_region r WHERE r.run_id = :run::int8 ORDER BY r.local_id) g
HAVING count(*) > 0
UNION ALL
SELECT 'locations', perfhouse.json_columns(l)
  FROM (SELECT w.rank, w.thread, w.name, w.host FROM perfhouse.timeline_rows(:run::int8, NULL, 1048576) w ORDER BY w.locations[1]) l
HAVING count(*) > 0
UNION ALL
SELECT 'counters', to_json(c)
  FROM (SELECT m.name, min(m.unit) AS unit, bool_or(m.is_accumulated) AS accumulated
          FROM perfhouse.trace_metric m
         WHERE m.run_id = :run::int8
         GROUP BY m.name
         ORDER BY m.name) c
UNION ALL
SELECT 'colors', perfhouse.json_columns(c)
  FROM (SELECT c.name, c.family, c.place
          FROM perfhouse.color_of c
          JOIN perfhouse.run r ON r.run_id = :run::int8 AND c.application = coalesce(r.application, '')
         WHERE c.name IN (SELECT g.name FROM perfhouse.trace_region g WHERE g.run_id = :run::int8)
         ORDER BY c.family, c.place, c.name) c
HAVING count(*) > 0;
