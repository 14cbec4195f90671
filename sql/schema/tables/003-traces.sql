-- 003-traces.sql - tables of event traces: definitions, event chunks, matched messages.
--
-- A location of a trace has the location_id of its row in perfhouse.location; locations behind the last
-- one that has calls (of metrics, say) have no row there.
--
-- Chunks hold up to 16384 events of one location as compressed columns (extension/core/trace_chunk.h);
-- local ids in them (regions, communicators, metrics) count from 0 within the run. No foreign keys: see
-- 002. Distributed by run_id on Citus; storage must be set before distribution.

-- What a trace is and how far to trust it.
CREATE TABLE perfhouse.trace (
    run_id             int8 PRIMARY KEY,
    n_locations        int4 NOT NULL,
    n_events           int8 NOT NULL,
    duration           int8 NOT NULL,          -- ns from the first event to the last
    epoch_ns           int8,                   -- of time 0, since 1970; null: unknown
    n_messages         int8 NOT NULL DEFAULT 0, -- matched pairs
    unmatched_sends    int8 NOT NULL DEFAULT 0,
    unmatched_receives int8 NOT NULL DEFAULT 0,
    reversed_messages  int8 NOT NULL DEFAULT 0, -- received before they were sent
    worst_reversal     int8 NOT NULL DEFAULT 0, -- ns
    n_collectives      int8 NOT NULL DEFAULT 0, -- instances of the application's
    open_calls         int8 NOT NULL DEFAULT 0, -- not left at the end: the trace was cut off
    unknown_records    int8 NOT NULL DEFAULT 0,
    clock              text NOT NULL DEFAULT 'uncorrected' CHECK (clock IN ('uncorrected', 'offsets', 'logical'))
);

-- The programming model that a region belongs to, as measured: mpi, openmp, user, …; null: unknown.
ALTER TABLE perfhouse.run_region ADD COLUMN paradigm text;

CREATE TABLE perfhouse.trace_region (
    run_id    int8 NOT NULL,
    local_id  int4 NOT NULL,             -- as in chunks
    region_id int8 NOT NULL,             -- in the dictionary; regions that no call uses are not there
    name      text NOT NULL,
    paradigm  text NOT NULL DEFAULT '',
    role      text NOT NULL DEFAULT '',
    PRIMARY KEY (run_id, local_id)
);

CREATE TABLE perfhouse.trace_communicator (
    run_id   int8 NOT NULL,
    local_id int4 NOT NULL,
    name     text NOT NULL DEFAULT '',
    parent   int4,
    is_mpi   boolean NOT NULL DEFAULT true,
    members  int4[] NOT NULL,            -- world ranks by rank in the communicator
    PRIMARY KEY (run_id, local_id)
);

CREATE TABLE perfhouse.trace_metric (
    run_id         int8 NOT NULL,
    metric_class   int4 NOT NULL,
    member         int4 NOT NULL,
    name           text NOT NULL,
    unit           text NOT NULL DEFAULT '',
    type           int2 NOT NULL,        -- 0 uint64, 1 int64, 2 double
    is_accumulated boolean NOT NULL,
    scale          float8 NOT NULL,      -- value in unit = stored value * scale
    PRIMARY KEY (run_id, metric_class, member)
);

CREATE TABLE perfhouse.trace_chunk (
    run_id      int8 NOT NULL,
    location_id int4 NOT NULL,
    chunk_no    int4 NOT NULL,
    format      int2 NOT NULL,
    n_events    int4 NOT NULL,
    n_enter     int4 NOT NULL,
    n_message   int4 NOT NULL,
    first_seq   int8 NOT NULL,
    t_prev      int8 NOT NULL,
    t_first     int8 NOT NULL,
    t_last      int8 NOT NULL,
    stack       bytea NOT NULL,
    dt          bytea NOT NULL,
    kind        bytea NOT NULL,
    region      bytea NOT NULL,
    msg         bytea NOT NULL,
    extra       bytea NOT NULL,
    PRIMARY KEY (run_id, location_id, chunk_no)
);
ALTER TABLE perfhouse.trace_chunk
    ALTER stack SET STORAGE EXTERNAL, ALTER dt SET STORAGE EXTERNAL, ALTER kind SET STORAGE EXTERNAL,
    ALTER region SET STORAGE EXTERNAL, ALTER msg SET STORAGE EXTERNAL, ALTER extra SET STORAGE EXTERNAL;

-- Rows are few and small, what they refer to is not: let the planner think of workers all the same.
ALTER TABLE perfhouse.trace_chunk SET (parallel_workers = 8);

-- Where the message of each completed receive of a chunk came from (extension/core/trace_link.h): one
-- row beside each chunk that has receives.
CREATE TABLE perfhouse.message_chunk (
    run_id      int8 NOT NULL,
    location_id int4 NOT NULL,           -- the receiver's
    chunk_no    int4 NOT NULL,
    n_links     int4 NOT NULL,
    t_send_min  int8 NOT NULL,           -- of its matched messages
    t_send_max  int8 NOT NULL,
    links       bytea NOT NULL,
    PRIMARY KEY (run_id, location_id, chunk_no)
);
ALTER TABLE perfhouse.message_chunk ALTER links SET STORAGE EXTERNAL;
