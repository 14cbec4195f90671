-- query_find.sql - a saved query, with a row for each of its parameters, or one of nulls when it has none.
--
-- :name
SELECT q.sql, q.view, coalesce(q.title, q.name) AS title, p.value ->> 'name' AS parameter, p.value ->> 'type' AS type,
    p.value ->> 'default' AS fallback
FROM perfhouse.saved_query q LEFT JOIN LATERAL jsonb_array_elements(q.parameters) WITH ORDINALITY p (value, place) ON true
WHERE q.name = :name::text ORDER BY p.place;
