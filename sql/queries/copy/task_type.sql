COPY perfhouse.task_type (run_id, type_id, name, dimensions, is_runtime) FROM STDIN (FORMAT binary)
