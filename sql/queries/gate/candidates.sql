-- The runs that a gate judges: those of the list $1, else all of the commit $2 (the beginning of a hash, or a whole one of which
-- runs name the beginning) that are not excluded. $3 application, $4 ranks and $5, a run filter, narrow a commit's runs.
SELECT r.run_id, coalesce(r.commit_id, '') AS commit_id
  FROM perfhouse.run_overview r
 WHERE CASE WHEN $1::int8[] IS NOT NULL THEN r.run_id = ANY ($1::int8[])
            ELSE r.excluded_reason IS NULL
                 AND (starts_with(r.commit_id, lower($2::text)) OR length(r.commit_id) >= 7 AND starts_with(lower($2::text), r.commit_id))
                 AND ($3::text IS NULL OR r.application = $3) AND ($4::int4 IS NULL OR r.n_ranks = $4)
                 AND ($5::text IS NULL OR r.run_id IN (SELECT perfhouse.runs_matching($5))) END
 ORDER BY r.run_id
