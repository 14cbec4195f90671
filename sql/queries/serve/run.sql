-- serve_run.sql - everything about one run, as one row.
--
-- :run
SELECT 'rows' AS section, to_json(found) AS row
  FROM (
    SELECT o.run_id, o.application, o.title, o.n_ranks, o.n_threads, o.commit_id, o.branch, o.started_at, o.user_name, o.cluster,
           o.format, o.n_nodes, o.n_columns, o.n_units, o.residual_cells, o.missing_columns, o.tags, o.excluded_reason, o.repeat,
           o.source, o.loaded_at, o.has_trace, o.n_events, o.events_dropped_at, o.fingerprint,
           EXISTS (SELECT 1 FROM perfhouse.trace_stream s WHERE s.run_id = :run::int8) AS has_devices,
           t.n_messages > 0 AS has_messages, t.n_messages + t.n_collectives > 0 AS communicates,
           o.rolled_up_at IS NULL AND o.n_columns > o.n_units AS has_iterations,
           (SELECT json_agg(json_build_object('name', k.name, 'unit', k.unit,
                                'kind', CASE k.kind WHEN 0 THEN 'flow' WHEN 1 THEN 'ratio' ELSE 'value' END) ORDER BY m.n)
              FROM unnest(r.metric_ids) WITH ORDINALITY AS m (metric_id, n)
              JOIN perfhouse.metric_overview k USING (metric_id)) AS metrics,
           o.meta, perfhouse_internal.experiment_text(x.keys, x."values") AS experiment,
           (SELECT count(*) FROM perfhouse.comparable_runs(o.run_id)) AS n_comparable
      FROM perfhouse.run_overview o
      JOIN perfhouse.run r USING (run_id)
      JOIN perfhouse.run_experiment x USING (run_id)
      LEFT JOIN perfhouse.trace t ON t.run_id = o.run_id AND t.run_id = :run::int8
     WHERE o.run_id = :run::int8
       ) found;
