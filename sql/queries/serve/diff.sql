-- serve_diff.sql - what changed between two runs, by function, the largest changes first; noise: by how much a run of the experiment
-- of A varies there (null: nobody knows), is_clear: the change is larger than two runs that do not differ would show. In section
-- experiment whether they can be compared, a row per key; in section metric the name, unit and kind of what the rows
-- are in, and how those of several call paths are combined to that of their function.
--
-- :a run A, :b run B, :metric or null, :limit
WITH known AS MATERIALIZED (
    SELECT * FROM perfhouse_internal.noise_by_name(:a::bigint, :metric::text)
), given AS MATERIALIZED (
    SELECT p.a, p.b, perfhouse_internal.combining(p.a, :metric::text) AS combining
      FROM (SELECT perfhouse_internal.shown_profile(:a::bigint, ARRAY[:metric::text], NULL, 0, means => true) AS a,
                   perfhouse_internal.shown_profile(:b::bigint, ARRAY[:metric::text], NULL, 0, means => true) AS b OFFSET 0) p
), node AS MATERIALIZED (
    SELECT d.*, CASE WHEN d.status <> 'only after' THEN d.before_exclusive END AS before,
           CASE WHEN d.status <> 'only before' THEN d.after_exclusive END AS after
      FROM given, perfhouse.nodes_diff(perfhouse.diff(given.a, given.b)) d
), function AS (
    SELECT d.name, d.module, given.combining, count(*) AS nodes, bool_and(d.status = 'only before') AS is_in_a,
           bool_and(d.status = 'only after') AS is_in_b, sum(d.delta_exclusive) AS change,
           perfhouse_internal.combined(given.combining, sum(d.before), min(d.before), max(d.before), count(d.before)) AS before,
           perfhouse_internal.combined(given.combining, sum(d.after), min(d.after), max(d.after), count(d.after)) AS after
      FROM given, node d GROUP BY d.name, d.module, given.combining
), compared AS (
    SELECT f.name, f.module, c.before, c.after, c.change, c.change / nullif(c.before, 0) AS relative,
           CASE WHEN f.is_in_a THEN 'only in A' WHEN f.is_in_b THEN 'only in B' ELSE '' END AS only_in, f.nodes
      FROM function f, LATERAL (SELECT CASE WHEN f.combining = 'sum' THEN coalesce(f.before, 0) ELSE f.before END,
               CASE WHEN f.combining = 'sum' THEN coalesce(f.after, 0) ELSE f.after END,
               CASE WHEN f.combining = 'sum' THEN f.change ELSE f.after - f.before END) c (before, after, change)
)
SELECT 'rows' AS section, to_json(found) AS row
  FROM (
    SELECT f.*, CASE WHEN f.noise IS NOT NULL THEN abs(f.change) > greatest(
               least((SELECT k.factor FROM known k WHERE k.name IS NULL) * f.noise, 0.99) * greatest(f.before, f.after),
               (SELECT k.least_share FROM known k WHERE k.name IS NULL) * sum(f.before) OVER ()) END AS is_clear
      FROM (SELECT d.*, greatest((SELECT k.relative FROM known k WHERE k.name IS NULL),
                       (SELECT k.relative FROM known k WHERE k.name = d.name)) AS noise
              FROM compared d) f
     ORDER BY abs(f.change) DESC NULLS LAST, 1, 2 LIMIT :limit::int4
       ) found
UNION ALL
SELECT 'metric', json_build_object('name', m.metric, 'unit', m.unit, 'kind', m.kind, 'combining', given.combining)
  FROM given, perfhouse.metrics(given.a) m
UNION ALL
SELECT 'experiment', to_json(d) FROM perfhouse.experiment_differences(ARRAY[:a::bigint], ARRAY[:b::bigint]) d;
