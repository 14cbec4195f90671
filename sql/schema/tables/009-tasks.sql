-- 009-tasks.sql - tables of task-based programs (Charm++ and others): what their traces have beyond messages.
--
-- Processors are the locations of the trace; a serial block is a call in trace_chunk, with records beside it
-- (extension/core/task_records.h) that give its chare. Chares are here. Distributed by run_id on Citus.

-- A run of a task-based program.
CREATE TABLE perfhouse.task_trace (
    run_id   int8 PRIMARY KEY,
    model    text NOT NULL,              -- charm++, hpx, …
    tick     int4 NOT NULL,              -- ns: the resolution of the source's times
    n_chares int4 NOT NULL,
    n_blocks int8 NOT NULL               -- serial blocks; one that is reopened counts again
);

-- Types of chares (classes of data).
CREATE TABLE perfhouse.task_type (
    run_id     int8 NOT NULL,
    type_id    int4 NOT NULL,
    name       text NOT NULL,
    dimensions int4,                     -- of its index; null: not an array
    is_runtime boolean NOT NULL,         -- belongs to the run time system
    PRIMARY KEY (run_id, type_id)
);

-- Entry methods: the regions of the trace that serial blocks are of.
CREATE TABLE perfhouse.task_entry (
    run_id   int8 NOT NULL,
    local_id int4 NOT NULL,              -- as in trace_region
    type_id  int4 NOT NULL,
    name     text NOT NULL,              -- without its chare
    PRIMARY KEY (run_id, local_id)
);

CREATE TABLE perfhouse.chare (
    run_id     int8 NOT NULL,
    chare_id   int4 NOT NULL,            -- by type, collection, index, processor; as in chunks
    type_id    int4 NOT NULL,
    collection int4,                     -- the array that it is an element of; null: unknown or none
    index      int4[],                   -- null: not an element of an array
    processor  int4,                     -- of those that a processor has one of each; null: any
    name       text,                     -- null: told by type and index
    is_runtime boolean NOT NULL,
    first_location int4 NOT NULL,        -- where it was seen first
    PRIMARY KEY (run_id, chare_id)
);

-- Logical time of tasks, beside the tables of 004: its locations are chares, and one more a processor for the
-- chares of the run time there.
CREATE TABLE perfhouse.logical_timeline (
    run_id      int8 NOT NULL,
    location_id int4 NOT NULL,           -- as in logical_chunk: chares by type, collection, index; then run times
    name        text NOT NULL,
    is_runtime  boolean NOT NULL,
    chare_id    int4,                    -- null: the run time of a processor
    first_location int4 NOT NULL,        -- the processor where it was seen first, as in trace_chunk
    PRIMARY KEY (run_id, location_id)
);
ALTER TABLE perfhouse.logical_chunk ADD tasks bytea;       -- null: of processes
ALTER TABLE perfhouse.logical_chunk ALTER tasks SET STORAGE EXTERNAL;
-- Null: of processes.
ALTER TABLE IF EXISTS perfhouse.phase_chunk
    ADD is_runtime   boolean[],          -- has events of the run time, or of whom it exchanges messages with
    ADD imbalance    int8[],             -- greatest less least load of all processors, ns
    ADD max_idle     int8[],             -- greatest idle experienced among its events, ns
    ADD max_duration int8[];             -- greatest differential duration among its events, ns
ALTER TABLE IF EXISTS perfhouse.phase_chunk
    ALTER is_runtime SET COMPRESSION lz4, ALTER imbalance SET COMPRESSION lz4, ALTER max_idle SET COMPRESSION lz4,
    ALTER max_duration SET COMPRESSION lz4;
