-- The newest commit on the main line of repository $1, when it is known.
SELECT f.commit_id FROM perfhouse.commit_ref f JOIN perfhouse.commit c USING (commit_id)
 WHERE f.kind = 'head' AND f.repository = $1
