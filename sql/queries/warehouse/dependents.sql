-- What uses the extension's functions or the warehouse's views and functions (the definitions' text, and names of
-- releases: $1) and is none of them: one line of text, null when there is nothing.
WITH defined AS (
    SELECT DISTINCT m[1] AS name
    FROM pg_catalog.regexp_matches($1, '(?:VIEW|FUNCTION|PROCEDURE) perfhouse(?:_internal)?\.(\w+)', 'g') m),
ours AS (
    SELECT 'pg_catalog.pg_class'::pg_catalog.regclass AS class, c.oid FROM pg_catalog.pg_class c
    WHERE c.relnamespace = 'perfhouse'::pg_catalog.regnamespace AND c.relkind = 'v' AND c.relname IN (SELECT name FROM defined)
    UNION ALL
    SELECT 'pg_catalog.pg_proc'::pg_catalog.regclass, p.oid FROM pg_catalog.pg_proc p
    WHERE p.pronamespace IN ('perfhouse'::pg_catalog.regnamespace, pg_catalog.to_regnamespace('perfhouse_internal'))
      AND p.proname IN (SELECT name FROM defined)
    UNION
    SELECT d.classid::pg_catalog.regclass, d.objid
    FROM pg_catalog.pg_depend d
    JOIN pg_catalog.pg_extension e ON d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass AND d.refobjid = e.oid
    WHERE e.extname = 'perfhouse' AND d.deptype = 'e' AND d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass),
users AS (
    SELECT CASE WHEN w.oid IS NOT NULL THEN 'pg_catalog.pg_class'::pg_catalog.regclass ELSE d.classid::pg_catalog.regclass END AS class,
           coalesce(w.ev_class, d.objid) AS oid
    FROM ours o
    JOIN pg_catalog.pg_depend d ON d.refclassid = o.class AND d.refobjid = o.oid AND d.deptype = 'n'
    LEFT JOIN pg_catalog.pg_rewrite w ON d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND w.oid = d.objid)
SELECT pg_catalog.string_agg(DISTINCT pg_catalog.pg_describe_object(u.class, u.oid, 0), ', ')
FROM users u
WHERE NOT EXISTS (SELECT FROM ours o WHERE o.class = u.class AND o.oid = u.oid)
  AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = u.class AND d.objid = u.oid AND d.deptype = 'e')
