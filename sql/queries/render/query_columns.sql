-- query_columns.sql - a query of the user and what its columns are called, as rows (section, JSON object) for the renderer.
--
-- :query its text, :columns text[] what the picture calls them, :names text[] what the query calls them, :kinds text[]
SELECT 'query', jsonb_build_object('text', regexp_replace(:query::text, '\s+', ' ', 'g'))::text
UNION ALL
(SELECT 'given_columns', jsonb_build_object('column', c.column_name, 'name', c.name, 'kind', c.kind)::text
FROM unnest(:columns::text[], :names::text[], :kinds::text[]) WITH ORDINALITY AS c (column_name, name, kind, place)
ORDER BY c.place);
