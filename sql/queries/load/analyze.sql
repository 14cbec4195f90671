-- $1: how many runs were loaded.
SELECT perfhouse_internal.analyze_loaded($1::bigint)
