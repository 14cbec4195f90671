-- Whether who has content $1 is out of the caller's sight: a run of another owner or project.
SELECT row_security_active('perfhouse.run') AND NOT EXISTS (SELECT FROM perfhouse.run WHERE fingerprint = $1)
