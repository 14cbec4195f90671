-- serve_step_pairs.sql - the steps of two runs in one order, as trace_diff aligns them, and their phases.
--
-- :a and :b runs
SELECT 'rows' AS section, perfhouse.json_columns(d) AS row
  FROM (SELECT t.step_a, t.step_b, t.phase_a, t.phase_b, t.status
          FROM perfhouse.trace_diff(:a::int8, :b::int8) WITH ORDINALITY t
         ORDER BY t.ordinality) d
HAVING count(*) > 0
UNION ALL
SELECT 'phases', perfhouse.json_columns(p)
  FROM (SELECT d.phase_a, d.phase_b, d.status, a.t_first AS first_a, a.t_last AS last_a, b.t_first AS first_b, b.t_last AS last_b
          FROM perfhouse.trace_diff_phases(:a::int8, :b::int8) WITH ORDINALITY d
          LEFT JOIN perfhouse.phases(:a::int8) a ON a.phase = d.phase_a
          LEFT JOIN perfhouse.phases(:b::int8) b ON b.phase = d.phase_b
         ORDER BY d.ordinality) p
HAVING count(*) > 0;
