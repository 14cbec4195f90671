COPY perfhouse.profile_tree (run_id, n_nodes, tree) FROM STDIN (FORMAT binary)
