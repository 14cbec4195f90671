-- 004-logical.sql - tables of logical time: phases of traces, and steps of their communication events.
--
-- Written by perfhouse.assign_logical_steps as a whole, replaced as a whole. Chunks hold up to 1024
-- events of one location as compressed columns (extension/core/logical_store.h). No foreign keys: see
-- 002. Distributed by run_id on Citus; storage must be set before distribution.

CREATE TABLE perfhouse.logical (
    run_id     int8 PRIMARY KEY,
    version    int4 NOT NULL,            -- of the method: others are assigned anew
    options    jsonb NOT NULL,           -- all of them, as assign_logical_steps takes them
    n_locations int4 NOT NULL,           -- with communication events
    n_events   int8 NOT NULL,            -- communication events
    n_messages int8 NOT NULL,
    n_phases   int4 NOT NULL,
    last_step  int4 NOT NULL,            -- -1: no events
    notes      jsonb NOT NULL,           -- what was odd in the trace, counts by name
    assigned_at timestamptz NOT NULL DEFAULT now()
);

-- Up to 1024 phases a row, one array element each: phases may be as many as messages. phases(run) shows
-- them as rows.
CREATE TABLE perfhouse.phase_chunk (
    run_id        int8 NOT NULL,
    first_phase   int4 NOT NULL,         -- phases count from 0, in order of first steps
    first_step    int4[] NOT NULL,
    last_step     int4[] NOT NULL,
    n_events      int4[] NOT NULL,
    n_locations   int4[] NOT NULL,
    leap          int4[] NOT NULL,       -- longest way from a first phase in the phase graph
    max_lateness  int8[] NOT NULL,       -- ns
    t_first       int8[] NOT NULL,       -- first enter, ns
    t_last        int8[] NOT NULL,       -- last leave, ns
    pattern       text[] NOT NULL,       -- of its exchange; '': it is none
    merge_reason  text[] NOT NULL,       -- the last kind of merge that joined its parts
    merge_reasons text[] NOT NULL,       -- all kinds, each an array literal
    regions       text[] NOT NULL,       -- the functions of its events, by name
    followed_by   text[] NOT NULL,       -- phases that follow it directly on some location, each an array literal
    PRIMARY KEY (run_id, first_phase)
);
ALTER TABLE perfhouse.phase_chunk
    ALTER first_step SET COMPRESSION lz4, ALTER last_step SET COMPRESSION lz4, ALTER n_events SET COMPRESSION lz4,
    ALTER n_locations SET COMPRESSION lz4, ALTER leap SET COMPRESSION lz4, ALTER max_lateness SET COMPRESSION lz4,
    ALTER t_first SET COMPRESSION lz4, ALTER t_last SET COMPRESSION lz4, ALTER pattern SET COMPRESSION lz4,
    ALTER merge_reason SET COMPRESSION lz4, ALTER merge_reasons SET COMPRESSION lz4, ALTER regions SET COMPRESSION lz4,
    ALTER followed_by SET COMPRESSION lz4;

CREATE TABLE perfhouse.logical_chunk (
    run_id      int8 NOT NULL,
    location_id int4 NOT NULL,
    chunk_no    int4 NOT NULL,
    format      int4 NOT NULL,
    n_events    int4 NOT NULL,
    n_ends      int4 NOT NULL,
    first_seq   int4 NOT NULL,           -- communication events of the location before it
    step_first  int4 NOT NULL,
    step_last   int4 NOT NULL,
    t_first     int8 NOT NULL,
    t_last      int8 NOT NULL,
    places      bytea NOT NULL,
    metrics     bytea NOT NULL,
    causes      bytea NOT NULL,
    ends        bytea NOT NULL,
    counters    bytea NOT NULL,
    PRIMARY KEY (run_id, location_id, chunk_no)
);
ALTER TABLE perfhouse.logical_chunk
    ALTER places SET STORAGE EXTERNAL, ALTER metrics SET STORAGE EXTERNAL, ALTER causes SET STORAGE EXTERNAL,
    ALTER ends SET STORAGE EXTERNAL, ALTER counters SET STORAGE EXTERNAL;
