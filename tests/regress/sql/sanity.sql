-- sanity.sql - lint of the catalog: comments, markings, search_path, grants. Every list must be empty.
CREATE VIEW public.member AS SELECT d.classid, d.objid FROM pg_depend d JOIN pg_extension e
	ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e' WHERE e.extname = 'perfhouse';
-- what there is
SELECT classid::regclass AS kind, count(*) > 0 AS some FROM public.member GROUP BY classid ORDER BY classid::regclass::text;
-- objects without a comment
SELECT pg_describe_object(classid, objid, 0) FROM public.member
	WHERE obj_description(objid, classid::regclass::name) IS NULL
	AND NOT EXISTS (SELECT FROM pg_type t WHERE classid = 'pg_type'::regclass AND t.oid = objid AND t.typelem <> 0) ORDER BY 1;
-- functions outside the schema
SELECT p.oid::regprocedure FROM public.member JOIN pg_proc p ON classid = 'pg_proc'::regclass AND objid = p.oid
	WHERE pronamespace <> 'perfhouse'::regnamespace;
-- security definer
SELECT p.oid::regprocedure FROM public.member JOIN pg_proc p ON classid = 'pg_proc'::regclass AND objid = p.oid WHERE prosecdef;
-- functions that read the warehouse have a pinned search_path, and no others need one
SELECT p.oid::regprocedure, proconfig, provolatile, proparallel FROM public.member JOIN pg_proc p ON classid = 'pg_proc'::regclass AND objid = p.oid
	WHERE provolatile <> 'i' OR proconfig IS NOT NULL ORDER BY 1::text COLLATE "C";
-- not parallel safe
SELECT p.oid::regprocedure, proparallel FROM public.member JOIN pg_proc p ON classid = 'pg_proc'::regclass AND objid = p.oid
	WHERE proparallel <> 's' ORDER BY 1::text COLLATE "C";
-- not strict: a null means something, or is handled
SELECT p.proname FROM public.member JOIN pg_proc p ON classid = 'pg_proc'::regclass AND objid = p.oid
	WHERE NOT proisstrict AND prokind = 'f' ORDER BY p.proname COLLATE "C";
-- set-returning functions with the default number of rows are meant to have it
SELECT p.proname, p.prorows FROM public.member JOIN pg_proc p ON classid = 'pg_proc'::regclass AND objid = p.oid
	WHERE proretset ORDER BY p.proname COLLATE "C", p.oid;
-- functions that PUBLIC may not call: those that write
SELECT p.oid::regprocedure FROM public.member JOIN pg_proc p ON classid = 'pg_proc'::regclass AND objid = p.oid
	WHERE NOT has_function_privilege('public', p.oid, 'execute') ORDER BY 1::text COLLATE "C";
SELECT p.oid::regprocedure FROM public.member JOIN pg_proc p ON classid = 'pg_proc'::regclass AND objid = p.oid
	WHERE provolatile = 'v' AND has_function_privilege('public', p.oid, 'execute');
-- the functions that take a profile or a super graph and yield numbers end with a metric
SELECT p.oid::regprocedure FROM public.member JOIN pg_proc p ON classid = 'pg_proc'::regclass AND objid = p.oid
	WHERE proretset AND NOT 'metric' = ANY (coalesce(proargnames, '{}')) ORDER BY 1::text COLLATE "C";
-- operators know their functions' volatility and commute with themselves where they say so
SELECT o.oid::regoperator, o.oprcode FROM public.member JOIN pg_operator o ON classid = 'pg_operator'::regclass AND objid = o.oid ORDER BY 1::text COLLATE "C";
-- tables are not members: they are dumped like any user's
SELECT count(*) AS member_tables FROM public.member WHERE classid = 'pg_class'::regclass;
-- PUBLIC may not use the schema
SELECT has_schema_privilege('public', 'perfhouse', 'usage') AS usage, has_schema_privilege('public', 'perfhouse', 'create') AS "create";
DROP VIEW public.member;
