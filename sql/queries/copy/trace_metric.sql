COPY perfhouse.trace_metric (run_id, metric_class, member, name, unit, type, is_accumulated, scale) FROM STDIN (FORMAT binary)
