-- What a report says about run $1 besides its profile.
SELECT r.run_id, r.title, r.application, r.commit_id, r.n_ranks,
       to_char(r.started_at, 'YYYY-MM-DD HH24:MI') AS started, r.residual_cells, r.missing_columns,
       r.excluded_reason, perfhouse_internal.experiment_text(x.keys, x."values") AS experiment, x.experiment IS NULL AS is_alone,
       c.n_comparable, c.n_repeats
  FROM perfhouse.run r
  JOIN perfhouse.run_experiment x USING (run_id)
 CROSS JOIN LATERAL (SELECT count(*) AS n_comparable, count(*) FILTER (WHERE o.commit_id = r.commit_id) AS n_repeats
                       FROM perfhouse.comparable_runs(r.run_id) q (run_id)
                       JOIN perfhouse.run o ON o.run_id = q.run_id) c
 WHERE r.run_id = $1::int8 AND r.state = 'ready'
