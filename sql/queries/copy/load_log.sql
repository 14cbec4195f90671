COPY perfhouse.load_log (run_id, source, outcome, bytes, seconds) FROM STDIN (FORMAT binary)
