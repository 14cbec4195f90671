-- Invariants of stored runs that do not hold: the newest $1 runs, or all (null).
SELECT r.run_id, k.check_name, k.detail
FROM (SELECT run_id FROM perfhouse.run WHERE state = 'ready' ORDER BY run_id DESC LIMIT $1::bigint) r,
     LATERAL perfhouse.check_run(r.run_id) k
WHERE NOT k.ok
ORDER BY r.run_id, k.check_name
