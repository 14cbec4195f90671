COPY perfhouse.phase_chunk (run_id, first_phase, first_step, last_step, n_events, n_locations, leap, max_lateness, t_first, t_last,
    pattern, merge_reason, merge_reasons, regions, followed_by) FROM STDIN (FORMAT binary)
