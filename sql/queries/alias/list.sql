-- Aliases of an application ($1) and of all applications; null: every alias.
SELECT a.alias_id::text AS id, a.application, a.name, a.library, a.file, a.to_name, a.to_library, a.to_file,
       CASE WHEN a.is_pattern THEN 'pattern' ELSE '' END AS kind, a.set_by, to_char(a.set_at, 'YYYY-MM-DD') AS set_at, a.reason,
       to_json(a)::text AS json
FROM perfhouse.region_alias a
WHERE $1::text IS NULL OR a.application IS NULL OR a.application = $1::text
ORDER BY a.alias_id
