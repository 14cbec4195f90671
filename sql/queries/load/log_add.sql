INSERT INTO perfhouse.load_log (run_id, source, outcome, message, bytes)
VALUES ($1::int8, $2, $3, $4, $5::int8)
