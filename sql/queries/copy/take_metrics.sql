-- Metrics $1 of another warehouse: their numbers here, by those there.
SELECT n.key::int4, n.value::int4 FROM jsonb_each_text(perfhouse_internal.take_metrics($1::jsonb)) n ORDER BY 1
