-- Sorted by id, so that concurrent loaders wait for each other in one order only.
INSERT INTO perfhouse.region (region_id, kind, name, library, file, line)
SELECT s.region_id, s.kind, s.name, s.library, s.file, s.line
  FROM pg_temp.stage_region s
 ORDER BY s.region_id
ON CONFLICT (region_id) DO NOTHING
