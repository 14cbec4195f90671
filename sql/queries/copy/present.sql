-- Which of the contents with fingerprints $1, repeats $2 and projects $3 are here: places from 1 on, with their runs.
SELECT u.place, r.run_id
  FROM unnest($1::text[], $2::int4[], $3::text[]) WITH ORDINALITY u (fingerprint, repeat, project, place)
  JOIN perfhouse.run r ON r.fingerprint = u.fingerprint AND r.repeat = u.repeat AND r.state = 'ready'
   AND r.project IS NOT DISTINCT FROM perfhouse_internal.copied_project(jsonb_build_object('project', u.project))
 ORDER BY u.place
