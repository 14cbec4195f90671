-- serve_members.sql - a page of the functions of one supernode; in section total how many there are.
--
-- :run, :metric or null, :filter share, :levels of the graph or null, :group_by, :steps of refine(), :node supernode,
-- :order, :limit functions a page, :skip: so many come before it
WITH found AS MATERIALIZED (
    SELECT m.name, min(m.module) AS module, min(m.file) AS file, count(*) AS instances, perfhouse_internal.combined(w.combining,
               sum(m.exclusive), min(m.exclusive), max(m.exclusive), count(m.exclusive)) AS exclusive
      FROM (SELECT perfhouse.refine(perfhouse.supergraph(perfhouse_internal.shown_profile(:run::bigint, ARRAY[:metric::text],
               NULL, :filter::float8, :metric::text, true, :group_by::text, NULL,
               perfhouse_internal.graph_levels(:filter::float8, :levels::int4)), :group_by::text), :steps::jsonb) AS graph OFFSET 0) g,
           LATERAL (SELECT perfhouse_internal.combining(perfhouse.profile(g.graph), :metric::text) AS combining OFFSET 0) w,
           LATERAL perfhouse.members(g.graph, :node::text, :metric::text) m
     GROUP BY m.name, w.combining
)
SELECT 'rows' AS section, to_json(listed) AS row
  FROM (SELECT f.* FROM found f
         ORDER BY CASE WHEN :order::text = 'name' THEN f.name END, CASE WHEN :order::text = '-name' THEN f.name END DESC,
               CASE ltrim(:order::text, '-') WHEN 'exclusive' THEN f.exclusive WHEN 'instances' THEN f.instances ELSE 0 END
                 * CASE WHEN :order::text LIKE '-%' THEN -1 ELSE 1 END, f.name
         LIMIT :limit::int4 OFFSET :skip::int4) listed
UNION ALL
SELECT 'total', to_json(t) FROM (SELECT count(*) AS rows FROM found f) t;
