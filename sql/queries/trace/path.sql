-- The critical path of a trace by rank and the call that took most of each stay: the $6 longest. $1 run, $2 and $3 ns (stays are
-- cut there), $4 ranks, $5 region; null: all.
WITH stays AS MATERIALIZED (
    SELECT p.rank, p.region, p.compute, p.message, p.collective, p.waiting,
           least(p.t_to, coalesce($3::int8, p.t_to)) - greatest(p.t_from, coalesce($2::int8, p.t_from)) AS ns, p.t_to - p.t_from AS whole
      FROM perfhouse.critical_path($1::bigint) p
     WHERE p.t_to > coalesce($2::int8, p.t_from) AND p.t_from < coalesce($3::int8, p.t_to)
       AND ($4::int4[] IS NULL OR p.rank = ANY ($4::int4[])) AND ($5::text IS NULL OR p.region = $5::text)),
answer AS (
    SELECT s.rank, s.region, sum(s.ns)::int8 AS ns,
           sum(s.ns::float8) / nullif(sum(sum(s.ns::float8)) OVER (), 0) AS share, count(*) AS n_stays,
           sum(s.compute * s.ns::float8 / nullif(s.whole, 0)) AS compute,
           sum(s.message * s.ns::float8 / nullif(s.whole, 0)) AS message,
           sum(s.collective * s.ns::float8 / nullif(s.whole, 0)) AS collective,
           sum(s.waiting * s.ns::float8 / nullif(s.whole, 0)) AS waiting
      FROM stays s GROUP BY 1, 2)
SELECT a.rank, coalesce(a.region, '(outside of calls)') AS region, a.ns, a.share, a.n_stays, a.compute, a.message, a.collective, a.waiting,
       to_json(a)::text AS json
  FROM answer a ORDER BY a.ns DESC, a.rank, a.region LIMIT $6::int8
