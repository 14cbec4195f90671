-- Statements that drop what definitions (their text: $1) have no more: views and functions that releases had (their
-- names: $2), and functions of a name that they still have, with other arguments than a definition's comment says.
WITH names AS (
    SELECT DISTINCT m[1] AS kind, m[2] AS name
    FROM pg_catalog.regexp_matches($1 || $2, '(VIEW|FUNCTION|PROCEDURE) perfhouse(?:_internal)?\.(\w+)', 'g') m),
wanted AS (
    SELECT pg_catalog.to_regclass('perfhouse.' || m[1])::oid AS oid
    FROM pg_catalog.regexp_matches($1, 'COMMENT ON VIEW perfhouse\.(\w+)', 'g') m
    UNION ALL
    SELECT pg_catalog.to_regprocedure(m[1])
    FROM pg_catalog.regexp_matches($1, 'COMMENT ON (?:FUNCTION|PROCEDURE) (perfhouse(?:_internal)?\.\w+\([^)]*\))', 'g') m)
SELECT statement FROM (
    SELECT c.oid, pg_catalog.format('DROP VIEW perfhouse.%I', c.relname) AS statement
    FROM pg_catalog.pg_class c JOIN names n ON n.kind = 'VIEW' AND n.name = c.relname
    WHERE c.relnamespace = 'perfhouse'::pg_catalog.regnamespace AND c.relkind = 'v'
    UNION
    SELECT p.oid, pg_catalog.format('DROP ROUTINE %s', p.oid::pg_catalog.regprocedure)
    FROM pg_catalog.pg_proc p JOIN names n ON n.kind <> 'VIEW' AND n.name = p.proname
    WHERE p.pronamespace IN ('perfhouse'::pg_catalog.regnamespace, pg_catalog.to_regnamespace('perfhouse_internal'))
      AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d
                      WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = p.oid AND d.deptype = 'e')) s
WHERE oid NOT IN (SELECT w.oid FROM wanted w WHERE w.oid IS NOT NULL)
ORDER BY oid DESC
