-- A row when $1 runs are much against what the planner knows of.
SELECT 1 FROM pg_class
 WHERE oid = 'perfhouse.run'::regclass AND (reltuples < 0 OR $1::float8 > 0.2 * reltuples)
