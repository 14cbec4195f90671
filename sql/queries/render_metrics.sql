-- render_metrics.sql - the metrics of a run, primary first, for hints.
--
-- $1 run
SELECT m.metric FROM perfhouse.metrics(perfhouse.profile($1::bigint, NULL::text[])) m;
