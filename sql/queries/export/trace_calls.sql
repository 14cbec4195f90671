-- export-trace-calls.sql - calls of a window; $1: run, $2 and $3: from and to in ns or null.
SELECT location, region, enter, leave FROM perfhouse.calls($1::bigint, $2::bigint, $3::bigint);
