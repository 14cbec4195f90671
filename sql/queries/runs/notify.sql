-- Others hear, at commit, that the runs $1 are ready. What people had mended of a run that was replaced is set again; what they
-- have is noted, by which check_run knows what gets lost.
SELECT count(perfhouse_internal.mend_again(k.run_id)), (SELECT perfhouse_internal.notify_runs($1::int8[], 'ready')),
    (SELECT perfhouse_internal.seal_runs($1::int8[])::text)
FROM (SELECT DISTINCT c.run_id FROM perfhouse.run_change c WHERE c.run_id = ANY ($1::int8[]) ORDER BY c.run_id) k
