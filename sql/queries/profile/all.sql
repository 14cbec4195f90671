-- Run $1 with all of its metrics; $2: under the names that aliases give it.
SELECT CASE WHEN $2::boolean THEN perfhouse.apply_aliases(q.p) ELSE q.p END
  FROM (SELECT perfhouse.profile($1::bigint, NULL::text[]) AS p) q
