-- How well run $1 uses its devices in the window $2 to $3 (ns, null: open): $4 rows at most.
SELECT 'devices' AS part, d.devices, d.elapsed AS ns, d.parallel, d.load_balance, d.communication, d.orchestration, d.offload,
       to_json(d)::text AS json
  FROM perfhouse.device_efficiency($1::bigint, $2::int8, $3::int8) d
 WHERE EXISTS (SELECT FROM perfhouse.trace_stream s WHERE s.run_id = $1::bigint)
 LIMIT $4::int8
