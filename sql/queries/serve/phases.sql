-- serve_phases.sql - the phases of a trace's logical structure.
--
-- :run
SELECT 'rows' AS section, to_json(found) AS row
  FROM (
    SELECT p.phase, p.first_step, p.last_step, p.n_events, p.n_locations, p.pattern, p.max_lateness, p.merge_reason,
           t.t_from, t.t_to
    FROM perfhouse.phases(:run::int8) p, LATERAL perfhouse.step_time_span(:run::int8, p.first_step, p.last_step) t
    ORDER BY p.phase
       ) found;
