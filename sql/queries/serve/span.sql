-- serve_span.sql - when steps happened, in ns since the first event.
--
-- $1 run, $2 first step, $3 last step
SELECT s.t_from, s.t_to FROM perfhouse.step_time_span($1::int8, $2::int4, $3::int4) s;
