-- Stores run $1 as this release does.
SELECT perfhouse.convert_run($1::int8)
