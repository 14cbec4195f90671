-- serve_changes.sql - where an application's functions became slower or faster, the largest changes first.
--
-- :application, :metric, :filter, a run filter, or null, :limit
SELECT 'rows' AS section, to_json(found) AS row
  FROM (
    SELECT c.path, c.commit_id, c.run_id, c.mean_before, c.mean_after, c.relative, c.p_value, c.q_value,
           (SELECT max(r.run_id) FROM perfhouse.run r WHERE r.commit_id = c.previous_commit_id AND r.application = :application::text
               AND r.excluded_reason IS NULL) AS previous_run_id
    FROM perfhouse.change_points(:application::text, :metric::text, filter => :filter::text) c
    ORDER BY abs(c.mean_after - c.mean_before) DESC, c.path, c.run_id LIMIT :limit::int4
       ) found;
