-- types.sql - text and binary forms, equality, casts, storage, garbage.
-- text round trip
SELECT name, p = p::text::profile AS same, p <> p::text::profile AS other, left(p::text, 10) AS prefix FROM public.sample ORDER BY name;
SELECT a.p = b.p AS equal FROM public.sample a, public.sample b WHERE a.name = 'a' AND b.name = 'b';
-- casts
SELECT name, p::bytea::profile = p AS same FROM public.sample ORDER BY name;
SELECT supergraph(p)::profile = p AS carried, profile(supergraph(p)) = p AS carried_too FROM public.sample WHERE name = 'a';
SELECT count(*) FROM metrics(skeleton((SELECT p FROM public.sample WHERE name = 'a'))::profile);
-- binary round trip, of plain, filtered and diff profiles and of super graphs
CREATE TABLE public.kept (id int, p profile, s supergraph);
INSERT INTO public.kept SELECT 1, p, supergraph(p) FROM public.sample WHERE name = 'a';
INSERT INTO public.kept SELECT 2, filter(p, 0.2), supergraph(filter(p, 0.2), 'function') FROM public.sample WHERE name = 'a';
INSERT INTO public.kept SELECT 3, diff(a.p, b.p), NULL FROM public.sample a, public.sample b WHERE a.name = 'a' AND b.name = 'b';
INSERT INTO public.kept VALUES (4, NULL, NULL);
\copy public.kept TO 'kept.bin' WITH (FORMAT binary)
\copy public.kept TO 'kept.txt'
CREATE TABLE public.back (LIKE public.kept);
\copy public.back FROM 'kept.bin' WITH (FORMAT binary)
\copy public.back FROM 'kept.txt'
SELECT k.id, bool_and(k.p = b.p) AS profiles, bool_and(k.s::text = b.s::text) AS graphs, count(*)
	FROM public.kept k JOIN public.back b USING (id) GROUP BY k.id ORDER BY k.id;
-- what a filter and a diff remember survives
SELECT count(*) FROM public.back, LATERAL supernodes(repopulate(s)) WHERE id = 2;
SELECT DISTINCT status FROM public.back, LATERAL nodes_diff(p) WHERE id = 3 ORDER BY status;
DROP TABLE public.kept, public.back;
-- garbage
SELECT * FROM public.fails($$SELECT 'nonsense'::profile$$);
SELECT * FROM public.fails($$SELECT 'profile:1:@@@'::profile$$);
SELECT * FROM public.fails($$SELECT 'profile:1:'::profile$$);
SELECT * FROM public.fails($$SELECT 'profile:1:UEhQRgEAAABIAgAA'::profile$$);
SELECT * FROM public.fails($$SELECT 'supergraph:1:UEhQRgEAAABIAgAA'::supergraph$$);
SELECT * FROM public.fails($$SELECT 'profile:1:AAAA'::supergraph$$);
SELECT * FROM public.fails($$SELECT '\x0102'::bytea::profile$$);
-- every truncation and every flipped byte is refused or read as some sound profile
CREATE FUNCTION public.survives(bytes bytea) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT 'read' FROM (SELECT count(*) FROM nodes(bytes::profile)) q);
EXCEPTION WHEN SQLSTATE 'PH001' OR program_limit_exceeded OR SQLSTATE 'PH002' OR SQLSTATE 'PH003' THEN
	RETURN 'refused';
END $$;
SELECT public.survives(substr(b, 1, n)), count(*) FROM (SELECT p::bytea AS b FROM public.sample WHERE name = 'a') s,
	generate_series(0, length(b) - 1) n GROUP BY 1 ORDER BY 1;
SELECT bool_and(public.survives(set_byte(b, n, 255 - get_byte(b, n))) IN ('read', 'refused')) AS sound
	FROM (SELECT p::bytea AS b FROM public.sample WHERE name = 'a') s, generate_series(0, length(b) - 1) n;
SELECT public.survives(set_byte(b, 4, 99)) FROM (SELECT p::bytea AS b FROM public.sample WHERE name = 'a') s;
CREATE FUNCTION public.graph_survives(t text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT 'read' FROM (SELECT count(*) FROM supernodes(t::supergraph)) q);
EXCEPTION WHEN SQLSTATE 'PH001' OR program_limit_exceeded OR SQLSTATE 'PH002' OR SQLSTATE 'PH003' THEN
	RETURN 'refused';
END $$;
SELECT bool_and(public.graph_survives('supergraph:1:' || translate(encode(set_byte(b, n, 255 - get_byte(b, n)), 'base64'), E'\n', ''))
	IN ('read', 'refused')) AS sound
	FROM (SELECT decode(substr(supergraph(p)::text, 14), 'base64') AS b FROM public.sample WHERE name = 'a') s,
	generate_series(0, length(b) - 1) n;
DROP FUNCTION public.survives, public.graph_survives;
-- a parameter needs a type
SELECT * FROM public.fails('PREPARE untyped AS SELECT profile($1)');
PREPARE typed AS SELECT caption(profile($1::bigint));
EXECUTE typed (1);
DEALLOCATE typed;
-- aggregates that anybody may give anything: rows of different types, a window's, those of a table that lost a column
SELECT * FROM public.fails($$SELECT json_columns(CASE WHEN i = 1 THEN ROW('a'::text) ELSE ROW(1234567890123::int8) END) FROM generate_series(1, 2) i$$);
SELECT json_columns(r) OVER (ORDER BY r.i) FROM (SELECT i, repeat('x', i) AS x FROM generate_series(1, 3) i) r;
CREATE TABLE public.lost (a int, b text, c int);
INSERT INTO public.lost VALUES (1, 'x', 2), (3, 'y', NULL);
ALTER TABLE public.lost DROP COLUMN b;
SELECT json_columns(l) FROM public.lost l;
DROP TABLE public.lost;
CREATE AGGREGATE pg_temp.tallied(bytea) (SFUNC = perfhouse_internal.comm_tally_combine, STYPE = bytea, INITCOND = '\x5068747900000040ffffffffffffffff');
SELECT * FROM public.fails($$SELECT pg_temp.tallied(NULL::bytea)$$);
CREATE AGGREGATE pg_temp.tallied_of_none(bytea) (SFUNC = perfhouse_internal.comm_tally_combine, STYPE = bytea);
SELECT * FROM public.fails($$SELECT pg_temp.tallied_of_none('\x5068747900000040ffffffffffffffff')$$);
DROP AGGREGATE pg_temp.tallied(bytea), pg_temp.tallied_of_none(bytea);
