-- What is told of a run that is being loaded ($1 application, $2 title, $3 branch, $4 user, $5 source, $6 metadata) without what is
-- hidden ($8, salt $9) and without the hosts $10; a row for each sentence of $7, what its input lacks, at least one.
SELECT h.row ->> 'application' AS application, h.row ->> 'title' AS title, h.row ->> 'branch' AS branch,
       h.row ->> 'user_name' AS user_name, h.row ->> 'source' AS source, h.row ->> 'meta' AS meta, m.sentence
  FROM (SELECT perfhouse_internal.hidden_run(jsonb_build_object('application', $1::text, 'title', $2::text, 'branch', $3::text,
                   'user_name', $4::text, 'source', $5::text, 'meta', $6::jsonb, 'missing', to_jsonb($7::text[]),
                   'owner', session_user), $8::text[], $10::text[], $9::text) AS row) h
  LEFT JOIN LATERAL jsonb_array_elements_text(h.row -> 'missing') WITH ORDINALITY m (sentence, place) ON true
 ORDER BY m.place
