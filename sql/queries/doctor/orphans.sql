-- Dictionary rows that no stored tree or run uses: call paths on no stored path, then regions without any.
-- $1: remove them, which only doctor-alone.sql allows.
WITH RECURSIVE used (callpath_id) AS (
    SELECT p.callpath_id FROM (SELECT DISTINCT unnest(t.callpath_ids) AS callpath_id FROM perfhouse.call_tree t
                               UNION SELECT s.callpath_id FROM perfhouse.profile_summary_1 s) p
    UNION
    SELECT c.parent_id FROM used JOIN perfhouse.callpath c USING (callpath_id) WHERE c.parent_id IS NOT NULL
), orphan_paths AS (
    SELECT callpath_id FROM perfhouse.callpath WHERE callpath_id NOT IN (SELECT callpath_id FROM used)
), labelled AS MATERIALIZED (
    SELECT DISTINCT l.region_id FROM perfhouse.label_set s JOIN perfhouse.label_data d USING (labels_id)
    CROSS JOIN LATERAL perfhouse_internal.label_rows( -- damaged ones are check_run's business
        CASE WHEN perfhouse_internal.crc32c(d.labels) = s.crc THEN d.labels END) l
), orphan_regions AS (
    SELECT region_id FROM perfhouse.region g
    WHERE NOT EXISTS (SELECT FROM perfhouse.callpath c WHERE c.region_id = g.region_id
                      AND c.callpath_id NOT IN (SELECT callpath_id FROM orphan_paths))
      AND NOT EXISTS (SELECT FROM labelled l WHERE l.region_id = g.region_id)
      AND NOT EXISTS (SELECT FROM perfhouse.run_region_1 r WHERE r.region_id = g.region_id)
), removed_paths AS (
    DELETE FROM perfhouse.callpath WHERE $1::boolean AND callpath_id IN (SELECT callpath_id FROM orphan_paths)
), removed_regions AS (
    DELETE FROM perfhouse.region WHERE $1::boolean AND region_id IN (SELECT region_id FROM orphan_regions)
)
SELECT (SELECT count(*) FROM orphan_paths) AS callpaths, (SELECT count(*) FROM orphan_regions) AS regions
