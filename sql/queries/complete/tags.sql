-- tags.sql - tags of runs that begin like :prefix.
SELECT tag, count(*) || ' runs'
FROM perfhouse.run_overview, unnest(tags) AS tag
WHERE starts_with(tag, :prefix)
GROUP BY tag
ORDER BY tag
LIMIT 200;
