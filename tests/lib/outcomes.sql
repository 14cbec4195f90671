-- outcomes.sql - what each relation and function of the warehouse says when it is asked for a run that is not the caller's.
--
-- Everything is taken from the catalog, so that whatever is added later is asked too. A function is called with a run and
-- an application: what the caller is not to see must give the very outcome (rows, or SQLSTATE, message, detail, hint) that
-- a run and an application which do not exist give, but for their names.

-- An expression for an argument of this type and name; null: it cannot be written in SQL.
CREATE FUNCTION public.argument(type oid, name text, run bigint, application text) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT CASE
		WHEN type = 'bigint'::regtype THEN run::text
		WHEN type = 'bigint[]'::regtype THEN format('ARRAY[%s]::bigint[]', run)
		WHEN type = 'perfhouse.profile'::regtype THEN format('perfhouse.profile(%s)', run)
		WHEN type = 'perfhouse.supergraph'::regtype THEN format('perfhouse.supergraph(perfhouse.profile(%s), ''function'')', run)
		WHEN type = 'text'::regtype THEN CASE
			WHEN name IN ('application', 'of_application') THEN format('%L', application)
			WHEN name LIKE '%filter%' THEN format('%L', format('application = ''%s''', application))
			WHEN name IN ('function', 'name', 'focus') THEN '''main'''
			WHEN name IN ('good', 'bad', 'a', 'b', 'of_commit') THEN '''3e01c40'''
			ELSE '''time''' END
		WHEN type = 'jsonb'::regtype THEN format('''{"project": "alpha", "application": %s}''::jsonb', to_json(application))
		WHEN type = 'regclass'::regtype THEN '''perfhouse.run''::regclass'
		WHEN type = 'interval'::regtype THEN '''1 day''::interval'
		WHEN t.typcategory = 'N' THEN '1'
		WHEN t.typcategory = 'B' THEN 'true'
		WHEN t.typcategory = 'A' THEN format('''{}''::%s', t.oid::regtype)
		WHEN type = 'anyelement'::regtype THEN '1::int'
		WHEN t.typtype = 'p' THEN NULL
		ELSE format('NULL::%s', t.oid::regtype) END
	FROM pg_type t WHERE t.oid = type
$$;

-- Calls of a function: with the arguments that have no default, and with all. None: only the server can call it.
CREATE FUNCTION public.calls(f oid, run bigint, application text) RETURNS SETOF text LANGUAGE sql STABLE AS $$
	SELECT DISTINCT format('%s%I.%I(%s)', CASE WHEN p.prokind = 'p' THEN 'CALL ' ELSE '' END, p.pronamespace::regnamespace, p.proname, a.list)
	FROM pg_proc p
	CROSS JOIN LATERAL (VALUES (p.pronargs - p.pronargdefaults), (p.pronargs::int)) n (n)
	CROSS JOIN LATERAL (
		SELECT string_agg(public.argument(t.type, p.proargnames[t.nth], run, application), ', ' ORDER BY t.nth) AS list,
			count(public.argument(t.type, p.proargnames[t.nth], run, application)) AS written
		FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY t (type, nth) WHERE t.nth <= n.n) a
	WHERE p.oid = f AND p.prokind IN ('f', 'p') AND a.written = n.n
		AND p.prorettype <> ALL (ARRAY['internal', 'trigger', 'event_trigger']::regtype[])
$$;

-- What came of it, with what it changed taken back.
CREATE FUNCTION public.outcome(call text, secrets text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	answer text;
	detail text;
	hint text;
	state text;
BEGIN
	BEGIN
		IF call LIKE 'CALL %' THEN
			EXECUTE call;
		ELSE
			EXECUTE format('SELECT string_agg(x::text, E''\n'') FROM (SELECT x FROM %s AS x LIMIT 300) q', call) INTO answer;
		END IF;
		RAISE EXCEPTION USING ERRCODE = 'ZZ000', MESSAGE = coalesce('rows: ' || answer, 'nothing');
	EXCEPTION WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, answer = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
		answer := concat_ws(' | ', state, answer, detail, hint);
	END;
	FOR i IN 1 .. cardinality(secrets) LOOP
		answer := replace(answer, secrets[i], '<' || i || '>');
	END LOOP;
	RETURN answer;
END $$;

-- Functions that tell the two runs apart.
CREATE FUNCTION public.tell_apart(run bigint, application text, ghost bigint, ghost_application text)
RETURNS TABLE (function text, call text, of_run text, of_ghost text) LANGUAGE plpgsql AS $$
DECLARE
	f oid;
	c record;
BEGIN
	FOR f IN SELECT p.oid FROM pg_proc p WHERE p.pronamespace IN ('perfhouse'::regnamespace, 'perfhouse_internal'::regnamespace) ORDER BY 1 LOOP
		FOR c IN SELECT x.call, y.ghost_call
			FROM (SELECT t AS call, row_number() OVER (ORDER BY length(t)) AS n FROM public.calls(f, run, application) t) x
			JOIN (SELECT t AS ghost_call, row_number() OVER (ORDER BY length(t)) AS n FROM public.calls(f, ghost, ghost_application) t) y USING (n)
		LOOP
			of_run := public.outcome(c.call, ARRAY[run::text, application]);
			of_ghost := public.outcome(c.ghost_call, ARRAY[ghost::text, ghost_application]);
			IF of_run <> of_ghost THEN
				function := f::regprocedure;
				call := c.call;
				of_run := left(of_run, 300);
				of_ghost := left(of_ghost, 300);
				RETURN NEXT;
			END IF;
		END LOOP;
	END LOOP;
END $$;

-- Relations with rows that hold one of the words; relations that only some roles may read are read by them only.
CREATE FUNCTION public.relations_with(words text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	relation regclass;
	n bigint;
BEGIN
	FOR relation IN SELECT c.oid FROM pg_class c WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
		AND c.relnamespace IN ('perfhouse'::regnamespace, 'perfhouse_internal'::regnamespace) ORDER BY c.relname
	LOOP
		CONTINUE WHEN NOT has_table_privilege(relation, 'select');
		EXECUTE format('SELECT count(*) FROM %s t WHERE t::text ~ $1', relation) USING words INTO n;
		IF n > 0 THEN
			RETURN NEXT relation::text;
		END IF;
	END LOOP;
END $$;
