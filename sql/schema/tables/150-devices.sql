-- 150-devices.sql - streams of devices in event traces, how kernels were launched, and by whom.
--
-- Runs without devices have no rows here. Distributed by run_id on Citus.

-- A location of a trace whose calls are activities of a device. It has no row in perfhouse.location, since it is no
-- execution unit: what its activities cost stands with the call paths that launched them.
CREATE TABLE perfhouse.trace_stream (
    run_id      int8 NOT NULL,
    location_id int4 NOT NULL,
    rank        int4,                    -- of the process that owns it
    host        text,
    name        text NOT NULL,
    device      int4 NOT NULL,           -- as the process numbers it
    context     int8 NOT NULL,
    stream      int8 NOT NULL,           -- within the context
    lane        int4 NOT NULL,           -- from 1: what ran while the stream was busy
    PRIMARY KEY (run_id, location_id)
);

-- Grid and block of kernels: ACTIVITY events refer to them by local_id + 1.
CREATE TABLE perfhouse.launch_configuration (
    run_id         int8 NOT NULL,
    local_id       int4 NOT NULL,
    grid           int4[] NOT NULL,      -- blocks, x y z
    block          int4[] NOT NULL,      -- threads, x y z
    registers      int4 NOT NULL,        -- a thread
    static_memory  int8 NOT NULL,        -- bytes of shared memory a block
    dynamic_memory int8 NOT NULL,
    PRIMARY KEY (run_id, local_id)
);

-- Beside a chunk of a stream: for each ENTER the call that launched it, packed as links of messages are.
CREATE TABLE perfhouse.launch_chunk (
    run_id      int8 NOT NULL,
    location_id int4 NOT NULL,
    chunk_no    int4 NOT NULL,
    n_links     int4 NOT NULL,
    t_call_min  int8 NOT NULL,           -- when the launching calls were entered
    t_call_max  int8 NOT NULL,
    links       bytea COMPRESSION lz4 NOT NULL,
    crc         int8 NOT NULL,           -- CRC-32C of the other columns, but of run_id
    PRIMARY KEY (run_id, location_id, chunk_no)
);
