COPY perfhouse.task_entry (run_id, local_id, type_id, name) FROM STDIN (FORMAT binary)
