-- render_applications.sql - the applications that have runs, for hints.
SELECT DISTINCT r.application FROM perfhouse.run_overview r WHERE r.application IS NOT NULL ORDER BY r.application;
