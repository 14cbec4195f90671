-- Statements that drop the views and functions that definitions (their text, and names of releases: $1) made, what uses
-- others before these. Kept is what an object of somebody else uses, and what that rests on. Names that no definition
-- has are not ours; functions of the extension are its script's business.
WITH RECURSIVE defined AS (
    SELECT DISTINCT m[1] AS name
    FROM pg_catalog.regexp_matches($1, '(?:VIEW|FUNCTION|PROCEDURE) perfhouse(?:_internal)?\.(\w+)', 'g') m),
ours AS (
    SELECT 'pg_catalog.pg_class'::pg_catalog.regclass::oid AS class, c.oid,
           pg_catalog.format('DROP VIEW perfhouse.%I', c.relname) AS statement
    FROM pg_catalog.pg_class c
    WHERE c.relnamespace = 'perfhouse'::pg_catalog.regnamespace AND c.relkind = 'v' AND c.relname IN (SELECT name FROM defined)
    UNION ALL
    SELECT 'pg_catalog.pg_proc'::pg_catalog.regclass, p.oid, pg_catalog.format('DROP ROUTINE %s', p.oid::pg_catalog.regprocedure)
    FROM pg_catalog.pg_proc p
    WHERE p.pronamespace IN ('perfhouse'::pg_catalog.regnamespace, pg_catalog.to_regnamespace('perfhouse_internal'))
      AND p.proname IN (SELECT name FROM defined)
      AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d
                      WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = p.oid AND d.deptype = 'e')),
uses AS ( -- a view's uses are its rule's; who uses a row type uses its relation
    SELECT DISTINCT CASE WHEN w.oid IS NULL THEN d.classid ELSE 'pg_catalog.pg_class'::pg_catalog.regclass END AS class,
           coalesce(w.ev_class, d.objid) AS oid, o.class AS used_class, o.oid AS used_oid
    FROM pg_catalog.pg_depend d
    LEFT JOIN pg_catalog.pg_rewrite w ON d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND w.oid = d.objid
    LEFT JOIN pg_catalog.pg_type t ON d.refclassid = 'pg_catalog.pg_type'::pg_catalog.regclass AND t.oid = d.refobjid
    LEFT JOIN pg_catalog.pg_type e ON e.typarray = t.oid
    JOIN ours o ON o.class = d.refclassid AND o.oid = d.refobjid
        OR o.class = 'pg_catalog.pg_class'::pg_catalog.regclass AND o.oid IN (t.typrelid, e.typrelid)
    WHERE d.deptype = 'n' AND (o.class, o.oid) <> (CASE WHEN w.oid IS NULL THEN d.classid ELSE o.class END, coalesce(w.ev_class, d.objid))),
kept AS (
    SELECT u.used_class AS class, u.used_oid AS oid FROM uses u
    WHERE NOT EXISTS (SELECT FROM ours o WHERE o.class = u.class AND o.oid = u.oid)
    UNION
    SELECT u.used_class, u.used_oid FROM kept k JOIN uses u ON u.class = k.class AND u.oid = k.oid),
levels AS (
    SELECT o.class, o.oid, 0 AS level FROM ours o
    UNION
    SELECT u.used_class, u.used_oid, l.level + 1 FROM levels l JOIN uses u ON u.class = l.class AND u.oid = l.oid)
SELECT o.statement FROM ours o JOIN levels l USING (class, oid)
WHERE NOT EXISTS (SELECT FROM kept k WHERE k.class = o.class AND k.oid = o.oid)
GROUP BY o.class, o.oid, o.statement ORDER BY max(l.level), o.oid DESC
