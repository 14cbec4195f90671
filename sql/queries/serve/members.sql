-- serve_members.sql - the functions of one supernode, a row each.
--
-- $1 run, $2 metric or null, $3 filter share, $4 grouping, $5 steps of refine(), $6 supernode
WITH base AS MATERIALIZED (
	SELECT CASE WHEN $3::float8 > 0 THEN perfhouse.filter(p, $3::float8, metric => $2::text) ELSE p END AS profile
	FROM perfhouse.profile($1::bigint, $2::text) p
)
SELECT m.name, min(m.module) AS module, min(m.file) AS file, count(*) AS instances, sum(m.exclusive) AS exclusive
FROM base, perfhouse.members(perfhouse.refine(perfhouse.supergraph(profile, $4::text), $5::jsonb), $6::text, $2::text) m
GROUP BY m.name ORDER BY 5 DESC, 1;
