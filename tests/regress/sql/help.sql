-- help.sql - help(): every function and view that people call is found, with a topic and its example.
SELECT kind, name, signature, topic, example IS NOT NULL AS has_example FROM help('HOT_path') LIMIT 1;
SELECT name FROM help('call path') WHERE position('call path' IN lower(concat_ws(' ', name, topic, comment))) = 0;
-- a word that nothing has: near names, or nothing
SELECT kind, name, example IS NOT NULL AS has_example FROM help('hot_pth') LIMIT 1;
SELECT kind, name FROM help('criticalpath') LIMIT 1;
SELECT count(*) FROM help('no such word at all');
-- no word: topics, in the order of the reference
SELECT bool_and(kind = 'topic' AND comment <> '' AND name = topic) AS are_topics, count(*) > 10 AS many, (array_agg(name))[1] AS first FROM help();
SELECT count(*) FROM (SELECT * FROM help() EXCEPT SELECT * FROM help('  ')) different;
-- names come first, small or large letters alike
SELECT (array_agg(name))[1] AS first, count(*) > 1 AS more FROM help('NODES');
-- what a topic lists is what it finds; one that asks for a topic gets it
SELECT t.name FROM help() t WHERE (SELECT count(*) FROM help(t.name) f WHERE f.topic = t.name) < array_length(string_to_array(t.comment, ', '), 1);
-- machinery is not listed
SELECT count(*) FROM help('profile_recv') WHERE name = 'profile_recv';
-- functions and views that no topic has: make docs gives them one
SELECT kind, name FROM perfhouse_internal.described_objects() WHERE topic = 'Others';
-- examples of what is not there
SELECT object FROM perfhouse_internal.examples() WHERE CASE WHEN object LIKE '%)' THEN to_regprocedure(object) IS NULL ELSE to_regclass('perfhouse.' || object) IS NULL END;
-- views without an example
SELECT name FROM perfhouse_internal.described_objects() WHERE kind = 'view' AND example IS NULL;
-- a row each
SELECT signature FROM perfhouse_internal.described_objects() GROUP BY signature HAVING count(*) > 1;
