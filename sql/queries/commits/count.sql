-- What is known of repository $1: commits, commits on the main line, branches, tags, ready runs of its commits.
SELECT count(*) AS commits, count(c.first_parent_position) AS main_line,
       (SELECT count(*) FROM perfhouse.commit_ref f WHERE f.repository = $1::text AND f.kind IN ('branch', 'remote')) AS branches,
       (SELECT count(*) FROM perfhouse.commit_ref f WHERE f.repository = $1 AND f.kind = 'tag') AS tags,
       (SELECT count(*) FROM perfhouse.run_history h WHERE h.repository = $1) AS runs
  FROM perfhouse.commit c
 WHERE c.repository = $1
