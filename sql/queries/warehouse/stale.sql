-- Statements that drop functions which definitions (their text: $1) made once with other arguments: of the names that
-- the definitions have, those that the transaction which applied number $2 did not write.
SELECT pg_catalog.format('DROP ROUTINE %s', p.oid::pg_catalog.regprocedure)
FROM pg_catalog.pg_proc p
WHERE p.pronamespace = 'perfhouse'::pg_catalog.regnamespace
  AND p.proname IN (SELECT m[1] FROM pg_catalog.regexp_matches($1, '(?:FUNCTION|PROCEDURE) perfhouse\.(\w+)', 'g') m)
  AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d
                  WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = p.oid AND d.deptype = 'e')
  AND p.xmin <> (SELECT v.xmin FROM perfhouse.schema_version v WHERE v.version = $2)
ORDER BY p.oid DESC
