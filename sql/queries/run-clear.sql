-- Everything that belongs to run $1 but its row.
WITH location AS (DELETE FROM perfhouse.location WHERE run_id = $1::int8),
     region AS (DELETE FROM perfhouse.run_region WHERE run_id = $1::int8),
     tree AS (DELETE FROM perfhouse.profile_tree WHERE run_id = $1::int8),
     value AS (DELETE FROM perfhouse.profile_values WHERE run_id = $1::int8),
     summary AS (DELETE FROM perfhouse.profile_summary WHERE run_id = $1::int8)
DELETE FROM perfhouse.region_summary WHERE run_id = $1::int8
