-- Which of the fingerprints $1 are loaded: the first run of each and the last repeat.
SELECT DISTINCT ON (fingerprint) fingerprint, run_id,
       max(repeat) OVER (PARTITION BY fingerprint) AS last_repeat
  FROM perfhouse.run
 WHERE fingerprint = ANY ($1::text[]) AND state = 'ready'
 ORDER BY fingerprint, repeat
