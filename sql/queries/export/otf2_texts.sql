-- export-otf2-texts.sql - texts that events of a run's trace refer to; $1: run.
SELECT number, text FROM perfhouse.trace_text WHERE run_id = $1::bigint ORDER BY number;
