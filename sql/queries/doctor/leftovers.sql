-- Runs that a loader began and did not finish, and whose loader's backend is gone.
SELECT r.run_id, r.source
FROM perfhouse.run r
WHERE r.state <> 'ready' AND perfhouse_internal.is_abandoned(r.loader_pid, r.loaded_at)
ORDER BY r.run_id
