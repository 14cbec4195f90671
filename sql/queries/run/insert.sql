-- New runs, ready as soon as the transaction commits, in the order of the arrays. No row: somebody else has this content.
-- What is an array itself comes as its text.
INSERT INTO perfhouse.run (fingerprint, repeat, run_id, application, title, source, format, commit_id,
    branch, started_at, user_name, cluster, n_ranks, n_threads, n_nodes, n_columns, n_units, metrics,
    metric_ids, residual_cells, missing_columns, meta, tags, total, n_hosts, completeness, missing, excluded_reason,
    state, project, tree_id, labels_id, storage, parallel_efficiency, load_balance, communication_efficiency, thread_efficiency,
    efficiency_estimated, n_events)
SELECT u.fingerprint, u.repeat, u.run_id, u.application, u.title, u.source, u.format, u.commit_id, u.branch, u.started_at,
       u.user_name, u.cluster, u.n_ranks, u.n_threads, u.n_nodes, u.n_columns, u.n_units, u.metrics::text[], u.metric_ids::int4[],
       u.residual_cells, u.missing_columns, u.meta, u.tags::text[], u.total, u.n_hosts, u.completeness, u.missing::text[],
       CASE u.completeness WHEN 'incomplete' THEN 'incomplete input: ' || array_to_string(u.missing::text[], '; ') END,
       'ready', coalesce(nullif(u.meta ->> 'project', ''), (SELECT perfhouse_internal.project_of('{}'))), u.tree_id, u.labels_id, 2,
       u.parallel_efficiency, u.load_balance, u.communication_efficiency, u.thread_efficiency,
       CASE WHEN u.parallel_efficiency IS NOT NULL THEN true END, u.n_events
  FROM unnest($1::text[], $2::int4[], $3::int8[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
              $10::timestamptz[], $11::text[], $12::text[], $13::int4[], $14::int4[], $15::int4[], $16::int4[], $17::int4[],
              $18::text[], $19::text[], $20::int8[], $21::int4[], $22::jsonb[], $23::text[], $24::float8[], $25::int4[],
              $26::text[], $27::text[], $28::int8[], $29::int8[], $30::float8[], $31::float8[], $32::float8[], $33::float8[],
              $34::int8[])
       u (fingerprint, repeat, run_id, application, title, source, format, commit_id, branch, started_at, user_name, cluster,
          n_ranks, n_threads, n_nodes, n_columns, n_units, metrics, metric_ids, residual_cells, missing_columns, meta, tags,
          total, n_hosts, completeness, missing, tree_id, labels_id, parallel_efficiency, load_balance, communication_efficiency,
          thread_efficiency, n_events)
ON CONFLICT (fingerprint, repeat, project) DO NOTHING
RETURNING run_id
