-- What a report says about run $1 besides its profile.
SELECT r.run_id, r.title, r.application, r.commit_id, r.n_ranks,
       to_char(r.started_at, 'YYYY-MM-DD HH24:MI') AS started, r.residual_cells, r.missing_columns,
       r.excluded_reason,
       (SELECT count(*) FROM perfhouse.run o
         WHERE o.run_id <> r.run_id AND o.state = 'ready' AND o.excluded_reason IS NULL
           AND (o.application, o.commit_id, o.n_ranks)
               IS NOT DISTINCT FROM (r.application, r.commit_id, r.n_ranks)) AS n_repeats
  FROM perfhouse.run r
 WHERE r.run_id = $1::int8 AND r.state = 'ready'
