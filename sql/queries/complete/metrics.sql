-- metrics.sql - names of metrics that begin like :prefix, derived ones among them.
SELECT name, string_agg(DISTINCT unit, ', ' ORDER BY unit)
FROM (SELECT name, unit FROM perfhouse.metric_overview UNION ALL SELECT name, formula FROM perfhouse.derived_metric) m
WHERE starts_with(name, :prefix)
GROUP BY name
ORDER BY name
LIMIT 200;
