-- Sorted by id, so that concurrent loaders wait for each other in one order only. What is there already costs one look-up
-- in the index.
INSERT INTO perfhouse.callpath (callpath_id, parent_id, region_id, depth)
SELECT s.callpath_id, s.parent_id, s.region_id, s.depth
  FROM unnest($1::int8[], $2::int8[], $3::int8[], $4::int4[]) s (callpath_id, parent_id, region_id, depth)
 ORDER BY s.callpath_id
ON CONFLICT (callpath_id) DO NOTHING
