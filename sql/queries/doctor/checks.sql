-- Invariants of stored runs that do not hold: the newest $1 runs, or all (null); and what can be made again of what is sound.
SELECT c.run_id, c.check_name, c.detail, c.check_name = 'summaries' AND c.has_values AS can_be_remade
FROM (SELECT r.run_id, k.check_name, k.ok, k.detail,
             r.rolled_up_at IS NULL AND bool_and(k.ok OR k.check_name NOT IN ('locations', 'metrics', 'tree', 'vectors'))
                 OVER (PARTITION BY r.run_id) AS has_values
      FROM (SELECT run_id, rolled_up_at FROM perfhouse.run WHERE state = 'ready' ORDER BY run_id DESC LIMIT $1::bigint) r,
           LATERAL perfhouse.check_run(r.run_id) k) c
WHERE NOT c.ok
ORDER BY c.run_id, c.check_name
