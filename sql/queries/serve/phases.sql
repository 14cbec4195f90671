-- serve_phases.sql - the phases of a trace's logical structure.
--
-- :run
SELECT 'rows' AS section, to_json(found) AS row
  FROM (
    SELECT p.phase, p.first_step, p.last_step, p.n_events, p.n_locations, p.pattern, p.max_lateness, p.merge_reason,
           p.t_first AS t_from, p.t_last AS t_to
    FROM perfhouse.phases(:run::int8) p
    ORDER BY p.phase
       ) found;
