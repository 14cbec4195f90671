-- Notes that run $1 was copied: from where ($2), under which number it is there ($3).
INSERT INTO perfhouse.load_log (run_id, source, outcome, message)
SELECT r.run_id, coalesce(r.source, ''), 'loaded', format('copied from run %s of %s', $3::int8, $2::text)
  FROM perfhouse.run r WHERE r.run_id = $1::int8
