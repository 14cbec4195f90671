-- Why run $1 takes the time that it takes, a sentence a row; $2 is the margin.
SELECT e.step, e.sentence, e.confidence, e.shape, e.cause, e.path, e.units, e.share, e.effect, e.evidence, e.picture
  FROM perfhouse.explain_run($1::int8, $2::float8) e
