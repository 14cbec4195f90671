COPY perfhouse.profile_values (run_id, callpath_id, metric_id, block, inclusive, exclusive) FROM STDIN (FORMAT binary)
