-- Run $1 with one metric ($3; null: the primary one), of ranks $4 and below the call path $5 (null: all); $2: under the names that
-- aliases give it, by which the call path is then named.
SELECT CASE WHEN $5::text IS NULL THEN n.p ELSE perfhouse.subtree(n.p, $5::text) END
  FROM (SELECT CASE WHEN $2::boolean THEN perfhouse.apply_aliases(q.p) ELSE q.p END AS p
          FROM (SELECT perfhouse.profile($1::bigint, $3::text, $4::int4[]) AS p) q) n
