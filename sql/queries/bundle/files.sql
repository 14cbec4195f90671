-- The source files that a run's profile names, those with most cost first: texts of so many are kept.
SELECT n.file
  FROM perfhouse.nodes(perfhouse_internal.mean_profile($1::int8, '{}')) n
 WHERE n.file IS NOT NULL
 GROUP BY n.file
 ORDER BY sum(n.exclusive) DESC NULLS LAST, n.file
 LIMIT $2::int4
