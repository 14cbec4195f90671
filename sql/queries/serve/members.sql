-- serve_members.sql - the functions of one supernode, a row each.
--
-- :run, :metric or null, :filter share, :group_by, :steps of refine(), :node supernode
WITH base AS MATERIALIZED (
    SELECT CASE WHEN :filter::float8 > 0 THEN perfhouse.filter(perfhouse.drop_roots(p, :filter::float8, :metric::text), :filter::float8,
        metric => :metric::text) ELSE p END AS profile
      FROM perfhouse.profile(:run::bigint, :metric::text) p
), refined AS (
    SELECT perfhouse.refine(perfhouse.supergraph(profile, :group_by::text), :steps::jsonb) AS graph FROM base
)
SELECT 'rows' AS section, to_json(found) AS row
  FROM (
    SELECT m.name, min(m.module) AS module, min(m.file) AS file, count(*) AS instances, sum(m.exclusive) AS exclusive
      FROM refined, perfhouse.members(graph, :node::text, :metric::text) m
     GROUP BY m.name ORDER BY 5 DESC, 1
       ) found;
