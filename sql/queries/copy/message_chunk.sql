COPY perfhouse.message_chunk (run_id, location_id, chunk_no, n_links, t_send_min, t_send_max, links) FROM STDIN (FORMAT binary)
