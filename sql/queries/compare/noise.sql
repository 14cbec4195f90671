-- How far runs of the experiment of run $1 scatter as a whole, when metric $2 (null: any) is its primary one: spread as a share of
-- the level, degrees of freedom of that, runs, the metric.
SELECT k.relative, k.degrees, k.n_runs, r.metrics[1]
  FROM perfhouse.known_noise($1::bigint) k
  JOIN perfhouse.run r ON r.run_id = $1::bigint AND r.metrics[1] = coalesce($2::text, r.metrics[1])
 WHERE k.callpath_id IS NULL AND k.relative IS NOT NULL
