-- Everything about run $1 as (section, item, value).
WITH r AS (SELECT * FROM perfhouse.run WHERE run_id = $1::int8 AND state = 'ready'),
item AS (
    SELECT i.place, 'run ' || r.run_id AS section, i.item, i.value
      FROM r, LATERAL (VALUES
          (1, 'title', r.title), (2, 'application', r.application), (3, 'commit', r.commit_id),
          (4, 'branch', r.branch), (5, 'started', to_char(r.started_at, 'YYYY-MM-DD HH24:MI:SS TZ')),
          (6, 'user', r.user_name), (7, 'cluster', r.cluster), (8, 'ranks', r.n_ranks::text),
          (9, 'threads per rank', r.n_threads::text), (10, 'call-tree nodes', r.n_nodes::text),
          (11, 'columns', r.n_columns || CASE WHEN r.n_columns <> r.n_units
                                              THEN ' (' || r.n_units || ' units x iterations)' ELSE '' END),
          (12, 'tags', nullif(array_to_string(r.tags, ' '), '')), (13, 'excluded', r.excluded_reason)
      ) AS i (place, item, value)
    UNION ALL
    SELECT 100 + m.n, 'metrics', k.name,
           concat_ws(', ', nullif(k.unit, ''), CASE k.kind WHEN 0 THEN 'additive' WHEN 1 THEN 'ratio' ELSE 'not additive' END,
                     CASE WHEN m.n = 1 THEN 'primary' END,
                     coalesce(r.meta ->> ('source_unit.' || k.name), nullif(k.stored_unit, k.unit)) || ' in the input')
      FROM r, unnest(r.metric_ids) WITH ORDINALITY AS m (metric_id, n) JOIN perfhouse.metric_overview k USING (metric_id)
    UNION ALL
    SELECT 5000 + s.n, 'trace', s.item, s.value || CASE WHEN s.trusted THEN '' ELSE ' (not to be trusted)' END
      FROM r JOIN perfhouse.trace t ON t.run_id = r.run_id AND t.run_id = $1::int8,
           perfhouse.trace_summary(t.run_id) WITH ORDINALITY AS s (item, value, trusted, n)
    UNION ALL
    SELECT i.place, 'provenance', i.item, i.value
      FROM r, LATERAL (VALUES
          (10001, 'loaded from', r.source), (10001, 'computed of', perfhouse_internal.computed_of(r.run_id)), (10002, 'format', r.format),
          (10003, 'loaded at', to_char(r.loaded_at, 'YYYY-MM-DD HH24:MI:SS TZ')),
          (10004, 'fingerprint', r.fingerprint), (10005, 'repeat', nullif(r.repeat, 0)::text),
          (10006, 'cells whose inclusive and exclusive disagree', r.residual_cells::text),
          (10007, 'ranks missing in the files', r.missing_columns::text),
          (10008, 'other runs to compare with', (
              SELECT count(*) || ' of its experiment, ' || count(*) FILTER (WHERE o.commit_id = r.commit_id) || ' of them of its commit'
                FROM perfhouse.comparable_runs(r.run_id) q (run_id) JOIN perfhouse.run o ON o.run_id = q.run_id))
      ) AS i (place, item, value)
    UNION ALL
    SELECT 20000 + row_number() OVER (ORDER BY k.key COLLATE "C"), 'metadata', k.key, k.value
      FROM r, jsonb_each_text(r.meta) AS k
)
SELECT section, item, value FROM item WHERE value IS NOT NULL ORDER BY place
