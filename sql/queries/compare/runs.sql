-- The runs of the comma-separated list $1: id, how many repeats each has besides, commit, title.
SELECT r.run_id,
       (SELECT count(*) FROM perfhouse.run o
         WHERE o.run_id <> r.run_id AND o.state = 'ready' AND o.excluded_reason IS NULL
           AND (o.application, o.commit_id, o.n_ranks, o.n_threads)
               IS NOT DISTINCT FROM (r.application, r.commit_id, r.n_ranks, r.n_threads)) AS n_repeats,
       r.commit_id, coalesce(r.title, '') AS title
  FROM perfhouse.run r
 WHERE r.run_id = ANY (string_to_array(trim(BOTH ',' FROM $1::text), ',')::int8[]) AND r.state = 'ready'
 ORDER BY r.run_id
