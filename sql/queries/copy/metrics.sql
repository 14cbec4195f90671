-- Metrics of the runs $1, with those that ratios are of, as one array of rows.
WITH used AS (SELECT DISTINCT unnest(r.metric_ids) AS metric_id FROM perfhouse.run r WHERE r.run_id = ANY ($1::int8[]))
SELECT coalesce(jsonb_agg(to_jsonb(m)), '[]')
  FROM perfhouse.metric m
 WHERE m.metric_id IN (SELECT metric_id FROM used)
    OR m.metric_id IN (SELECT unnest(ARRAY[o.numerator_id, o.denominator_id]) FROM perfhouse.metric o JOIN used USING (metric_id))
