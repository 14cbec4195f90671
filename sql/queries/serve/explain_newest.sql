-- serve_explain_newest.sql - why the runs of an application's newest commit (else its newest run) take another time than those of
-- their experiment before them (of the commit before, when they are three), a sentence a row; no row when there are none before.
--
-- :application, :filter, a run filter, or null
WITH newest AS MATERIALIZED (
    SELECT r.run_id, r.commit_id FROM perfhouse.run r
     WHERE r.application = :application::text AND r.state = 'ready' AND r.excluded_reason IS NULL
       AND (:filter::text IS NULL OR r.run_id IN (SELECT perfhouse.runs_matching(:filter::text)))
     ORDER BY coalesce(r.started_at, r.loaded_at) DESC, r.run_id DESC LIMIT 1),
others AS MATERIALIZED (
    SELECT o.run_id, o.commit_id, coalesce(o.commit_id = n.commit_id, false) AS is_newest, coalesce(o.started_at, o.loaded_at) AS at
      FROM newest n, perfhouse.comparable_runs(n.run_id) c (run_id) JOIN perfhouse.run o ON o.run_id = c.run_id
     WHERE o.excluded_reason IS NULL),
before AS (
    SELECT o.*, o.commit_id = first_value(o.commit_id) OVER (ORDER BY o.at DESC, o.run_id DESC) AS is_last
      FROM others o WHERE NOT o.is_newest),
sides AS (
    SELECT (SELECT array_agg(b.run_id) FROM (SELECT o.run_id FROM before o
              WHERE o.is_last OR (SELECT count(*) FROM before c WHERE c.is_last) < 3 ORDER BY o.at DESC LIMIT 12) b) AS a,
           (SELECT n.run_id FROM newest n) || ARRAY(SELECT o.run_id FROM others o WHERE o.is_newest ORDER BY o.at DESC LIMIT 11) AS b)
SELECT 'rows' AS section, to_json(found) AS row
  FROM (
    SELECT e.step, CASE e.step WHEN 'comparable' THEN format('The newest %s, by %s before. ', CASE cardinality(s.b)
                WHEN 1 THEN 'run (' || s.b[1] || ')' ELSE cardinality(s.b) || ' runs (' || array_to_string(s.b, ', ') || ')' END,
                CASE cardinality(s.a) WHEN 1 THEN 'the run' ELSE 'the ' || cardinality(s.a) || ' runs' END)
                ELSE '' END || e.sentence AS sentence,
           e.confidence, e.shape, e.cause, e.path, e.units, e.share, e.effect, e.evidence, e.picture
      FROM sides s, perfhouse.explain_runs(s.a, s.b) e
       ) found;
