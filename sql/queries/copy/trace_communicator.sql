COPY perfhouse.trace_communicator (run_id, local_id, name, parent, is_mpi, members) FROM STDIN (FORMAT binary)
