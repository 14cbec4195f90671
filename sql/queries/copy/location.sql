COPY perfhouse.location (run_id, location_id, kind, rank, thread, host, name, iteration) FROM STDIN (FORMAT binary)
