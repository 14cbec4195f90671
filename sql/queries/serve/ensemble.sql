-- serve_ensemble.sql - many runs side by side: what each says of itself, and the own cost of the functions that cost most in them,
-- mean over execution units: columns run_id, function (a place in names), value. At most 1,000 runs, the newest; in section total
-- how many there are.
--
-- :application or null, :filter or null, :runs or null, :metric or null: the primary one of each, :limit: so many functions
WITH all_chosen AS MATERIALIZED (
    SELECT c.run_id FROM perfhouse.chosen_runs(:application::text, :filter::text, :runs::int8[]) c
), chosen AS MATERIALIZED (
    SELECT c.run_id, k.metric_id, k.factor, k.name AS metric, k.unit
      FROM (SELECT a.run_id FROM all_chosen a ORDER BY a.run_id DESC LIMIT 1000) c
      JOIN perfhouse.run r USING (run_id)
      JOIN perfhouse.metric_overview k ON CASE WHEN :metric::text IS NULL THEN k.metric_id = r.primary_metric_id
               ELSE k.name = :metric::text AND k.metric_id = ANY (r.metric_ids) END
), cost AS MATERIALIZED (
    SELECT c.run_id, g.name, sum(s.exclusive * c.factor) AS value
      FROM chosen c
      JOIN perfhouse.region_summary s ON s.run_id = c.run_id AND s.metric_id = c.metric_id
      JOIN perfhouse.region g USING (region_id)
     GROUP BY 1, 2
), dear AS MATERIALIZED (
    SELECT c.name, row_number() OVER (ORDER BY sum(abs(c.value)) DESC, c.name) - 1 AS place
      FROM cost c GROUP BY 1 ORDER BY 2 LIMIT :limit::int4
)
SELECT 'rows' AS section, to_json(listed) AS row
  FROM (SELECT o.run_id, o.application, o.title, o.n_ranks, o.n_threads, o.n_units, o.commit_id, o.branch, o.cluster, o.user_name, o.format,
               o.started_at, o.tags, o.meta, c.metric, c.unit, w.value AS total, o.parallel_efficiency, o.load_balance,
               o.communication_efficiency
          FROM chosen c
          JOIN perfhouse.run_overview o USING (run_id)
          LEFT JOIN (SELECT run_id, sum(value) AS value FROM cost GROUP BY 1) w USING (run_id)
         ORDER BY o.run_id) listed
UNION ALL
SELECT 'names', json_build_object('name', d.name) FROM (SELECT * FROM dear ORDER BY place) d
UNION ALL
SELECT 'values', perfhouse.json_columns(v)
  FROM (SELECT c.run_id, d.place AS function, c.value FROM cost c JOIN dear d USING (name) ORDER BY 1, 2) v
HAVING count(*) > 0
UNION ALL
SELECT 'total', json_build_object('runs', (SELECT count(*) FROM all_chosen), 'with_metric', (SELECT count(*) FROM chosen));
