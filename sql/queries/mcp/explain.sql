-- explain.sql - why a run takes its time, or another time than run :vs; a sentence a row, each with the SQL of its figures.
--
-- :run, :vs or null
SELECT e.step, e.sentence, e.confidence, e.evidence FROM perfhouse.explain_run(CASE WHEN :vs::int8 IS NULL THEN :run::int8 END) e
UNION ALL
SELECT e.step, e.sentence, e.confidence, e.evidence
FROM perfhouse.explain_runs(CASE WHEN :vs::int8 IS NOT NULL THEN ARRAY[:vs::int8] END, ARRAY[:run::int8]) e;
