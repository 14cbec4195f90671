-- Policy $1 goes; a row when there was one.
DELETE FROM perfhouse.retention_policy WHERE name = $1 RETURNING name
