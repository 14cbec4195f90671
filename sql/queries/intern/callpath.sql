-- Sorted by id, so that concurrent loaders wait for each other in one order only. OFFSET 0 makes it one index look-up
-- a staged row: a join would read the whole dictionary.
INSERT INTO perfhouse.callpath (callpath_id, parent_id, region_id, depth)
SELECT s.callpath_id, s.parent_id, s.region_id, s.depth
  FROM pg_temp.stage_callpath s
 WHERE NOT EXISTS (SELECT 1 FROM perfhouse.callpath c WHERE c.callpath_id = s.callpath_id OFFSET 0)
 ORDER BY s.callpath_id
ON CONFLICT DO NOTHING
