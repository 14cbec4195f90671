COPY perfhouse.logical_chunk (run_id, location_id, chunk_no, format, n_events, n_ends, first_seq, step_first, step_last, t_first,
    t_last, places, metrics, causes, ends, counters) FROM STDIN (FORMAT binary)
