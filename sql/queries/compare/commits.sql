-- Conditions under which two sides can be compared, and the runs of each: a side is the beginning of a commit
-- ($1, $2) or given runs ($3, $4). $5 application and $6 ranks narrow the choice.
WITH candidate AS (
    SELECT r.run_id, r.application, r.n_ranks, r.n_threads, r.commit_id,
           coalesce(starts_with(r.commit_id, lower($1::text)) AND r.excluded_reason IS NULL, r.run_id = ANY ($3::int8[]), false) AS in_a,
           coalesce(starts_with(r.commit_id, lower($2::text)) AND r.excluded_reason IS NULL, r.run_id = ANY ($4::int8[]), false) AS in_b
      FROM perfhouse.run r
     WHERE r.state = 'ready'
       AND ($5::text IS NULL OR r.application = $5) AND ($6::int4 IS NULL OR r.n_ranks = $6)
)
SELECT coalesce(application, '') AS application, coalesce(n_ranks::text, '') AS n_ranks,
       coalesce(n_threads::text, '') AS n_threads,
       string_agg(run_id::text, ',' ORDER BY run_id) FILTER (WHERE in_a) AS runs_a,
       string_agg(run_id::text, ',' ORDER BY run_id) FILTER (WHERE in_b) AS runs_b,
       string_agg(DISTINCT commit_id, ' ') FILTER (WHERE in_a) AS commit_a,
       string_agg(DISTINCT commit_id, ' ') FILTER (WHERE in_b) AS commit_b
  FROM candidate
 WHERE in_a OR in_b
 GROUP BY candidate.application, candidate.n_ranks, candidate.n_threads
HAVING bool_or(in_a) AND bool_or(in_b)
 ORDER BY 1, candidate.n_ranks, candidate.n_threads
