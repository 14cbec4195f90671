-- Does with run $1 what policy $2 asks for; null: it does not any more.
SELECT perfhouse_internal.apply_policy($2, $1::int8)
