-- The packed labels $1 without what is hidden ($2, salt $3).
SELECT d.labels_id, perfhouse_internal.hidden_labels(d.labels, $2::text[], $3::text) AS labels
  FROM perfhouse.label_data d
 WHERE d.labels_id = ANY ($1::int8[])
 ORDER BY d.labels_id
