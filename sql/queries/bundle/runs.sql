-- bundle_runs.sql - what a bundle must know of a run before its pages are made.
--
-- :run
SELECT 'rows' AS section, to_json(found) AS row
  FROM (
    SELECT o.run_id, o.application, o.title, o.n_ranks, o.commit_id, o.started_at, o.has_trace, o.n_events
      FROM perfhouse.run_overview o
     WHERE o.run_id = :run::int8
       ) found;
