-- Ready runs that the run filter $1 selects (null: all), in order, with about how many values and events each has.
WITH traces AS MATERIALIZED (SELECT t.run_id, t.n_events FROM perfhouse.trace t)
SELECT r.run_id, coalesce(r.n_columns::int8 * r.n_nodes * cardinality(r.metrics), 0) + coalesce(t.n_events, 0) AS size
  FROM perfhouse.run r LEFT JOIN traces t USING (run_id)
 WHERE r.state = 'ready' AND ($1::text IS NULL OR r.run_id IN (SELECT perfhouse.runs_matching($1)))
 ORDER BY r.run_id
