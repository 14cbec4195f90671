COPY perfhouse.chare (run_id, chare_id, type_id, collection, index, processor, name, is_runtime, first_location) FROM STDIN (FORMAT binary)
