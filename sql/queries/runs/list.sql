-- Runs that the run filter $1 selects (null: all that are ready), ordered by the column $4 (null: run_id; totals of different
-- units by unit first), backwards where $5, the last $2 of them only (null: all), with their totals of the metric $3, which
-- may be a derived one (null: of their primary ones). Runs without a value come first either way.
WITH chosen AS (
    SELECT r.*, m.unit
      FROM perfhouse.run r LEFT JOIN perfhouse.metric_overview m ON m.metric_id = r.primary_metric_id
     WHERE r.state = 'ready'
       AND ($1::text IS NULL OR r.run_id IN (SELECT perfhouse.runs_matching($1)))
     ORDER BY r.run_id DESC
     LIMIT CASE WHEN $4::text IS NULL AND NOT $5::boolean THEN $2::int8 END
), asked AS (
    SELECT t.* FROM perfhouse_internal.run_totals($3::text, ARRAY(SELECT run_id FROM chosen)) t WHERE $3::text IS NOT NULL
), shown AS (
    SELECT c.*, CASE WHEN $3::text IS NULL THEN c.total ELSE a.total END AS shown_total,
           CASE WHEN $3::text IS NULL THEN c.unit ELSE a.unit END AS shown_unit,
           CASE WHEN $3::text IS NULL THEN c.metrics[1] ELSE a.metric END AS metric
      FROM chosen c LEFT JOIN asked a USING (run_id)
), keyed AS (
    SELECT s.*, CASE $4::text WHEN 'application' THEN application WHEN 'title' THEN title WHEN 'commit_id' THEN commit_id
               WHEN 'user_name' THEN user_name WHEN 'cluster' THEN cluster WHEN 'total' THEN shown_unit END AS word,
           CASE $4::text WHEN 'n_ranks' THEN n_ranks WHEN 'n_nodes' THEN n_nodes WHEN 'total' THEN shown_total
               WHEN 'started_at' THEN extract(epoch FROM started_at)::float8
               WHEN 'loaded_at' THEN extract(epoch FROM loaded_at)::float8 END AS number
      FROM shown s
), placed AS (
    SELECT k.*, word IS NOT NULL OR number IS NOT NULL AS has_value,
           CASE WHEN $5::boolean THEN -1 ELSE 1 END * row_number() OVER (ORDER BY word, number, run_id) AS place
      FROM keyed k
     ORDER BY has_value DESC, place DESC
     LIMIT $2::int8
)
SELECT run_id, application, title, left(commit_id, 9) AS short_commit, n_ranks, n_nodes,
       shown_total AS total, shown_unit AS unit, metric, to_char(started_at, 'YYYY-MM-DD HH24:MI') AS started,
       concat_ws(' ', nullif(array_to_string(tags, ' '), ''), 'excluded: ' || excluded_reason,
                 CASE WHEN repeat > 0 THEN 'repeat ' || repeat END) AS notes,
       json_build_object('run_id', run_id, 'state', state, 'fingerprint', fingerprint, 'repeat', repeat,
           'application', application, 'title', title, 'commit_id', commit_id, 'branch', branch,
           'started_at', started_at, 'user_name', user_name, 'cluster', cluster, 'n_ranks', n_ranks,
           'n_threads', n_threads, 'n_nodes', n_nodes, 'n_columns', n_columns, 'metrics', metrics,
           'metric', metric, 'total', shown_total, 'unit', shown_unit, 'tags', tags, 'excluded_reason', excluded_reason,
           'format', format, 'source', source, 'loaded_at', loaded_at) AS json
  FROM placed
 ORDER BY has_value, place
