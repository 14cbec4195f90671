-- Call paths on the trees $1 and of the runs $2, parents first.
WITH old AS MATERIALIZED (
    SELECT DISTINCT s.callpath_id FROM perfhouse.profile_summary_1 s WHERE s.run_id = ANY ($2::int8[])
), paths AS (
    SELECT DISTINCT unnest(t.callpath_ids) AS callpath_id FROM perfhouse.call_tree t WHERE t.tree_id = ANY ($1::int8[])
     UNION
    SELECT callpath_id FROM old
)
SELECT c.callpath_id, c.parent_id, c.region_id, c.depth
  FROM perfhouse.callpath c JOIN paths USING (callpath_id)
 ORDER BY c.depth, c.callpath_id
