-- Ids that stand for two different call paths.
SELECT s.callpath_id, format('(%s, %s)', coalesce(s.parent_id, 0), s.region_id),
       format('(%s, %s)', coalesce(c.parent_id, 0), c.region_id)
  FROM pg_temp.stage_callpath s
  JOIN perfhouse.callpath c USING (callpath_id)
 WHERE (s.parent_id, s.region_id, s.depth) IS DISTINCT FROM (c.parent_id, c.region_id, c.depth)
 ORDER BY s.callpath_id
 LIMIT 1
