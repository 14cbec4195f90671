-- runs.sql - the runs of an application that match a filter, the newest first.
--
-- :application and :filter, null: any; :limit
SELECT r.run_id, r.application, r.title, r.n_ranks, r.n_threads, left(r.commit_id, 10) AS commit, r.started_at, r.total,
    r.metrics[1] AS metric, r.has_trace
FROM perfhouse.chosen_runs(:application::text, :filter::text) r ORDER BY r.run_id DESC LIMIT :limit::int4;
