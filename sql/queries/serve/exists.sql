-- serve_exists.sql - a row when there is such a run.
--
-- :run
SELECT 'rows' AS section, to_json(found) AS row
  FROM (
    SELECT r.run_id FROM perfhouse.run_overview r WHERE r.run_id = :run::int8
       ) found;
