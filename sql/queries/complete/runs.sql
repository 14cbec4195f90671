-- runs.sql - numbers of runs that begin like :prefix, the newest first.
SELECT run_id::text, concat_ws(', ', application, n_ranks || ' ranks', left(commit_id, 10), to_char(started_at, 'YYYY-MM-DD'), title)
FROM perfhouse.run_overview
WHERE starts_with(run_id::text, :prefix)
ORDER BY run_id DESC
LIMIT 200;
