-- Ids that stand for two different call paths. Materialized: with LIMIT in sight the planner would
-- take a nested loop without index, quadratic in the staged paths.
WITH differing AS MATERIALIZED (
    SELECT s.callpath_id,
           format('(%s, %s)', coalesce(s.parent_id, 0), s.region_id) AS staged,
           format('(%s, %s)', coalesce(c.parent_id, 0), c.region_id) AS known
      FROM pg_temp.stage_callpath s
      JOIN perfhouse.callpath c USING (callpath_id)
     WHERE (s.parent_id, s.region_id, s.depth) IS DISTINCT FROM (c.parent_id, c.region_id, c.depth))
SELECT callpath_id, staged, known FROM differing ORDER BY callpath_id LIMIT 1
