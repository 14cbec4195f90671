-- 27-help.sql - what there is, for people who ask in SQL. Its examples are those of the reference (26-examples.sql).

CREATE OR REPLACE FUNCTION perfhouse_internal.described_objects()
	RETURNS TABLE (kind text, name text, signature text, comment text, example text, topic text, topic_place int8)
	LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 200
	SET search_path = pg_catalog, pg_temp
	AS $$
	WITH object AS (
		SELECT CASE p.prokind WHEN 'a' THEN 'aggregate' WHEN 'p' THEN 'procedure' ELSE 'function' END AS kind, p.proname::text AS name,
			p.proname || '(' || pg_get_function_arguments(p.oid) || ')'
				|| coalesce(' → ' || pg_get_function_result(p.oid), '') AS signature,
			obj_description(p.oid, 'pg_proc') AS comment, p.oid
		FROM pg_proc p WHERE p.pronamespace = 'perfhouse'::regnamespace
		UNION ALL
		SELECT 'view', c.relname, c.relname || ' (' || (SELECT string_agg(a.attname, ', ' ORDER BY a.attnum)
				FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0) || ')', obj_description(c.oid, 'pg_class'), c.oid
		FROM pg_class c WHERE c.relnamespace = 'perfhouse'::regnamespace AND c.relkind = 'v')
	SELECT o.kind, o.name, replace(o.signature, 'perfhouse.', ''), o.comment, e.example, coalesce(e.topic, 'Others'), e.place
	FROM object o
	LEFT JOIN (SELECT x.*, CASE WHEN x.object LIKE '%)' THEN to_regprocedure(x.object)::oid
				ELSE to_regclass('perfhouse.' || x.object)::oid END AS oid
			FROM perfhouse_internal.examples() WITH ORDINALITY x (topic, object, example, place) OFFSET 0) e ON e.oid = o.oid
	WHERE o.comment IS NOT NULL
$$;
COMMENT ON FUNCTION perfhouse_internal.described_objects() IS
	'The functions and views of schema perfhouse that have a comment, for help(); topic_place orders topics.';

CREATE OR REPLACE FUNCTION help(word text DEFAULT NULL)
	RETURNS TABLE (kind text, name text, signature text, comment text, example text, topic text)
	LANGUAGE sql STABLE PARALLEL SAFE COST 20000 ROWS 20
	SET search_path = pg_catalog, pg_temp
	AS $$
	WITH asked AS (SELECT coalesce(lower(btrim(word)), '') AS word),
	object AS (SELECT d.* FROM perfhouse_internal.described_objects() d),
	topic AS (
		SELECT 'topic', o.topic, NULL::text, string_agg(DISTINCT o.name, ', ' ORDER BY o.name),
			'SELECT name, comment, example FROM help(' || quote_literal(lower(o.topic)) || ')', o.topic
		FROM object o, asked a WHERE a.word = '' GROUP BY o.topic ORDER BY min(o.topic_place)),
	found AS (
		SELECT o.kind, o.name, o.signature, o.comment, o.example, o.topic
		FROM object o, asked a
		WHERE a.word <> '' AND position(a.word IN lower(concat_ws(' ', o.name, o.topic, o.comment))) > 0
		ORDER BY lower(o.name) <> a.word, position(a.word IN lower(o.name)) = 0, position(a.word IN lower(o.topic)) = 0,
			o.name, o.signature),
	near AS (
		SELECT o.kind || '?', o.name, o.signature, o.comment, o.example, o.topic
		FROM object o, asked a, LATERAL (SELECT perfhouse.name_likeness(o.name, a.word) AS likeness) n
		WHERE a.word <> '' AND NOT EXISTS (SELECT FROM found) AND n.likeness >= 0.5
		ORDER BY n.likeness DESC, o.name, o.signature LIMIT 5)
	SELECT * FROM topic UNION ALL SELECT * FROM found UNION ALL SELECT * FROM near
$$;
COMMENT ON FUNCTION help(text) IS
	'What there is, with examples: without a word (null, empty) a row a topic, whose comment lists its functions and '
	'views; with a word the functions and views that have it in their name, topic or comment, large or small letters '
	'alike, names first. A word that nothing has gets those of the closest names, if some are near: their kind ends '
	'with a question mark. signature shows the arguments with their defaults, of a view its columns; example is a query '
	'of this reference, null where that has none.';
