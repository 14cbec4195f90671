-- applications.sql - names of applications that begin like :prefix.
SELECT application, count(*) || ' runs'
FROM perfhouse.run_overview
WHERE starts_with(application, :prefix)
GROUP BY application
ORDER BY application
LIMIT 200;
