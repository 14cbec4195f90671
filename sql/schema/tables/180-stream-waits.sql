-- 180-stream-waits.sql - whether activities of a trace say which other stream they had to wait for.
ALTER TABLE perfhouse.trace ADD COLUMN IF NOT EXISTS n_stream_waits int8 NOT NULL DEFAULT 0;
COMMENT ON COLUMN perfhouse.trace.n_stream_waits IS
    'activities of devices that had to wait for another stream, as events record it (stream_waits)';
