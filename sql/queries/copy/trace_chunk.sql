COPY perfhouse.trace_chunk (run_id, location_id, chunk_no, format, n_events, n_enter, n_message, first_seq, t_prev, t_first, t_last,
    stack, dt, kind, region, msg, extra) FROM STDIN (FORMAT binary)
