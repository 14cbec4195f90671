-- Everything about run $1 as one object.
WITH traces AS MATERIALIZED (SELECT to_json(t) AS row FROM perfhouse.trace t WHERE t.run_id = $1::int8)
SELECT json_build_object('run_id', r.run_id, 'state', r.state, 'fingerprint', r.fingerprint, 'repeat', r.repeat,
           'application', r.application, 'title', r.title, 'commit_id', r.commit_id, 'branch', r.branch,
           'started_at', r.started_at, 'user_name', r.user_name, 'cluster', r.cluster, 'n_ranks', r.n_ranks,
           'n_threads', r.n_threads, 'n_nodes', r.n_nodes, 'n_columns', r.n_columns, 'n_units', r.n_units,
           'metrics', (SELECT json_agg(json_build_object('name', k.name, 'unit', k.unit,
                           'kind', CASE k.kind WHEN 0 THEN 'flow' WHEN 1 THEN 'ratio' ELSE 'value' END) ORDER BY m.n)
                         FROM unnest(r.metric_ids) WITH ORDINALITY AS m (metric_id, n)
                         JOIN perfhouse.metric_overview k USING (metric_id)),
           'tags', r.tags, 'excluded_reason', r.excluded_reason, 'format', r.format, 'source', r.source,
           'loaded_at', r.loaded_at, 'residual_cells', r.residual_cells, 'missing_columns', r.missing_columns,
           'trace', (SELECT t.row FROM traces t),
           'meta', r.meta)
  FROM perfhouse.run r
 WHERE r.run_id = $1::int8 AND r.state = 'ready'
