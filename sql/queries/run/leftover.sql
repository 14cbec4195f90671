-- Runs of the fingerprints $1 that a loader began and never finished go: its backend is gone.
SELECT perfhouse.drop_run(l.run_id)
  FROM unnest(ARRAY(SELECT r.run_id FROM perfhouse.run r
                     WHERE r.fingerprint = ANY ($1::text[]) AND r.state <> 'ready'
                       AND perfhouse_internal.is_abandoned(r.loader_pid, r.loaded_at))) l (run_id)
