COPY perfhouse.task_trace (run_id, model, tick, n_chares, n_blocks) FROM STDIN (FORMAT binary)
