-- A run with all of its metrics under the names that aliases give it, to be judged.
SELECT perfhouse.apply_aliases(perfhouse.profile($1::bigint, NULL::text[]))
