-- Experiments that both sides have runs of, and the runs of each: a side is the beginning of a commit ($1, $2) or given
-- runs ($3, $4). $5 application, $6 ranks and $7, a run filter, narrow the choice of a commit's runs. $8 false: all
-- runs of both sides in one row, whatever experiment they are of.
WITH candidate AS (
    SELECT r.run_id, r.n_ranks, r.commit_id, x.application, x.keys, x."values",
           CASE WHEN $8::boolean THEN coalesce(x.experiment, x.run_id::text) END AS experiment,
           coalesce(starts_with(r.commit_id, lower($1::text)) AND r.excluded_reason IS NULL, r.run_id = ANY ($3::int8[]), false) AS in_a,
           coalesce(starts_with(r.commit_id, lower($2::text)) AND r.excluded_reason IS NULL, r.run_id = ANY ($4::int8[]), false) AS in_b
      FROM perfhouse.run_overview r JOIN perfhouse.run_experiment x USING (run_id)
     WHERE ($5::text IS NULL OR r.application = $5) AND ($6::int4 IS NULL OR r.n_ranks = $6)
       AND ($7::text IS NULL OR r.run_id IN (SELECT perfhouse.runs_matching($7)))
)
SELECT coalesce(min(application), '') AS application,
       coalesce(perfhouse_internal.experiment_text(min(keys), min("values")), '') AS experiment,
       string_agg(run_id::text, ',' ORDER BY run_id) FILTER (WHERE in_a) AS runs_a,
       string_agg(run_id::text, ',' ORDER BY run_id) FILTER (WHERE in_b) AS runs_b,
       string_agg(DISTINCT commit_id, ' ') FILTER (WHERE in_a) AS commit_a,
       string_agg(DISTINCT commit_id, ' ') FILTER (WHERE in_b) AS commit_b
  FROM candidate
 WHERE in_a OR in_b
 GROUP BY candidate.experiment
HAVING bool_or(in_a) AND bool_or(in_b)
 ORDER BY 1, min(candidate.n_ranks), 2
