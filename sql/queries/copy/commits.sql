-- Commits of the repositories of the runs $1, parents first; $2: their authors are hidden, with the salt $3.
SELECT c.repository, c.commit_id, array_to_string(c.parents, ' ') AS parents,
       CASE WHEN $2::boolean THEN perfhouse_internal.pseudonym('user', c.author, $3::text) ELSE c.author END AS author,
       c.authored_at, c.committed_at, c.subject
  FROM perfhouse.commit c
 WHERE c."position" IS NOT NULL
   AND c.repository IN (SELECT h.repository FROM perfhouse.run_history h WHERE h.run_id = ANY ($1::int8[]))
 ORDER BY c.repository, c."position"
