-- $1 new run ids, in order.
SELECT nextval(s.ids)
  FROM (SELECT pg_get_serial_sequence('perfhouse.run', 'run_id')::regclass AS ids OFFSET 0) s,
       generate_series(1, $1::int8)
