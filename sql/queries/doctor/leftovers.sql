-- Runs that a loader began and did not finish, and whose loader's backend is gone.
SELECT r.run_id, r.source
FROM perfhouse.run r
WHERE r.state <> 'ready'
  AND NOT EXISTS (SELECT FROM pg_catalog.pg_stat_activity a
                  WHERE a.pid = r.loader_pid AND coalesce(a.backend_start <= r.loaded_at, true))
ORDER BY r.run_id
