-- Regressions of application $1 (null: of all) in the states $2 (null: any), open ones first.
SELECT r.regression_id, r.state, r.application, r.path, left(r.commit_id, 9) AS short_commit, r.n_ranks,
       to_char(r.mean_before, 'FM999999990.000000') AS before, to_char(r.mean_after, 'FM999999990.000000') AS after,
       to_char(100 * r.relative, 'FMS999999990.0') || ' %' AS relative, to_char(r.lost_node_hours, 'FM999999990.000') AS lost,
       r.subject, r.reason,
       json_build_object('regression_id', r.regression_id, 'state', r.state, 'application', r.application, 'path', r.path,
           'commit_id', r.commit_id, 'previous_commit_id', r.previous_commit_id, 'subject', r.subject, 'run_id', r.run_id, 'metric',
           r.metric,
           'unit', r.unit, 'n_ranks', r.n_ranks, 'n_threads', r.n_threads, 'cluster', r.cluster, 'mean_before', r.mean_before,
           'mean_after', r.mean_after, 'relative', r.relative, 'own_change', r.own_change, 'total_change', r.total_change,
           'p_value', r.p_value, 'q_value', r.q_value, 'n_before', r.n_before, 'n_after', r.n_after,
           'lost_node_hours', r.lost_node_hours, 'reason', r.reason, 'changed_by', r.changed_by, 'found_at', r.found_at,
           'changed_at', r.changed_at) AS json
  FROM perfhouse.regression_overview r
 WHERE ($1::text IS NULL OR r.application = $1)
   AND ($2::text[] IS NULL OR r.state = ANY ($2))
 ORDER BY array_position('{new,active,fixed,ignored}', r.state), r.lost_node_hours DESC NULLS LAST, r.regression_id
