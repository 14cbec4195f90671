-- Projects that the caller sees, and whether row-level security is on.
SELECT p.project, p.runs::text AS runs, array_to_string(p.members, ' ') AS members,
       json_build_object('project', p.project, 'runs', p.runs, 'members', p.members)::text AS json
FROM perfhouse.project_overview p
ORDER BY p.project
