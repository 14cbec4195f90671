-- The $1 applications that deserve to be measured next, by jobs since a time, or an age in days such as 30d; null: 30 days.
SELECT m.application, m.what, m.n_jobs, round(m.node_hours::numeric, 2)::text AS node_hours, coalesce(m.queue, '') AS queue, m.reason,
       to_json(m)::text AS json
  FROM perfhouse.measure_next($1::int4, CASE WHEN $2 ~ '^[0-9]{1,6}d$' THEN now() - (rtrim($2, 'd') || ' days')::interval
      ELSE $2::timestamptz END) m
