-- commits.sql - commits of runs that begin like :prefix, the newest run's first.
SELECT left(r.commit_id, greatest(10, length(:prefix::text))), concat_ws(', ', min(c.subject), count(*) || ' runs')
FROM perfhouse.run_overview r
LEFT JOIN perfhouse.commit c ON c.commit_id = r.commit_id
WHERE starts_with(r.commit_id, :prefix)
GROUP BY r.commit_id
ORDER BY max(r.run_id) DESC
LIMIT 200;
