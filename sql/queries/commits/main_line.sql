-- Numbers the main line of repository $1 from its newest commit $2 along first parents; what is not on it has no number.
WITH RECURSIVE line (commit_id, step) AS (
    SELECT $2::text, 0
     UNION ALL
    SELECT c.parents[1], l.step + 1
      FROM line l JOIN perfhouse.commit c ON c.commit_id = l.commit_id
     WHERE c.parents[1] IS NOT NULL
), numbered AS (
    SELECT l.commit_id, (max(l.step) OVER () - l.step)::int4 AS number FROM line l
), wanted AS (
    SELECT c.commit_id, n.number
      FROM perfhouse.commit c LEFT JOIN numbered n USING (commit_id)
     WHERE (c.repository = $1::text OR n.number IS NOT NULL) AND c.first_parent_position IS DISTINCT FROM n.number
)
UPDATE perfhouse.commit c SET first_parent_position = w.number FROM wanted w WHERE c.commit_id = w.commit_id
