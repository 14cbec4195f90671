-- What the functions that only run $1 has may have become in run $2, under the aliases there are, scored at least $3.
SELECT round(m.score::numeric, 2)::text AS score, m.name, m.candidate_name AS to_name, array_to_string(m.reasons, ', ') AS reasons, m.path,
       to_json(m)::text AS json
FROM perfhouse.match_candidates(perfhouse.apply_aliases(perfhouse.profile($1::bigint)),
    perfhouse.apply_aliases(perfhouse.profile($2::bigint)),
         min_score => $3::float8, most => 1) m
WHERE m.is_top AND m.name <> m.candidate_name
ORDER BY m.score DESC, m.node
