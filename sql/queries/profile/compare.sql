-- A run under the names that aliases give it, with one metric ($2; null: the primary one), to be compared.
SELECT perfhouse.apply_aliases(perfhouse.profile($1::bigint, $2::text))
