-- Runs that the run filter $1 selects (null: all that are ready), the newest $2 of them only (null: all), with their
-- totals of the metric $3, which may be a derived one (null: of their primary ones).
WITH chosen AS (
    SELECT r.*, (SELECT m.unit FROM perfhouse.metric_overview m WHERE m.metric_id = r.primary_metric_id) AS unit
      FROM perfhouse.run r
     WHERE r.state = 'ready'
       AND ($1::text IS NULL OR r.run_id IN (SELECT perfhouse.runs_matching($1)))
     ORDER BY r.run_id DESC
     LIMIT $2::int8
), asked AS (
    SELECT t.* FROM perfhouse_internal.run_totals($3::text, ARRAY(SELECT run_id FROM chosen)) t WHERE $3::text IS NOT NULL
), shown AS (
    SELECT c.run_id, CASE WHEN $3::text IS NULL THEN c.total ELSE a.total END AS total,
           CASE WHEN $3::text IS NULL THEN c.unit ELSE a.unit END AS unit,
           CASE WHEN $3::text IS NULL THEN c.metrics[1] ELSE a.metric END AS metric
      FROM chosen c LEFT JOIN asked a USING (run_id)
)
SELECT run_id, application, title, left(commit_id, 9) AS short_commit, n_ranks, n_nodes,
       s.total, s.unit, s.metric, to_char(started_at, 'YYYY-MM-DD HH24:MI') AS started,
       concat_ws(' ', nullif(array_to_string(tags, ' '), ''), 'excluded: ' || excluded_reason,
                 CASE WHEN repeat > 0 THEN 'repeat ' || repeat END) AS notes,
       json_build_object('run_id', run_id, 'state', state, 'fingerprint', fingerprint, 'repeat', repeat,
           'application', application, 'title', title, 'commit_id', commit_id, 'branch', branch,
           'started_at', started_at, 'user_name', user_name, 'cluster', cluster, 'n_ranks', n_ranks,
           'n_threads', n_threads, 'n_nodes', n_nodes, 'n_columns', n_columns, 'metrics', metrics,
           'metric', s.metric, 'total', s.total, 'unit', s.unit, 'tags', tags, 'excluded_reason', excluded_reason,
           'format', format, 'source', source, 'loaded_at', loaded_at) AS json
  FROM chosen JOIN shown s USING (run_id)
 ORDER BY run_id
