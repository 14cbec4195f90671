-- The experiments of application $1; values: what their runs have in common.
SELECT coalesce(e.experiment, '(no keys)') AS experiment, e.n_runs::text AS n_runs, e.n_commits::text AS n_commits,
       to_char(e.latest, 'YYYY-MM-DD HH24:MI') AS latest,
       (SELECT string_agg(r.run::text, ',' ORDER BY r.run) FROM (SELECT u.run FROM unnest(e.runs) u (run) ORDER BY 1 LIMIT 6) r)
           || CASE WHEN e.n_runs > 6 THEN ',...' ELSE '' END AS runs, to_json(e)::text AS json
  FROM perfhouse.experiments($1::text) e
