-- Ids that stand for two different regions. Materialized: see intern-callpath-check.sql.
WITH differing AS MATERIALIZED (
    SELECT s.region_id, quote_literal(s.name) AS staged, quote_literal(r.name) AS known
      FROM pg_temp.stage_region s
      JOIN perfhouse.region r USING (region_id)
     WHERE (s.kind, s.name, s.library, s.file, s.line)
           IS DISTINCT FROM (r.kind, r.name, r.library, r.file, r.line))
SELECT region_id, staged, known FROM differing ORDER BY region_id LIMIT 1
