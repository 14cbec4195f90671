-- serve_runs.sql - the runs that are ready and match, a page of them; in section total their number.
--
-- :search text in title, application, commit or source; :application; :filter run filter (see run_filter_sql);
-- :order: a column, with - before it from large to small; :limit; :offset
WITH chosen AS (
    SELECT r.run_id
      FROM perfhouse.run_overview r
     WHERE (:search::text IS NULL OR position(lower(:search) IN lower(concat_ws(' ', r.title, r.application, r.commit_id, r.source))) > 0)
       AND (:application::text IS NULL OR r.application = :application)
       AND (:filter::text IS NULL OR r.run_id IN (SELECT perfhouse.runs_matching(:filter)))
), page AS (
    SELECT o.run_id, row_number() OVER (ORDER BY
               CASE :order WHEN 'application' THEN o.application WHEN 'title' THEN o.title END ASC NULLS LAST,
               CASE :order WHEN '-application' THEN o.application WHEN '-title' THEN o.title END DESC NULLS LAST,
               CASE :order WHEN 'run_id' THEN o.run_id WHEN 'n_ranks' THEN o.n_ranks END ASC NULLS LAST,
               CASE :order WHEN '-n_ranks' THEN o.n_ranks END DESC NULLS LAST,
               CASE :order WHEN 'started_at' THEN o.started_at END ASC NULLS LAST,
               CASE :order WHEN '-started_at' THEN o.started_at END DESC NULLS LAST,
               CASE :order WHEN 'total' THEN r.total END ASC NULLS LAST,
               CASE :order WHEN '-total' THEN r.total END DESC NULLS LAST,
               o.run_id DESC) AS place
      FROM perfhouse.run_overview o
      JOIN chosen USING (run_id)
      JOIN perfhouse.run r USING (run_id)
     ORDER BY place
     LIMIT :limit::int4 OFFSET :offset::int8
)
SELECT 'rows' AS section, to_json(found) AS row
  FROM (
    SELECT o.run_id, o.application, o.title, o.n_ranks, o.n_threads, o.commit_id, o.branch, o.started_at, o.user_name, o.cluster,
           o.format, o.n_nodes, o.metrics, o.metrics[1] AS metric, m.unit,
           r.total,
           o.has_trace, o.tags, o.excluded_reason, o.repeat, o.loaded_at
      FROM page
      JOIN perfhouse.run_overview o USING (run_id)
      JOIN perfhouse.run r USING (run_id)
      LEFT JOIN perfhouse.metric m ON m.metric_id = r.metric_ids[1]
     ORDER BY page.place
       ) found
UNION ALL
SELECT 'total', to_json(total) FROM (SELECT count(*) AS runs FROM chosen) total;
