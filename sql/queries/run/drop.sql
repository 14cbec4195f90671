-- Run $1 was not finished: it goes.
SELECT perfhouse.drop_run($1::int8)
