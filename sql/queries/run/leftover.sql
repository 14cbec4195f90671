-- Runs of the fingerprints $1 that a loader began and never finished go: its backend is gone.
SELECT perfhouse.drop_run(r.run_id)
  FROM perfhouse.run r
 WHERE r.fingerprint = ANY ($1::text[]) AND r.state <> 'ready'
   AND NOT EXISTS (SELECT 1 FROM pg_stat_activity a
                    WHERE a.pid = r.loader_pid AND coalesce(a.backend_start <= r.loaded_at, true))
