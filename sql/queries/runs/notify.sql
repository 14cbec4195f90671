-- Others hear, at commit, that the runs $1 are ready.
SELECT perfhouse_internal.notify_run(r.run_id, r.application, 'ready')
FROM perfhouse.run r WHERE r.run_id = ANY ($1::int8[]) ORDER BY r.run_id
