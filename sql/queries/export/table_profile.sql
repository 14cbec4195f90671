-- export-table-profile.sql - a row a call path and location that has it; $1: run, $2: metric or null.
SELECT n.node, n.parent, n.path, n.name, n.kind, n.module, n.file, n.line,
    v.location, v.rank, v.thread, v.iteration, v.inclusive, v.exclusive
FROM perfhouse.profile($1::bigint, $2::text) p, perfhouse.nodes(p) n JOIN perfhouse.column_values(p) v USING (node)
WHERE v.present ORDER BY n.node, v.location;
