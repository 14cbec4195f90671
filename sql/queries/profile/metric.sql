SELECT perfhouse.profile($1::bigint, $2::text)
