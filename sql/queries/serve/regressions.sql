-- serve_regressions.sql - regressions, open ones first.
--
-- :application or null, :limit
SELECT 'rows' AS section, to_json(found) AS row
  FROM (
    SELECT g.regression_id, g.state, g.application, g.path, g.commit_id, g.subject, g.mean_before, g.mean_after, g.unit, g.relative,
           g.n_ranks, g.lost_node_hours, g.run_id, g.reason, g.found_at
    FROM perfhouse.regression_overview g
    WHERE :application::text IS NULL OR g.application = :application
    ORDER BY g.state NOT IN ('new', 'active'), g.lost_node_hours DESC NULLS LAST, g.regression_id LIMIT :limit::int4
       ) found;
