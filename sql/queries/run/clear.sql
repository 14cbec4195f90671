-- Everything that belongs to run $1 but its row.
SELECT perfhouse.clear_run($1::int8)
