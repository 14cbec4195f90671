-- Where a trace's processes waited and who made them: the $6 costliest of (kind of wait, call that waited, call path that caused
-- most of it), with the rank that caused most of each. $1 run, $2 and $3 ns, $4 ranks that waited, $5 a region within whose calls
-- they did; null: all.
WITH waits AS MATERIALIZED (
    SELECT w.kind, w.region, w.origin_path, w.origin_rank, w.victim_rank, w.ns
      FROM perfhouse.wait_states($1::bigint, $2::int8, $3::int8, CASE WHEN $4::int4[] IS NOT NULL THEN ARRAY(
               SELECT l.location_id FROM perfhouse.location l WHERE l.run_id = $1::bigint AND l.rank = ANY ($4::int4[])) END) w
     WHERE $5::text IS NULL OR strpos('/' || w.path || '/', '/' || $5::text || '/') > 0),
by_rank AS (
    SELECT w.kind, w.region, w.origin_path, w.origin_rank, sum(w.ns)::int8 AS ns FROM waits w GROUP BY 1, 2, 3, 4),
causes AS (
    SELECT w.kind, w.region, w.origin_path, sum(w.ns)::int8 AS ns, count(*) AS n_waits, count(DISTINCT w.victim_rank) AS n_ranks
      FROM waits w GROUP BY 1, 2, 3),
answer AS (
    SELECT c.kind, c.region, c.ns, c.ns / sum(c.ns::float8) OVER () AS share, c.n_waits, c.n_ranks, c.origin_path,
           m.origin_rank, m.ns::float8 / nullif(c.ns, 0) AS of_rank
      FROM causes c
     CROSS JOIN LATERAL (
           SELECT b.origin_rank, b.ns FROM by_rank b
            WHERE b.kind = c.kind AND b.region IS NOT DISTINCT FROM c.region AND b.origin_path IS NOT DISTINCT FROM c.origin_path
            ORDER BY b.ns DESC, b.origin_rank LIMIT 1) m)
SELECT a.kind, a.region, a.ns, a.share, a.n_waits, a.n_ranks, coalesce(a.origin_path, '(not explained)') AS origin_path, a.origin_rank,
       a.of_rank, to_json(a)::text AS json
  FROM answer a ORDER BY a.ns DESC, a.kind, a.region, a.origin_path LIMIT $6::int8
