-- Runs that are ready and pass every filter that is not null: $1 application, $2 beginning of the commit, $3 branch,
-- $4 tag, $5 user, $6 cluster, $7 ranks, $8 format, $9 since, $10 until (a time, or an age such as 7d), $11 text, $12 the newest N only.
WITH chosen AS (
    SELECT r.*, (SELECT m.unit FROM perfhouse.metric m WHERE m.metric_id = r.metric_ids[1]) AS unit
      FROM perfhouse.run r
     WHERE r.state = 'ready'
       AND ($1::text IS NULL OR r.application = $1)
       AND ($2::text IS NULL OR starts_with(r.commit_id, lower($2)))
       AND ($3::text IS NULL OR r.branch = $3)
       AND ($4::text IS NULL OR r.tags @> ARRAY[$4])
       AND ($5::text IS NULL OR r.user_name = $5)
       AND ($6::text IS NULL OR r.cluster = $6)
       AND ($7::int4 IS NULL OR r.n_ranks = $7)
       AND ($8::text IS NULL OR r.format = $8)
       AND ($9::text IS NULL OR coalesce(r.started_at, r.loaded_at) >= CASE
             WHEN $9 ~ '^[0-9]+ *[smhdwSMHDW]' THEN now() - $9::interval ELSE $9::timestamptz END)
       AND ($10::text IS NULL OR coalesce(r.started_at, r.loaded_at) <= CASE
             WHEN $10 ~ '^[0-9]+ *[smhdwSMHDW]' THEN now() - $10::interval ELSE $10::timestamptz END)
       AND ($11::text IS NULL OR position(lower($11) IN lower(concat_ws(' ', r.title, r.application, r.source))) > 0)
     ORDER BY r.run_id DESC
     LIMIT $12::int8
)
SELECT run_id, application, title, left(commit_id, 9) AS short_commit, n_ranks, n_nodes,
       to_char(total, 'FM999999999990.000') || coalesce(' ' || nullif(unit, ''), '') AS total,
       metrics[1] AS metric, to_char(started_at, 'YYYY-MM-DD HH24:MI') AS started,
       concat_ws(' ', nullif(array_to_string(tags, ' '), ''), 'excluded: ' || excluded_reason,
                 CASE WHEN repeat > 0 THEN 'repeat ' || repeat END) AS notes,
       json_build_object('run', run_id, 'state', state, 'fingerprint', fingerprint, 'repeat', repeat,
           'application', application, 'title', title, 'commit', commit_id, 'branch', branch,
           'started_at', started_at, 'user', user_name, 'cluster', cluster, 'n_ranks', n_ranks,
           'n_threads', n_threads, 'nodes', n_nodes, 'columns', n_columns, 'metrics', metrics,
           'total', total, 'unit', unit, 'tags', tags, 'excluded', excluded_reason, 'format', format,
           'file', source, 'loaded_at', loaded_at) AS json
  FROM chosen
 ORDER BY run_id
