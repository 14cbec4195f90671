COPY perfhouse.region_summary (run_id, region_id, metric_id, n_nodes, inclusive, exclusive, min, max) FROM STDIN (FORMAT binary)
