-- query_add.sql - saves a query under a name; no row: there is one of that name, and it is not to be replaced.
--
-- :name, :title or null, :about or null, :sql, :names of its parameters, :types their types (oid), :defaults texts or nulls, :view or
-- null, :replace
WITH q AS (
INSERT INTO perfhouse.saved_query AS q (name, title, about, sql, parameters, view)
SELECT :name::text, :title::text, :about::text, :sql::text, (
    SELECT coalesce(jsonb_agg(jsonb_build_object('name', p.name, 'type', format_type(p.type, NULL), 'default', p.value) ORDER BY p.place),
        '[]')
    FROM ROWS FROM (unnest(:names::text[]), unnest(:types::oid[]), unnest(:defaults::text[])) WITH ORDINALITY p (name, type, value, place)
), :view::text
ON CONFLICT (name) DO UPDATE SET title = excluded.title, about = excluded.about, sql = excluded.sql, parameters = excluded.parameters,
    view = excluded.view, owner = excluded.owner, saved_at = excluded.saved_at WHERE :replace::boolean
RETURNING q.name, q.parameters)
SELECT q.name, (SELECT string_agg(concat_ws(' ', p ->> 'name', p ->> 'type', '= ' || (p ->> 'default')), ', ')
    FROM jsonb_array_elements(q.parameters) p) FROM q;
