-- A new run, ready as soon as its transaction commits. No row: somebody else has this content.
INSERT INTO perfhouse.run (fingerprint, repeat, run_id, application, title, source, format, commit_id,
    branch, started_at, user_name, cluster, n_ranks, n_threads, n_nodes, n_columns, n_units, metrics,
    metric_ids, residual_cells, missing_columns, meta, tags, total, n_hosts, completeness, missing, excluded_reason,
    state, project, tree_id, labels_id, storage)
VALUES ($1, $2::int4, $3::int8, $4, $5, $6, $7, $8, $9, $10::timestamptz, $11, $12, $13::int4, $14::int4,
    $15::int4, $16::int4, $17::int4, $18::text[], $19::int4[], $20::int8, $21::int4, $22::jsonb,
    $23::text[], $24::float8, $25::int4, $26, $27::text[],
    CASE $26 WHEN 'incomplete' THEN 'incomplete input: ' || array_to_string($27::text[], '; ') END,
    'ready', perfhouse_internal.project_of($22::jsonb), $28::int8, $29::int8, 2)
ON CONFLICT (fingerprint, repeat, project) DO NOTHING
RETURNING run_id
