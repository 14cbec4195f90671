-- export-otf2-regions.sql - the regions of a run's trace by name; $1: run.
SELECT DISTINCT ON (t.name COLLATE "C") t.name, t.paradigm, coalesce(g.file, '') AS file, coalesce(g.line, 0) AS line
FROM perfhouse.trace_region t LEFT JOIN perfhouse.region g USING (region_id)
WHERE t.run_id = $1::bigint
ORDER BY t.name COLLATE "C", t.local_id;
