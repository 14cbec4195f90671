-- metrics.sql - names of metrics that begin like :prefix.
SELECT name, string_agg(DISTINCT unit, ', ' ORDER BY unit)
FROM perfhouse.metric
WHERE starts_with(name, :prefix)
GROUP BY name
ORDER BY name
LIMIT 200;
