-- serve_diff.sql - what changed between two runs, by function, the largest changes first; in section experiment whether
-- they can be compared, a row per key.
--
-- :a run A, :b run B, :metric or null, :limit
SELECT 'rows' AS section, to_json(found) AS row
  FROM (
    SELECT d.name, d.module, sum(d.before_exclusive) AS before, sum(d.after_exclusive) AS after, sum(d.delta_exclusive) AS change,
           sum(d.delta_exclusive) / nullif(sum(d.before_exclusive), 0) AS relative,
           CASE WHEN bool_and(d.status = 'only before') THEN 'only in A' WHEN bool_and(d.status = 'only after') THEN 'only in B'
               ELSE '' END AS only_in,
           count(*) AS nodes
    FROM perfhouse.nodes_diff(perfhouse.diff(
        perfhouse_internal.shown_profile(:a::bigint, ARRAY[:metric::text], NULL, 0, means => true),
        perfhouse_internal.shown_profile(:b::bigint, ARRAY[:metric::text], NULL, 0, means => true))) d
    GROUP BY 1, 2 ORDER BY abs(sum(d.delta_exclusive)) DESC, 1, 2 LIMIT :limit::int4
       ) found
UNION ALL
SELECT 'experiment', to_json(d) FROM perfhouse.experiment_differences(ARRAY[:a::bigint], ARRAY[:b::bigint]) d;
