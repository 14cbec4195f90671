-- query_list.sql - saved queries.
SELECT q.name, q.title, q.view, (SELECT string_agg(concat_ws('=', p ->> 'name', p ->> 'default'), ' ')
    FROM jsonb_array_elements(q.parameters) p) AS parameters, q.owner, q.saved_at::timestamptz(0)::text AS saved_at, q.about,
    to_jsonb(q)::text AS json
FROM perfhouse.saved_query q ORDER BY q.name;
