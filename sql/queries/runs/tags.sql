-- The tags that runs have: how many, the newest one, and of which applications.
SELECT tag, count(*) AS n_runs, max(run_id) AS newest, string_agg(DISTINCT application, ', ' ORDER BY application) AS applications,
       json_build_object('tag', tag, 'n_runs', count(*), 'newest', max(run_id),
           'applications', coalesce(json_agg(DISTINCT application) FILTER (WHERE application IS NOT NULL), '[]')) AS json
  FROM perfhouse.run_overview, unnest(tags) AS tag
 GROUP BY tag
 ORDER BY tag
