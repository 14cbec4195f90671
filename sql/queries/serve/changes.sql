-- serve_changes.sql - where an application's functions became slower or faster, the largest changes first.
--
-- $1 application, $2 metric, $3 run filter or null, $4 limit
SELECT c.path, c.commit_id, c.run_id, c.mean_before, c.mean_after, c.relative, c.p_value, c.q_value
FROM perfhouse.change_points($1::text, $2::text, filter => $3::text) c
ORDER BY abs(c.mean_after - c.mean_before) DESC, c.path, c.run_id LIMIT $4::int4;
