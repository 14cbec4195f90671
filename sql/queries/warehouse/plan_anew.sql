-- Statements for functions whose queries are planned before their arguments are known, because nodes can only be chosen when
-- they are: generic plans are given up, and what SQL functions ask is asked by PL/pgSQL. Names mean columns first in both.
WITH read AS (
    SELECT p.oid, p.proretset, pg_catalog.btrim(p.prosrc, E' \t\n') AS body,
           pg_catalog.regexp_replace(pg_catalog.split_part(pg_catalog.pg_get_functiondef(p.oid), E'\nAS $function$', 1),
               E'\n LANGUAGE sql', E'\n LANGUAGE plpgsql') AS head,
           (SELECT pg_catalog.string_agg(pg_catalog.quote_ident(a.name), ', ' ORDER BY a.place)
            FROM ROWS FROM (pg_catalog.unnest(p.proargnames), pg_catalog.unnest(p.proargmodes))
                WITH ORDINALITY a (name, mode, place) WHERE a.mode = 'o') AS results
    FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_language l ON l.oid = p.prolang AND l.lanname = 'sql'
    WHERE p.pronamespace IN ('perfhouse'::pg_catalog.regnamespace, 'perfhouse_internal'::pg_catalog.regnamespace)
      AND p.prosqlbody IS NULL AND p.proconfig IS NOT NULL AND p.pronargs > 0 AND p.prokind = 'f'
      AND p.prosrc ~ 'perfhouse\.\w+' AND NOT EXISTS ( -- a result named as an argument is
          SELECT FROM pg_catalog.unnest(p.proargnames) a (name) WHERE a.name <> '' GROUP BY a.name HAVING count(*) > 1)
      AND NOT EXISTS (
          SELECT FROM pg_catalog.pg_depend d
          WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = p.oid AND d.deptype = 'e'))
SELECT pg_catalog.format(E'%s\nAS %L', r.head, pg_catalog.format(E'#variable_conflict use_column\nBEGIN\n    %s;\nEND',
           CASE WHEN r.proretset THEN 'RETURN QUERY ' || r.body
                WHEN r.results IS NULL THEN 'RETURN (' || r.body || ')'
                ELSE pg_catalog.format('SELECT q.* INTO %s FROM (%s) q', r.results, r.body) END)) AS statement
FROM read r
UNION ALL
SELECT pg_catalog.format('ALTER FUNCTION %s RESET plan_cache_mode', p.oid::pg_catalog.regprocedure)
FROM pg_catalog.pg_proc p
WHERE p.pronamespace IN ('perfhouse'::pg_catalog.regnamespace, 'perfhouse_internal'::pg_catalog.regnamespace)
  AND 'plan_cache_mode=force_generic_plan' = ANY (p.proconfig)
