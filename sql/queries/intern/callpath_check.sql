-- Ids that stand for two different call paths. OFFSET 0 makes it one index look-up a row:
-- a join would read the whole dictionary, or with LIMIT in sight compare every row with every other.
SELECT s.callpath_id, format('(%s, %s)', coalesce(s.parent_id, 0), s.region_id),
       format('(%s, %s)', coalesce(c.parent_id, 0), c.region_id)
  FROM unnest($1::int8[], $2::int8[], $3::int8[], $4::int4[]) s (callpath_id, parent_id, region_id, depth)
 CROSS JOIN LATERAL (SELECT d.parent_id, d.region_id, d.depth
                       FROM perfhouse.callpath d
                      WHERE d.callpath_id = s.callpath_id
                     OFFSET 0) c
 WHERE (s.parent_id, s.region_id, s.depth) IS DISTINCT FROM (c.parent_id, c.region_id, c.depth)
 ORDER BY s.callpath_id
 LIMIT 1
