-- Which of the three roles are missing, and does PUBLIC have rights on the schemas?
SELECT pg_catalog.string_agg(name, ', ' ORDER BY name) AS missing,
       pg_catalog.has_schema_privilege('public', 'perfhouse', 'USAGE')
           OR pg_catalog.has_schema_privilege('public', 'perfhouse_internal', 'USAGE') AS public_usage
FROM (VALUES ('perfhouse_admin'), ('perfhouse_loader'), ('perfhouse_reader')) AS wanted (name)
WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = name)
