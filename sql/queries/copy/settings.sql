-- What people said of the applications of the runs $1, and what was found in them: table and rows, in the order of writing.
WITH applications AS (
    SELECT DISTINCT r.application FROM perfhouse.run r WHERE r.run_id = ANY ($1::int8[])
)
SELECT 'application' AS relation, jsonb_agg(to_jsonb(t)) AS rows FROM perfhouse.application t JOIN applications USING (application)
 UNION ALL
SELECT 'baseline', jsonb_agg(to_jsonb(t)) FROM perfhouse.baseline t JOIN applications USING (application)
 UNION ALL
SELECT 'region_alias', jsonb_agg(to_jsonb(t) ORDER BY t.alias_id) FROM perfhouse.region_alias t
 WHERE t.application IS NULL OR t.application IN (SELECT application FROM applications)
 UNION ALL
SELECT 'exchange_pattern', jsonb_agg(to_jsonb(t)) FROM perfhouse.exchange_pattern t
 WHERE t.application IS NULL OR t.application IN (SELECT application FROM applications)
 UNION ALL
SELECT 'derived_metric', jsonb_agg(to_jsonb(t)) FROM perfhouse.derived_metric t
 UNION ALL
SELECT 'regression', jsonb_agg(to_jsonb(t) ORDER BY t.regression_id) FROM perfhouse.regression t WHERE t.run_id = ANY ($1::int8[])
