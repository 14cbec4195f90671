COPY perfhouse.run_region (run_id, region_id, local_id, module, raw_file, line, paradigm) FROM STDIN (FORMAT binary)
