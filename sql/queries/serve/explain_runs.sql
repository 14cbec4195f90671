-- serve_explain_runs.sql - why run B takes another time than run A, a sentence a row. One run says little: with runs of different
-- commits go the others of the commit and experiment of each, eleven at most.
--
-- :a, :b
WITH asked AS MATERIALIZED (
    SELECT r.run_id, r.commit_id, r.run_id = :b::int8 AS is_after FROM perfhouse.run r
     WHERE r.run_id IN (:a::int8, :b::int8) AND r.state = 'ready'),
repeats AS (
    SELECT k.is_after, o.run_id, row_number() OVER (PARTITION BY k.is_after ORDER BY o.run_id DESC) AS nth
      FROM asked k, perfhouse.comparable_runs(k.run_id) c (run_id) JOIN perfhouse.run o ON o.run_id = c.run_id
     WHERE o.commit_id = k.commit_id AND o.excluded_reason IS NULL AND (SELECT count(DISTINCT x.commit_id) FROM asked x) = 2),
sides AS (
    SELECT :a::int8 || ARRAY(SELECT q.run_id FROM repeats q WHERE NOT q.is_after AND q.nth <= 11) AS a,
           :b::int8 || ARRAY(SELECT q.run_id FROM repeats q WHERE q.is_after AND q.nth <= 11) AS b)
SELECT 'rows' AS section, to_json(found) AS row
  FROM (
    SELECT e.step, CASE WHEN e.step = 'comparable' AND cardinality(s.a || s.b) > 2
                THEN format('Of their commits %s and %s runs. ', cardinality(s.a), cardinality(s.b)) ELSE '' END || e.sentence AS sentence,
           e.confidence, e.shape, e.cause, e.path, e.units, e.share, e.effect, e.evidence, e.picture
      FROM sides s, perfhouse.explain_runs(s.a, s.b) e
       ) found;
