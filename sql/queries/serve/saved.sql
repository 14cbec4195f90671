-- serve_saved.sql - saved queries, or the one of a name.
--
-- :name or null
SELECT 'rows', to_json(q)::text FROM perfhouse.saved_query q
WHERE :name::text IS NULL OR q.name = :name::text ORDER BY q.name;
