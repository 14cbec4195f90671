-- Whether a run has a profile and a trace, and of how many events.
SELECT EXISTS (SELECT 1 FROM perfhouse.profile_tree p WHERE p.run_id = o.run_id), o.has_trace, coalesce(o.n_events, 0)
  FROM perfhouse.run_overview o
 WHERE o.run_id = $1::int8
