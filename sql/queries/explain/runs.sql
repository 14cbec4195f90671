-- Why the runs $2 take another time than the runs $1, a sentence a row; $3 is the margin.
SELECT e.step, e.sentence, e.confidence, e.shape, e.cause, e.path, e.units, e.share, e.effect, e.evidence, e.picture
  FROM perfhouse.explain_runs($1::int8[], $2::int8[], $3::float8) e
