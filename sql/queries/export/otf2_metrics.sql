-- export-otf2-metrics.sql - members of the classes of metrics of a run's trace; $1: run.
SELECT metric_class, member, name, unit, type, is_accumulated, scale
FROM perfhouse.trace_metric WHERE run_id = $1::bigint
ORDER BY metric_class, member;
