-- Branches and tags of repository $1 as they are now: $2 names, $3 kinds, $4 commits.
WITH now AS (
    SELECT * FROM unnest($2::text[], $3::text[], $4::text[]) u (name, kind, commit_id)
), gone AS (
    DELETE FROM perfhouse.commit_ref f
     WHERE f.repository = $1::text AND NOT EXISTS (SELECT 1 FROM now n WHERE (n.name, n.kind) = (f.name, f.kind))
)
INSERT INTO perfhouse.commit_ref AS f (repository, name, kind, commit_id)
SELECT $1, n.name, n.kind, n.commit_id FROM now n
    ON CONFLICT (repository, kind, name) DO UPDATE SET commit_id = excluded.commit_id WHERE f.commit_id <> excluded.commit_id
