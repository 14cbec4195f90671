-- Statements that put machinery where definitions (their text: $1) have it, so that who uses it keeps it: functions that
-- are still in schema perfhouse, with the arguments that a definition's comment says. Those of the extension are its
-- script's business.
SELECT pg_catalog.format('ALTER FUNCTION %s SET SCHEMA perfhouse_internal', p.oid::pg_catalog.regprocedure)
FROM pg_catalog.regexp_matches($1, 'COMMENT ON FUNCTION perfhouse_internal(\.\w+\([^)]*\))', 'g') m
JOIN pg_catalog.pg_proc p ON p.oid = pg_catalog.to_regprocedure('perfhouse' || m[1])
WHERE pg_catalog.to_regprocedure('perfhouse_internal' || m[1]) IS NULL
  AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d
                  WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = p.oid AND d.deptype = 'e')
ORDER BY p.oid
