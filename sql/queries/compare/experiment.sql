-- Whether the runs $1 can be compared with the runs $2, a row per experiment key with the values of both sides.
SELECT d.key, d.status, array_to_string(d.a_values, ', ', '(not known)') AS a, array_to_string(d.b_values, ', ', '(not known)') AS b,
       d.status IN ('differs', 'unknown') AS is_obstacle, to_json(d)::text AS json
  FROM perfhouse.experiment_differences($1::int8[], $2::int8[]) d
