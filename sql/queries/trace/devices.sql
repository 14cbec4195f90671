-- How well run $1 uses its devices in the window $2 to $3 (ns, null: open), or in each call of the function $4: $5 rows at most.
SELECT coalesce(d.part, 'devices') AS part, d.devices, d.elapsed AS ns, d.parallel, d.load_balance, d.communication, d.orchestration,
       d.offload, to_json(d)::text AS json
  FROM perfhouse.device_efficiencies($1::bigint, $2::int8, $3::int8, region => $4::text) d
 WHERE EXISTS (SELECT 1 FROM perfhouse.trace_stream s WHERE s.run_id = $1::bigint)
 ORDER BY d.t_from NULLS FIRST, 1 LIMIT $5::int8
