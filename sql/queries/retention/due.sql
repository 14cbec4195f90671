-- What policy $1 (null: all) asks for now.
SELECT d.policy, d.action, d.run_id, coalesce(d.title, '') FROM perfhouse.retention_due($1) d ORDER BY d.run_id, d.policy
