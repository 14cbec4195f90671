-- serve_explain.sql - why a run takes the time that it takes, a sentence a row.
--
-- :run
SELECT 'rows' AS section, to_json(found) AS row
  FROM (
    SELECT e.step, e.sentence, e.confidence, e.shape, e.cause, e.path, e.units, e.share, e.effect, e.evidence, e.picture
      FROM perfhouse.explain_run(:run::int8) e
       ) found;
