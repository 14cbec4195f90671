-- serve_span.sql - when steps happened, in ns since the first event.
--
-- :run, :first step, :last step
SELECT 'rows' AS section, to_json(found) AS row
  FROM (
    SELECT s.t_from, s.t_to FROM perfhouse.step_time_span(:run::int8, :first::int4, :last::int4) s
       ) found;
