-- Sorted by id, so that concurrent loaders wait for each other in one order only.
INSERT INTO perfhouse.callpath (callpath_id, parent_id, region_id, depth)
SELECT s.callpath_id, s.parent_id, s.region_id, s.depth
  FROM pg_temp.stage_callpath s
 WHERE NOT EXISTS (SELECT 1 FROM perfhouse.callpath c WHERE c.callpath_id = s.callpath_id)
 ORDER BY s.callpath_id
ON CONFLICT DO NOTHING
