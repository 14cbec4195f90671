-- What people decided about regressions, rows $1 of another warehouse ($2 and $3 as in take_runs.sql), where nobody has here.
UPDATE perfhouse.regression t
   SET state = s.state, reason = s.reason, by_search = s.by_search, changed_by = s.changed_by, changed_at = s.changed_at
  FROM jsonb_array_elements($1::jsonb) e
 CROSS JOIN LATERAL jsonb_populate_record(NULL::perfhouse.regression, perfhouse_internal.renumbered(e, $2::jsonb, $3::jsonb)) s
 WHERE (t.application, t.metric_id, t.callpath_id, t.run_id) = (s.application, s.metric_id, s.callpath_id, s.run_id)
   AND (t.n_ranks, t.n_threads, t.cluster) IS NOT DISTINCT FROM (s.n_ranks, s.n_threads, s.cluster)
   AND t.state = 'new' AND s.state <> 'new'
