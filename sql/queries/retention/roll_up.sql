-- Rolls run $1 up.
SELECT perfhouse.roll_up_run($1::int8)
