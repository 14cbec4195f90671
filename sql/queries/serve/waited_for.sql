-- serve_waited_for.sql - the ranks of a trace that others waited for most: seconds of waits that they caused, of how many; no row:
-- none stands out, or nobody knows.
--
-- :run
SELECT 'rows' AS section, to_json(c) AS row
  FROM perfhouse.run_overview r,
       perfhouse_internal.chief_ranks(perfhouse_internal.waiting_profile(r.run_id, false), 'wait caused') c
 WHERE r.run_id = :run::int8 AND r.has_trace AND c.ranks IS NOT NULL;
