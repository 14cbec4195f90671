-- Branches and tags of the repositories of the runs $1, as one array of rows.
SELECT coalesce(jsonb_agg(to_jsonb(f)), '[]') FROM perfhouse.commit_ref f
 WHERE f.repository IN (SELECT h.repository FROM perfhouse.run_history h WHERE h.run_id = ANY ($1::int8[]))
