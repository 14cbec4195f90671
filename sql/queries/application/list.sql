-- Applications with their keys; $1: that one only, null: all.
SELECT a.application, CASE WHEN a.is_declared THEN array_to_string(a.keys, ',') ELSE 'default' END AS keys,
       CASE WHEN a.size_of IS NULL AND a.set_by IS NULL THEN '' ELSE array_to_string(a.size_keys, ',')
            || coalesce(' of a ' || a.size_of, '') END AS size, a.n_runs::text AS n_runs, a.n_experiments::text AS n_experiments,
       coalesce(a.set_by, '') AS set_by, coalesce(to_char(a.set_at, 'YYYY-MM-DD'), '') AS set_at, to_json(a)::text AS json
  FROM perfhouse.applications() a
 WHERE $1::text IS NULL OR a.application = $1::text
