-- serve_applications.sql - the applications that there are runs of, with their numbers of runs.
SELECT 'rows' AS section, to_json(found) AS row
  FROM (
    SELECT r.application, count(*) AS runs, max(r.run_id) AS newest
      FROM perfhouse.run_overview r
     WHERE r.application IS NOT NULL
     GROUP BY 1 ORDER BY 1
       ) found;
