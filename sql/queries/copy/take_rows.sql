-- Rows $2 of another warehouse's table $1; $3 and $4 as in take_runs.sql. How many went in.
SELECT perfhouse_internal.take_rows($1::name, $2::jsonb, $3::jsonb, $4::jsonb)
