-- Statements that drop the views and functions that definitions (their text: $1) made, and the extension's functions:
-- what was made last first. Names that no definition has are not ours.
WITH defined AS (
    SELECT DISTINCT m[1] AS name
    FROM pg_catalog.regexp_matches($1, '(?:VIEW|FUNCTION|PROCEDURE) perfhouse\.(\w+)', 'g') m),
members AS (
    SELECT d.objid FROM pg_catalog.pg_depend d
    JOIN pg_catalog.pg_extension e ON d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass AND d.refobjid = e.oid
    WHERE e.extname = 'perfhouse' AND d.deptype = 'e' AND d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass)
SELECT statement FROM (
    SELECT c.oid, pg_catalog.format('DROP VIEW perfhouse.%I', c.relname) AS statement
    FROM pg_catalog.pg_class c
    WHERE c.relnamespace = 'perfhouse'::pg_catalog.regnamespace AND c.relkind = 'v' AND c.relname IN (SELECT name FROM defined)
    UNION ALL
    SELECT p.oid, CASE WHEN p.oid IN (SELECT objid FROM members)
                       THEN pg_catalog.format('ALTER EXTENSION perfhouse DROP ROUTINE %1$s; DROP ROUTINE %1$s', p.oid::pg_catalog.regprocedure)
                       ELSE pg_catalog.format('DROP ROUTINE %s', p.oid::pg_catalog.regprocedure) END
    FROM pg_catalog.pg_proc p
    WHERE p.pronamespace = 'perfhouse'::pg_catalog.regnamespace
      AND (p.oid IN (SELECT objid FROM members) OR p.proname IN (SELECT name FROM defined))) d
ORDER BY oid DESC
