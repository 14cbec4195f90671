-- Key $2 of the metadata of the runs $1 becomes the text $3, or the JSON $3 where $4 (null: it goes): run, title, before.
SELECT q.run_id, coalesce(q.title, ''),
       perfhouse.set_metadata(q.run_id, $2, CASE WHEN $4::boolean THEN $3::text::jsonb ELSE to_jsonb($3::text) END)::text AS before
FROM perfhouse.run q WHERE q.run_id = ANY ($1::int8[]) AND q.state = 'ready' ORDER BY q.run_id
