-- aliases.sql - numbers of aliases that begin like :prefix.
SELECT alias_id::text, concat_ws(' ', coalesce(name, library, file), 'is', coalesce(to_name, to_library, to_file))
FROM perfhouse.region_alias
WHERE starts_with(alias_id::text, :prefix)
ORDER BY alias_id
LIMIT 200;
