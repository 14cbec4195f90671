-- What of the jobs since a time, or an age in days such as 30d, was measured; null: of the last seven days.
SELECT c.day::text AS day, coalesce(c.queue, '') AS queue, coalesce(c.application, '') AS application, c.n_jobs, c.n_accounted,
       c.n_profiled, c.n_traced, coalesce(round(c.node_hours::numeric, 2)::text, '') AS node_hours, to_json(c)::text AS json
  FROM perfhouse.coverage(CASE WHEN $1 ~ '^[0-9]{1,6}d$' THEN now() - (rtrim($1, 'd') || ' days')::interval
      ELSE $1::timestamptz END) c
