-- serve_regressions.sql - regressions, open ones first.
--
-- $1 application or null, $2 limit
SELECT g.regression_id, g.state, g.application, g.path, g.commit_id, g.subject, g.mean_before, g.mean_after, g.unit, g.relative,
       g.n_ranks, g.lost_node_hours, g.run_id, g.reason, g.found_at
FROM perfhouse.regression_overview g
WHERE $1::text IS NULL OR g.application = $1
ORDER BY g.state NOT IN ('new', 'active'), g.lost_node_hours DESC NULLS LAST, g.regression_id LIMIT $2::int4;
