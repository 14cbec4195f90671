-- Runs with results that another version of their method stored, which readers refuse, and which. Of pyramids they do without.
SELECT run_id, string_agg(kind, ', ' ORDER BY kind)
  FROM perfhouse.run_derived
 WHERE is_stale AND kind <> 'pyramid'
 GROUP BY run_id
 ORDER BY run_id
