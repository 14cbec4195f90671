-- The function of schema perfhouse whose name is $1 or nearest to it, and whether it is the name; no row: none is near.
SELECT p.name, p.name = $1::text
  FROM (SELECT DISTINCT proname::text FROM pg_catalog.pg_proc WHERE pronamespace = 'perfhouse'::regnamespace) p (name),
       LATERAL (SELECT perfhouse.name_likeness(p.name, $1::text)) l (likeness)
 WHERE l.likeness >= 0.5 ORDER BY l.likeness DESC, p.name LIMIT 1
