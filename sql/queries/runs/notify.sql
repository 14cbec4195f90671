-- Others hear, at commit, that the runs $1 are ready. What people had mended of a run that was replaced is set again.
SELECT CASE WHEN r.run_id IN (SELECT k.run_id FROM perfhouse.run_change k WHERE k.run_id = ANY ($1::int8[]))
            THEN perfhouse_internal.mend_again(r.run_id) END,
       perfhouse_internal.notify_run(r.run_id, r.application, 'ready')
FROM perfhouse.run r WHERE r.run_id = ANY ($1::int8[]) ORDER BY r.run_id
