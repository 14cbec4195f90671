-- regressions.sql - numbers of regressions that begin like :prefix, the newest first.
SELECT regression_id::text, concat_ws(', ', application, path)
FROM perfhouse.regression
WHERE starts_with(regression_id::text, :prefix)
ORDER BY regression_id DESC
LIMIT 200;
