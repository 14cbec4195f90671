-- Rewrites a run's row and locks it; tags add up, an exclusion stays, unless it was that of an input that is whole by now.
-- $2 (repeat) is not changed.
UPDATE perfhouse.run
   SET application = $4, title = $5, source = $6, format = $7, commit_id = $8, branch = $9,
       started_at = $10::timestamptz, user_name = $11, cluster = $12, n_ranks = $13::int4,
       n_threads = $14::int4, n_nodes = $15::int4, n_columns = $16::int4, n_units = $17::int4,
       metrics = $18::text[], metric_ids = $19::int4[], residual_cells = $20::int8,
       missing_columns = $21::int4, meta = $22::jsonb,
       project = coalesce(nullif($22::jsonb ->> 'project', ''), project), total = $24::float8, n_hosts = $25::int4,
       tags = ARRAY(SELECT DISTINCT t FROM unnest(tags || $23::text[]) t ORDER BY t),
       completeness = $26, missing = $27::text[],
       excluded_reason = CASE WHEN excluded_reason NOT LIKE 'incomplete input: %' THEN excluded_reason
                              WHEN $26 = 'incomplete' THEN 'incomplete input: ' || array_to_string($27::text[], '; ') END,
       state = 'ready', loaded_at = now(), loader_pid = NULL, rolled_up_at = NULL,
       tree_id = $28::int8, labels_id = $29::int8, storage = 2, parallel_efficiency = $30::float8,
       load_balance = $31::float8, communication_efficiency = $32::float8, thread_efficiency = $33::float8,
       serialisation_efficiency = NULL, transfer_efficiency = NULL, thread_load_balance = NULL, thread_serialisation = NULL,
       device_efficiency = NULL, device_load_balance = NULL, device_communication = NULL, device_orchestration = NULL,
       efficiency_estimated = CASE WHEN $30::float8 IS NOT NULL THEN true END, n_events = $34::int8, events_dropped_at = NULL
 WHERE run_id = $3::int8 AND fingerprint = $1 AND $2::int4 = 0
RETURNING run_id
