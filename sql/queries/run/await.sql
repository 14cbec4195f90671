-- Waits for whoever is loading content $1 with repeat 0.
SELECT run_id FROM perfhouse.run WHERE fingerprint = $1 AND state <> 'ready' AND repeat = 0 FOR SHARE
