-- Sorted by id, so that concurrent loaders wait for each other in one order only. OFFSET 0: see intern-callpath.sql.
INSERT INTO perfhouse.region (region_id, kind, name, library, file, line)
SELECT s.region_id, s.kind, s.name, s.library, s.file, s.line
  FROM pg_temp.stage_region s
 WHERE NOT EXISTS (SELECT 1 FROM perfhouse.region r WHERE r.region_id = s.region_id OFFSET 0)
 ORDER BY s.region_id
ON CONFLICT DO NOTHING
