-- serve_runs.sql - the runs that are ready and match, a page of them, with their number in _total.
--
-- $1 text in title, application, commit or source; $2 application; $3 run filter (see run_filter_sql);
-- $4 order: a column, with - before it from large to small; $5 limit; $6 offset
WITH chosen AS (
    SELECT r.run_id
      FROM perfhouse.run_overview r
     WHERE ($1::text IS NULL OR position(lower($1) IN lower(concat_ws(' ', r.title, r.application, r.commit_id, r.source))) > 0)
       AND ($2::text IS NULL OR r.application = $2)
       AND ($3::text IS NULL OR r.run_id IN (SELECT perfhouse.runs_matching($3)))
), page AS (
    SELECT o.run_id, row_number() OVER (ORDER BY
               CASE $4 WHEN 'application' THEN o.application WHEN 'title' THEN o.title END ASC NULLS LAST,
               CASE $4 WHEN '-application' THEN o.application WHEN '-title' THEN o.title END DESC NULLS LAST,
               CASE $4 WHEN 'run_id' THEN o.run_id WHEN 'n_ranks' THEN o.n_ranks END ASC NULLS LAST,
               CASE $4 WHEN '-n_ranks' THEN o.n_ranks END DESC NULLS LAST,
               CASE $4 WHEN 'started_at' THEN o.started_at END ASC NULLS LAST,
               CASE $4 WHEN '-started_at' THEN o.started_at END DESC NULLS LAST,
               CASE $4 WHEN 'total' THEN r.total END ASC NULLS LAST,
               CASE $4 WHEN '-total' THEN r.total END DESC NULLS LAST,
               o.run_id DESC) AS place
      FROM perfhouse.run_overview o
      JOIN chosen USING (run_id)
      JOIN perfhouse.run r USING (run_id)
     ORDER BY place
     LIMIT $5::int4 OFFSET $6::int8
)
SELECT o.run_id, o.application, o.title, o.n_ranks, o.n_threads, o.commit_id, o.branch, o.started_at, o.user_name, o.cluster,
       o.format, o.n_nodes, o.metrics, o.metrics[1] AS metric, m.unit,
       r.total,
       o.has_trace, o.tags, o.excluded_reason, o.repeat, o.loaded_at, (SELECT count(*) FROM chosen) AS _total
  FROM page
  JOIN perfhouse.run_overview o USING (run_id)
  JOIN perfhouse.run r USING (run_id)
  LEFT JOIN perfhouse.metric m ON m.metric_id = r.metric_ids[1]
 ORDER BY page.place;
