-- query_panels.sql - saved queries as panels need them, a row for each parameter of each (nulls: it has none).
SELECT q.name, coalesce(q.title, q.name) AS title, coalesce(q.about, 'The saved query ' || q.name || '.') AS about, q.sql, q.view,
    p.value ->> 'name' AS parameter, p.value ->> 'default' AS fallback, p.value ->> 'type' AS type
FROM perfhouse.saved_query q LEFT JOIN LATERAL jsonb_array_elements(q.parameters) WITH ORDINALITY p (value, place) ON true
ORDER BY q.name, p.place;
