-- serve_runs.sql - a page of the runs that are ready and match; in section total their number, counted to 1,000, in section
-- pages the runs that the pages beside this one begin at: ?before=newer, ?after=older; null: there is none.
--
-- :search, :application, :filter, :order, :after, :before: see list_runs; :limit runs a page
WITH found AS MATERIALIZED ( -- one more than wanted tells whether there are more
    SELECT l.place, l.run_id
      FROM perfhouse.list_runs(:filter::text, :application::text, :search::text, :order::text, :limit::int4 + 1,
               :after::int8, :before::int8) l
), size AS (SELECT count(*) AS n, count(*) > :limit::int4 AS has_more FROM found),
page AS (
    SELECT f.place, f.run_id FROM found f, size s
     WHERE CASE WHEN :before::int8 IS NULL THEN f.place <= :limit::int4 ELSE f.place > s.n - :limit::int4 END
)
SELECT 'rows' AS section, to_json(listed) AS row
  FROM (
    SELECT o.run_id, o.application, o.title, o.n_ranks, o.n_threads, o.commit_id, o.branch, o.started_at, o.user_name, o.cluster,
           o.format, o.n_nodes, o.metrics, o.metrics[1] AS metric, m.unit, o.total, o.has_trace, o.tags, o.excluded_reason, o.repeat,
           o.loaded_at
      FROM page p
      JOIN perfhouse.run_overview o USING (run_id)
      JOIN perfhouse.run r USING (run_id)
      LEFT JOIN perfhouse.metric_overview m ON m.metric_id = r.primary_metric_id
     ORDER BY p.place
       ) listed
UNION ALL
SELECT 'total', to_json(t) FROM perfhouse.count_runs(:filter::text, :application::text, :search::text, 1000) t
UNION ALL
SELECT 'pages', to_json(beside)
  FROM (SELECT CASE WHEN :after::int8 IS NOT NULL OR :before::int8 IS NOT NULL AND s.has_more
                    THEN (SELECT p.run_id FROM page p ORDER BY p.place LIMIT 1) END AS newer,
               CASE WHEN :before::int8 IS NOT NULL OR s.has_more
                    THEN (SELECT p.run_id FROM page p ORDER BY p.place DESC LIMIT 1) END AS older
          FROM size s) beside;
