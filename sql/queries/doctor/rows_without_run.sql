-- Runs that are gone, and the tables that still have rows of theirs. $1: remove those.
SELECT run_id, string_agg(relation::text, ', ' ORDER BY relation::text)
  FROM perfhouse.rows_without_run($1::boolean)
 GROUP BY run_id ORDER BY run_id
