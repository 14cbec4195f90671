-- 116-phase-blocks.sql - phases of processes, packed, and checksums of event chunks and links (docs/design/format-2-traces.md).
--
-- Phases of tasks, and those that release 0.1.0 stored, are in phase_chunk. Distributed by run_id on Citus.

CREATE TABLE perfhouse.phase_block (
    run_id      int8 NOT NULL,
    first_phase int4 NOT NULL,           -- phases count from 0, in order of first steps
    n_phases    int4 NOT NULL,
    packed      bytea COMPRESSION lz4 NOT NULL,          -- extension/core/logical/store/phases.h
    crc         int8 NOT NULL,           -- CRC-32C of the other columns, but of run_id
    PRIMARY KEY (run_id, first_phase)
);

-- CRC-32C of the other columns, but of run_id; null: none was made.
ALTER TABLE perfhouse.trace_chunk ADD COLUMN IF NOT EXISTS crc int8;
ALTER TABLE perfhouse.message_chunk ADD COLUMN IF NOT EXISTS crc int8;
