-- export-table-calls.sql - calls of a window of a run's trace; $1: run, $2 and $3: from and to in ns or null.
SELECT * FROM perfhouse.calls($1::bigint, $2::bigint, $3::bigint);
