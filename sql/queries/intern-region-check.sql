-- Ids that stand for two different regions.
SELECT s.region_id, quote_literal(s.name), quote_literal(r.name)
  FROM pg_temp.stage_region s
  JOIN perfhouse.region r USING (region_id)
 WHERE (s.kind, s.name, s.library, s.file, s.line)
       IS DISTINCT FROM (r.kind, r.name, r.library, r.file, r.line)
 ORDER BY s.region_id
 LIMIT 1
