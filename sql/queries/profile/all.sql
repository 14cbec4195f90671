SELECT perfhouse.profile($1::bigint, NULL::text[])
