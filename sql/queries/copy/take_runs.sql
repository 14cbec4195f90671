-- Rows $1 of another warehouse's runs; $2 their numbers here, $3 those of metrics, by the numbers there. Which went in.
SELECT t FROM perfhouse_internal.take_runs($1::jsonb, $2::jsonb, $3::jsonb) t
