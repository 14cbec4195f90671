-- Drops the events of run $1's trace.
SELECT perfhouse.drop_trace_events($1::int8)
