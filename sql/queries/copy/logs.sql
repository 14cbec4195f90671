-- What is told of the runs $1 beside them: table and rows. $2: what people are called is hidden, with the salt $3.
SELECT 'load_log' AS relation, jsonb_agg(to_jsonb(l) || CASE WHEN $2::boolean THEN jsonb_build_object('source', '', 'message', NULL,
           'by_user', perfhouse_internal.pseudonym('user', l.by_user, $3::text)) ELSE '{}' END ORDER BY l.load_id) AS rows
  FROM perfhouse.load_log l WHERE l.run_id = ANY ($1::int8[])
 UNION ALL
SELECT 'run_change', jsonb_agg(to_jsonb(c) ORDER BY c.change_id) FROM perfhouse.run_change c
 WHERE c.run_id = ANY ($1::int8[]) AND NOT $2::boolean
 UNION ALL
SELECT 'job', jsonb_agg(to_jsonb(j)) FROM perfhouse.job j
 WHERE NOT $2::boolean AND j.job IN (SELECT r.meta ->> 'SLURM_JOB_ID' FROM perfhouse.run r
                                      WHERE r.run_id = ANY ($1::int8[]) AND r.meta ? 'SLURM_JOB_ID')
