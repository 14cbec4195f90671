-- What changed from the runs $1 to the runs $2, and why, a sentence a row: findings, then commits in between. $3 is the margin; $4
-- the metric, $5 the ranks, $6 the call path, $7 and $8 the window (null: all).
SELECT x.step, x.sentence, x.confidence, x.shape, x.cause, x.path, x.units, x.share, x.effect, x.evidence, x.picture
  FROM (
    SELECT e.*
      FROM perfhouse_internal.explain_part($1::int8[], $2::int8[], $3::float8, $4::text, $5::int4[], $6::text, $7::int8, $8::int8)
           WITH ORDINALITY e (step, sentence, confidence, shape, cause, path, units, share, effect, evidence, picture, nth)
     WHERE e.step = 'finding'
    UNION ALL
    SELECT 'changed', c.text, 'low', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
      FROM perfhouse_internal.explain_commits($1::int8[], $2::int8[]) c (text)
     WHERE c.text IS NOT NULL) x
 ORDER BY x.nth NULLS LAST
