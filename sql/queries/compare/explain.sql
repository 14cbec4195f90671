-- What changed from the runs $1 to the runs $2, and why, a sentence a row: findings, then commits in between. $3 is the margin; $4
-- the metric, $5 the ranks, $6 the call path, $7 and $8 the window (null: all).
SELECT e.step, e.sentence, e.confidence, e.shape, e.cause, e.path, e.units, e.share, e.effect, e.evidence, e.picture
  FROM perfhouse_internal.explain_part($1::int8[], $2::int8[], $3::float8, $4::text, $5::int4[], $6::text, $7::int8, $8::int8) e
 WHERE e.step = 'finding'
UNION ALL
SELECT 'changed', c.text, 'low', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
  FROM perfhouse_internal.explain_commits($1::int8[], $2::int8[]) c (text)
 WHERE c.text IS NOT NULL
