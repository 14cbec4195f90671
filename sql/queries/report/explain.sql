-- What explains that run $1 takes the time that it takes, a sentence a row, beside whether it can be compared at all.
SELECT e.step, e.sentence, e.confidence, e.shape, e.cause, e.path, e.units, e.share, e.effect, e.evidence, e.picture
  FROM perfhouse.explain_run($1::int8) e
 WHERE e.step <> 'changed'
