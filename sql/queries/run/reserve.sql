-- $1 new run ids, in order.
SELECT nextval(pg_get_serial_sequence('perfhouse.run', 'run_id')) FROM generate_series(1, $1::int8)
