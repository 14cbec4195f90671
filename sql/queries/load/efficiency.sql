-- Store the efficiencies of the trace of run $1; null, or why that failed.
SELECT perfhouse_internal.load_efficiency($1::int8)
