-- serve_tree.sql - a run's call tree with the means of a metric, all of it: for a page that draws it in many ways itself.
--
-- :run, :metric or null: the primary one, :ranks or null: all. Parents come before their children.
WITH given AS MATERIALIZED (
    SELECT CASE WHEN :ranks::int4[] IS NULL THEN perfhouse_internal.mean_profile(r.run_id, array_remove(ARRAY[:metric::text], NULL))
           ELSE perfhouse.profile(r.run_id, :metric::text, :ranks::int4[]) END AS profile
      FROM perfhouse.run r
     WHERE r.run_id = :run::int8
)
SELECT 'rows' AS section, to_json(found) AS row
  FROM (
    SELECT o.run_id, o.application, o.title, o.n_ranks, o.n_columns, o.has_trace, m.metric, m.unit, m.kind,
           perfhouse_internal.combining(given.profile, :metric::text) AS combining,
           perfhouse.run_version(ARRAY[o.run_id]) AS version,
           (SELECT json_agg(json_build_object('name', k.name, 'unit', k.unit,
                       'kind', CASE k.kind WHEN 0 THEN 'flow' WHEN 1 THEN 'ratio' ELSE 'value' END) ORDER BY u.n)
              FROM perfhouse.run r, unnest(r.metric_ids) WITH ORDINALITY AS u (metric_id, n)
              JOIN perfhouse.metric_overview k USING (metric_id)
             WHERE r.run_id = o.run_id) AS metrics
      FROM perfhouse.run_overview o, given, perfhouse.metrics(given.profile) m
     WHERE o.run_id = :run::int8
     LIMIT 1
       ) found
UNION ALL
SELECT 'nodes', perfhouse.json_columns(n)
  FROM (SELECT n.parent, n.name, n.module, n.file, n.line, n.kind, n.inclusive, n.exclusive
          FROM given, perfhouse.nodes(given.profile, :metric::text) n
         ORDER BY n.node) n
HAVING count(*) > 0
UNION ALL
SELECT 'colors', perfhouse.json_columns(c)
  FROM (SELECT c.name, c.family, c.place
          FROM perfhouse.color_of c
          JOIN perfhouse.run r ON r.run_id = :run::int8 AND c.application = coalesce(r.application, '')
         WHERE c.name IN (SELECT n.name FROM given, perfhouse.nodes(given.profile) n)
         ORDER BY c.family, c.place, c.name) c
HAVING count(*) > 0;
