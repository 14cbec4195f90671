-- Forget alias $1.
SELECT perfhouse.remove_alias($1::bigint)
