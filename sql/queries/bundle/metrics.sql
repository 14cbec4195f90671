-- The metrics of a run, the primary one first: those whose trees and values a bundle keeps.
SELECT k.name
  FROM perfhouse.run r, unnest(r.metric_ids) WITH ORDINALITY AS u (metric_id, n)
  JOIN perfhouse.metric_overview k USING (metric_id)
 WHERE r.run_id = $1::int8
 ORDER BY u.n
