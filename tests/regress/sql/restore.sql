-- restore.sql - pg_dump of a database with profiles in users' tables, into a new one.
CREATE TABLE public.memory (id int PRIMARY KEY, p profile, s supergraph);
INSERT INTO public.memory SELECT row_number() OVER (ORDER BY name), p, supergraph(filter(p, 0.1)) FROM public.sample;
SELECT string_agg(md5(p::text || s::text), ' ' ORDER BY id) AS before FROM public.memory \gset
SELECT current_database() AS db, current_database() || '_copy' AS copy \gset
\setenv PH_DB :db
\setenv PH_COPY :copy
CREATE DATABASE :"copy" TEMPLATE template0;
\! "$(${PG_CONFIG:-pg_config} --bindir)/pg_dump" "$PH_DB" > restore.dump && "$(${PG_CONFIG:-pg_config} --bindir)/psql" -X -q -v ON_ERROR_STOP=1 -o restore.log -f restore.dump "$PH_COPY" || echo "restore failed"
\c :copy
SET search_path = perfhouse, public;
SELECT string_agg(md5(p::text || s::text), ' ' ORDER BY id) = :'before' AS same FROM public.memory;
SELECT caption(profile(1));
SELECT count(*) AS broken FROM check_run(1) WHERE NOT ok;
\c :db
DROP DATABASE :"copy";
DROP TABLE public.memory;
-- dropping the extension needs CASCADE while somebody stores a profile
BEGIN;
\set VERBOSITY terse
DROP EXTENSION perfhouse;
\set VERBOSITY default
ROLLBACK;
