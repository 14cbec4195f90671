-- How well run $1 uses its processes in the window $2 to $3 (ns, null: open), or in each call of the function $4: $5 rows at most.
SELECT coalesce(e.part, 'run') AS part, e.t_from, e.t_to - e.t_from AS ns, e.ranks, e.parallel, e.load_balance, e.communication,
       e.serialisation, e.transfer, e.threads, e.thread_load_balance, e.thread_serialisation, to_json(e)::text AS json
  FROM perfhouse.efficiency($1::bigint, $2::int8, $3::int8, region => $4::text) e
 ORDER BY e.t_from, 1 LIMIT $5::int8
