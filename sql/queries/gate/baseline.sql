-- The newest runs of a baseline, at most $4 of each experiment: those that name the branch $1, those of commits that the branch or
-- tag $1 contains, those of the commit that $1 begins, and those of the commit of the baseline of that name (perfhouse.baseline).
-- $2 application; the commits $3 are being judged, so their runs are none of it.
WITH line AS MATERIALIZED (
    SELECT a.commit_id
      FROM perfhouse.commit_ref f CROSS JOIN LATERAL perfhouse.commit_ancestors(f.commit_id) a (commit_id)
     WHERE f.name = $1 AND f.kind IN ('branch', 'tag', 'remote')),
chosen AS (
    SELECT h.run_id, row_number() OVER (PARTITION BY coalesce(h.experiment, h.run_id::text)
                                        ORDER BY h."position" DESC NULLS LAST, h.measured_at DESC, h.run_id DESC) AS nth
      FROM perfhouse.run_history h
     WHERE h.application = $2 AND h.excluded_reason IS NULL AND NOT coalesce(h.commit_id = ANY ($3::text[]), false)
       AND (h.branch = $1 OR h.commit_id IN (SELECT l.commit_id FROM line l)
            OR $1 ~ '^[0-9a-f]{4,64}$' AND starts_with(h.commit_id, $1)
            OR EXISTS (SELECT FROM perfhouse.baseline b
                        WHERE b.application = h.application AND b.name = $1 AND starts_with(h.commit_id, b.commit_id))))
SELECT c.run_id FROM chosen c WHERE c.nth <= $4::int8 ORDER BY c.run_id
