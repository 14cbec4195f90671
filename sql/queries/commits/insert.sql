-- Commits of repository $1, parents before children: $2 hashes, $3 parents (with spaces between), $4 authors, $5 and $6
-- when they were written and committed, $7 subjects. Positions go on where they ended; known commits keep theirs.
WITH last AS (
    SELECT coalesce(max("position"), -1) AS last FROM perfhouse.commit
)
INSERT INTO perfhouse.commit AS c (commit_id, repository, parents, author, authored_at, committed_at, subject, "position")
SELECT u.commit_id, $1::text, string_to_array(u.parents, ' '), u.author, u.authored_at::timestamptz, u.committed_at::timestamptz,
       u.subject, last.last + u.number
  FROM last, unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
             WITH ORDINALITY u (commit_id, parents, author, authored_at, committed_at, subject, number)
    ON CONFLICT (commit_id) DO UPDATE
       SET repository = excluded.repository, parents = excluded.parents, author = excluded.author, authored_at = excluded.authored_at,
           committed_at = excluded.committed_at, subject = excluded.subject, "position" = excluded."position"
     WHERE c."position" IS NULL
