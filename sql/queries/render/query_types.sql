-- query_types.sql - what the columns of a query of the user are for a picture: profile, supergraph, number, time or text.
--
-- :types oid[], in their order
SELECT CASE WHEN t.oid = 'perfhouse.profile'::regtype THEN 'profile' WHEN t.oid = 'perfhouse.supergraph'::regtype THEN 'supergraph'
    WHEN t.typcategory = 'N' OR t.oid = 'interval'::regtype THEN 'number' WHEN t.typcategory = 'D' THEN 'time' ELSE 'text' END AS kind,
    format_type(t.oid, NULL) AS type,
    CASE WHEN t.typcategory = 'N' THEN '%s::float8' WHEN t.typcategory IN ('D', 'T') THEN 'extract(epoch FROM %s)::float8' END AS number
FROM unnest(:types::oid[]) WITH ORDINALITY AS asked (type, place) JOIN pg_type t ON t.oid = asked.type ORDER BY asked.place;
