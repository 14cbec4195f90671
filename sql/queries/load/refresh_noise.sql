-- Brings level and noise of the applications of the runs $1 up to date.
SELECT perfhouse.refresh_noise(a.application)
  FROM (SELECT DISTINCT r.application FROM perfhouse.run r
         WHERE r.run_id = ANY ($1::int8[]) AND r.state = 'ready' AND r.application IS NOT NULL) a
