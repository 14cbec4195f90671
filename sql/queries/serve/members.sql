-- serve_members.sql - the functions of one supernode, a row each.
--
-- :run, :metric or null, :filter share, :levels of the graph or null, :group_by, :steps of refine(), :node supernode
SELECT 'rows' AS section, to_json(found) AS row
  FROM (
    SELECT m.name, min(m.module) AS module, min(m.file) AS file, count(*) AS instances, sum(m.exclusive) AS exclusive
      FROM perfhouse.members(perfhouse.refine(perfhouse.supergraph(perfhouse_internal.shown_profile(:run::bigint, ARRAY[:metric::text],
               NULL, :filter::float8, :metric::text, true, :group_by::text, NULL,
               perfhouse_internal.graph_levels(:filter::float8, :levels::int4)), :group_by::text), :steps::jsonb),
               :node::text, :metric::text) m
     GROUP BY m.name ORDER BY 5 DESC, 1
       ) found;
