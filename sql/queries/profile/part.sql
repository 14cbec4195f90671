-- Run $1 with one metric ($3; null: the primary one), of ranks $4, below the call path $5 and in the window from $6 to $7 of its
-- trace (null: all); $2: under the names that aliases give it, by which the call path is then named.
SELECT perfhouse_internal.part_of_run($1::bigint, ARRAY[$3::text], $4::int4[], $5::text, $6::bigint, $7::bigint, false, $2::boolean)
