-- sanity.sql - lint of the catalog: comments, markings, search_path, grants. Every list must be empty; a new function
-- changes nothing here.
CREATE VIEW public.member AS SELECT d.classid, d.objid FROM pg_depend d JOIN pg_extension e
	ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e' WHERE e.extname = 'perfhouse';
CREATE VIEW public.routine AS SELECT p.*, p.oid::regprocedure AS name, p.pronamespace = 'perfhouse_internal'::regnamespace AS is_internal,
	(SELECT lanname FROM pg_language l WHERE l.oid = p.prolang) AS language, has_function_privilege('public', p.oid, 'execute') AS is_public
	FROM public.member JOIN pg_proc p ON classid = 'pg_proc'::regclass AND objid = p.oid;
-- what there is
SELECT classid::regclass AS kind, count(*) > 0 AS some FROM public.member GROUP BY classid ORDER BY classid::regclass::text;
SELECT is_internal, count(*) > 20 AS many FROM public.routine GROUP BY 1 ORDER BY 1;
-- objects without a comment
SELECT pg_describe_object(classid, objid, 0) FROM public.member
	WHERE obj_description(objid, classid::regclass::name) IS NULL
	AND NOT EXISTS (SELECT FROM pg_type t WHERE classid = 'pg_type'::regclass AND t.oid = objid AND t.typelem <> 0) ORDER BY 1;
-- functions outside the two schemas
SELECT name FROM public.routine WHERE pronamespace NOT IN ('perfhouse'::regnamespace, 'perfhouse_internal'::regnamespace);
-- security definer
SELECT name FROM public.routine WHERE prosecdef;
-- functions that read the warehouse and those with a body of SQL have a pinned search_path, but for two that are called a row, whose
-- statements name the schemas of all that they use
SELECT name, proconfig, language, provolatile FROM public.routine
	WHERE prokind <> 'a' AND (provolatile <> 'i' OR language <> 'c') AND proconfig IS DISTINCT FROM '{"search_path=pg_catalog, pg_temp"}' ORDER BY 1::text COLLATE "C";
-- who writes is volatile and stays out of parallel plans; nobody else needs to
SELECT name, provolatile, proparallel FROM public.routine WHERE (provolatile = 'v') <> (proparallel = 'u') ORDER BY 1::text COLLATE "C";
-- a pure function that people call and that takes nulls has defaults for them
SELECT name FROM public.routine WHERE NOT proisstrict AND prokind = 'f' AND NOT is_internal AND pronargdefaults = 0 AND provolatile = 'i' AND pronargs > 0 ORDER BY 1::text COLLATE "C";
-- a set's function says what it costs, or how many rows it has
SELECT name FROM public.routine WHERE proretset AND procost <= 1 AND prorows = 1000;
-- PUBLIC may call what people call and what does not write; nothing of the machinery (assign_logical_steps and store_tiles need rights on their tables)
SELECT name FROM public.routine WHERE is_public <> (NOT is_internal AND provolatile <> 'v') AND proname NOT IN ('assign_logical_steps', 'store_tiles') ORDER BY 1::text COLLATE "C";
-- of the warehouse's functions, too, those that write and no others stay out of parallel plans
SELECT oid::regprocedure, provolatile, proparallel FROM pg_proc
	WHERE pronamespace IN ('perfhouse'::regnamespace, 'perfhouse_internal'::regnamespace) AND prokind = 'f'
	AND (provolatile = 'v') <> (proparallel = 'u') ORDER BY 1::text COLLATE "C";
-- nor of the warehouse's machinery, which is not the extension's
SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = 'perfhouse_internal'::regnamespace
	AND has_function_privilege('public', oid, 'execute') ORDER BY 1::text COLLATE "C";
-- the functions that take a profile or a super graph and yield its numbers end with a metric
SELECT name FROM public.routine WHERE proretset AND proargtypes[0] IN ('profile'::regtype, 'supergraph'::regtype)
	AND proargnames && '{inclusive,exclusive,mean}' AND NOT 'metric' = ANY (proargnames) ORDER BY 1::text COLLATE "C";
-- support functions, steps of aggregates, input and output are machinery
SELECT s.function FROM (
	SELECT prosupport AS function FROM public.routine
	UNION SELECT unnest(ARRAY[aggtransfn, aggfinalfn, aggcombinefn, aggserialfn, aggdeserialfn]) FROM pg_aggregate JOIN public.routine r ON r.oid = aggfnoid
	UNION SELECT unnest(ARRAY[typinput, typoutput, typreceive, typsend]) FROM pg_type WHERE typnamespace = 'perfhouse'::regnamespace AND typtype = 'b' AND typelem = 0) s
	JOIN public.routine r ON r.oid = s.function WHERE NOT r.is_internal;
-- operators that others were promised to be, but are not
SELECT o.oid::regoperator FROM pg_operator o WHERE o.oprnamespace = 'perfhouse'::regnamespace AND o.oprcode = 0;
-- tables are not members: they are dumped like any user's
SELECT count(*) AS member_tables FROM public.member WHERE classid = 'pg_class'::regclass;
-- PUBLIC may not use the schemas
SELECT nspname, has_schema_privilege('public', oid, 'usage') AS usage, has_schema_privilege('public', oid, 'create') AS "create"
	FROM pg_namespace WHERE nspname LIKE 'perfhouse%' ORDER BY 1;
DROP VIEW public.routine, public.member;
