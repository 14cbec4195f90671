-- The runs $1: id, how many repeats each has besides (of its experiment and commit), commit, title.
SELECT r.run_id,
       (SELECT count(*) FROM perfhouse.comparable_runs(r.run_id) c (run_id)
          JOIN perfhouse.run_overview o ON o.run_id = c.run_id AND o.commit_id = r.commit_id) AS n_repeats,
       r.commit_id, coalesce(r.title, '') AS title
  FROM perfhouse.run r
 WHERE r.run_id = ANY ($1::int8[]) AND r.state = 'ready'
 ORDER BY r.run_id
