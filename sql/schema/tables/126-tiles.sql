-- 126-tiles.sql - summaries of large traces by location and time, at every zoom (docs/design/format-2-traces.md 4).
--
-- Distributed by run_id on Citus.

CREATE TABLE perfhouse.trace_tile (
    run_id int8 NOT NULL,
    tier   int2 NOT NULL,                -- a row stands for 64^tier locations
    level  int2 NOT NULL,                -- bins of 2^level ns
    block  int4 NOT NULL,                -- rows [block * 64, block * 64 + 64)
    x      int4 NOT NULL,                -- bins [x * 256, x * 256 + 256)
    bytes  bytea COMPRESSION lz4 NOT NULL,               -- core/tiles/tile.h
    crc    int8 NOT NULL,                -- CRC-32C of the other columns, but of run_id
    PRIMARY KEY (run_id, tier, level, block, x)
);

-- Large traces that are there have none yet: version 0 is stale, so doctor --repair makes them.
INSERT INTO perfhouse.derived (run_id, kind, version)
SELECT run_id, 'pyramid', 0 FROM perfhouse.trace WHERE n_events >= 20000000 AND events_dropped_at IS NULL;
