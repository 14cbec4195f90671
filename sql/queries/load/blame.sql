-- Store who waited in the trace of run $1 and who caused it; null, or why that failed.
SELECT perfhouse_internal.load_blame($1::int8) AS why
