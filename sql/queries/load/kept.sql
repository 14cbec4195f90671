-- Of the runs $1, which were there already, what they have other than was given ($2 keys, $3 values): run, key, what it has.
SELECT r.run_id, s.key, r.meta ->> s.key AS kept
  FROM perfhouse.run r CROSS JOIN unnest($2::text[], $3::text[]) s (key, value)
 WHERE r.run_id = ANY ($1::int8[]) AND r.meta ->> s.key IS DISTINCT FROM s.value
 ORDER BY 1, 2
