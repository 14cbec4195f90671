-- serve_scaling.sql - what an application loses between numbers of ranks: its newest scaling study, the smallest number first.
--
-- :application, :filter, a run filter, or null
SELECT 'rows' AS section, to_json(found) AS row
  FROM (
    SELECT s.run_id, s.n_ranks, s.n_threads, s.kind, s.parallel, s.computation, s.instructions, s.ipc, s.frequency, s.global, s.reason
    FROM perfhouse.scaling_study(:application::text, :filter::text) s
    ORDER BY s.n_ranks, s.run_id
       ) found;
