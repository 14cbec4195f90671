-- export-otf2-regions.sql - the regions of a run's trace by number; $1: run.
SELECT t.local_id, t.name, t.paradigm, t.role, coalesce(g.file, '') AS file, coalesce(g.line, 0) AS line,
	coalesce(g.library, '') AS library
FROM perfhouse.trace_region t LEFT JOIN perfhouse.region g USING (region_id)
WHERE t.run_id = $1::bigint
ORDER BY t.local_id;
