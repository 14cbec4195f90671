COPY perfhouse.trace (run_id, n_locations, n_events, duration, epoch_ns, n_messages, unmatched_sends, unmatched_receives,
    reversed_messages, worst_reversal, n_collectives, open_calls, unknown_records, clock) FROM STDIN (FORMAT binary)
