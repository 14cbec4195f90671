COPY perfhouse.trace_region (run_id, local_id, region_id, name, paradigm, role) FROM STDIN (FORMAT binary)
