-- Runs with results that are lost, or that another version of their method stored, which readers refuse, and which. Of pyramids,
-- blame and efficiencies they do without.
SELECT run_id, string_agg(kind, ', ' ORDER BY kind)
  FROM (SELECT run_id, kind FROM perfhouse.run_derived WHERE is_stale AND kind NOT IN ('blame', 'efficiency', 'pyramid')
        UNION SELECT run_id, 'summaries' FROM perfhouse.run_without_summaries) d
 GROUP BY run_id
 ORDER BY run_id
