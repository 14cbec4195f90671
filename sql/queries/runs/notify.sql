-- Others hear, at commit, that the runs $1 are ready. What people had mended of a run that was replaced is set again.
SELECT count(perfhouse_internal.mend_again(k.run_id)), (SELECT perfhouse_internal.notify_runs($1::int8[], 'ready'))
FROM (SELECT DISTINCT c.run_id FROM perfhouse.run_change c WHERE c.run_id = ANY ($1::int8[]) ORDER BY c.run_id) k
