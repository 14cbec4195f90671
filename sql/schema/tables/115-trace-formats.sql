-- 115-trace-formats.sql - format 2 of what is stored of traces: logical time in blocks of neighbouring locations, and
-- checksums (docs/design/format-2-traces.md). Rows of before have null in these columns.

ALTER TABLE perfhouse.logical_chunk
    ADD COLUMN IF NOT EXISTS last_location int4,              -- of locations location_id to last_location; null: of location_id
    ADD COLUMN IF NOT EXISTS crc int8;               -- CRC-32C of the other columns, but of run_id; null: none was made
