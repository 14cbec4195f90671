-- policies.sql - names of retention policies that begin like :prefix.
SELECT name, action
FROM perfhouse.retention_policy
WHERE starts_with(name, :prefix)
ORDER BY name
LIMIT 200;
