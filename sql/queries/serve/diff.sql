-- serve_diff.sql - what changed between two runs, by function, the largest changes first; noise: by how much a run of the experiment
-- of A varies there (null: nobody knows), is_clear: the change is larger than two runs that do not differ would show. In section
-- experiment whether they can be compared, a row per key; in section metric the name, unit and kind of what the rows
-- are in, which only says something where it is a flow: costs of call paths are added up.
--
-- :a run A, :b run B, :metric or null, :limit
WITH known AS MATERIALIZED (
    SELECT * FROM perfhouse_internal.noise_by_name(:a::bigint, :metric::text)
), given AS MATERIALIZED (
    SELECT perfhouse_internal.shown_profile(:a::bigint, ARRAY[:metric::text], NULL, 0, means => true) AS a,
           perfhouse_internal.shown_profile(:b::bigint, ARRAY[:metric::text], NULL, 0, means => true) AS b
)
SELECT 'rows' AS section, to_json(found) AS row
  FROM (
    SELECT f.*, CASE WHEN f.noise IS NOT NULL THEN abs(f.change) > greatest(
               least((SELECT k.factor FROM known k WHERE k.name IS NULL) * f.noise, 0.99) * greatest(f.before, f.after),
               (SELECT k.least_share FROM known k WHERE k.name IS NULL) * sum(f.before) OVER ()) END AS is_clear
      FROM (SELECT d.name, d.module, sum(d.before_exclusive) AS before, sum(d.after_exclusive) AS after, sum(d.delta_exclusive) AS change,
                   sum(d.delta_exclusive) / nullif(sum(d.before_exclusive), 0) AS relative,
                   CASE WHEN bool_and(d.status = 'only before') THEN 'only in A' WHEN bool_and(d.status = 'only after') THEN 'only in B'
                       ELSE '' END AS only_in, count(*) AS nodes,
                   greatest((SELECT k.relative FROM known k WHERE k.name IS NULL), (SELECT k.relative FROM known k WHERE k.name = d.name))
                       AS noise
              FROM given, perfhouse.nodes_diff(perfhouse.diff(given.a, given.b)) d
             GROUP BY 1, 2) f
     ORDER BY abs(f.change) DESC, 1, 2 LIMIT :limit::int4
       ) found
UNION ALL
SELECT 'metric', json_build_object('name', m.metric, 'unit', m.unit, 'kind', m.kind) FROM given, perfhouse.metrics(given.a) m
UNION ALL
SELECT 'experiment', to_json(d) FROM perfhouse.experiment_differences(ARRAY[:a::bigint], ARRAY[:b::bigint]) d;
