-- Regions on the call trees $1, of the labels $2 and of the runs $3.
WITH paths AS (
    SELECT DISTINCT unnest(t.callpath_ids) AS callpath_id FROM perfhouse.call_tree t WHERE t.tree_id = ANY ($1::int8[])
), labelled AS (
    SELECT l.region_id FROM perfhouse.label_data d CROSS JOIN LATERAL perfhouse_internal.label_rows(d.labels) l
     WHERE d.labels_id = ANY ($2::int8[])
), of_traces AS MATERIALIZED (
    SELECT g.region_id FROM perfhouse.trace_region g WHERE g.run_id = ANY ($3::int8[])
), old AS MATERIALIZED (
    SELECT g.region_id FROM perfhouse.run_region_1 g WHERE g.run_id = ANY ($3::int8[])
), old_paths AS MATERIALIZED (
    SELECT DISTINCT s.callpath_id FROM perfhouse.profile_summary_1 s WHERE s.run_id = ANY ($3::int8[])
)
SELECT g.region_id, g.kind, g.name, g.library, g.file, g.line
  FROM perfhouse.region g
 WHERE g.region_id IN (SELECT c.region_id FROM perfhouse.callpath c JOIN paths USING (callpath_id)
                        UNION SELECT c.region_id FROM perfhouse.callpath c JOIN old_paths USING (callpath_id)
                        UNION SELECT region_id FROM labelled
                        UNION SELECT region_id FROM of_traces
                        UNION SELECT region_id FROM old)
 ORDER BY g.region_id
