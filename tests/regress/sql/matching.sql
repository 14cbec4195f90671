-- matching.sql - runs whose functions were renamed: candidates, aliases, groups of columns.
CREATE VIEW public.pair AS SELECT a.p AS a, b.p AS b FROM public.sample a, public.sample b WHERE a.name = 'a' AND b.name = 'b';
-- what only one of two profiles has, and what it may have become
SELECT c.* FROM public.pair, match_candidates(a, b, 0, 8) c;
SELECT name, candidate_name, round(score::numeric, 6) AS score FROM public.pair, match_candidates(b, a, 0.3, metric => 'calls') c;
SELECT count(*) AS none FROM public.pair, match_candidates(a, a, 0) c;
-- with the alias the two have one tree but for what is really gone
SELECT path, before_inclusive, after_inclusive, status FROM public.pair, LATERAL (SELECT '[{"name": "bar", "to_name": "baz"}]'::jsonb AS rules) r,
	nodes_diff(diff(rename_regions(a, rules), rename_regions(b, rules))) d;
-- siblings that become equal are one node, whose callees are one list; totals stay
SELECT name, depth, inclusive, exclusive, n_present FROM public.pair, nodes(rename_regions(a, '[{"name": "foo", "to_name": "bar", "to_library": "libbar.so", "to_file": ""}]'));
SELECT n.name, n.module, n.file FROM public.pair, nodes(rename_regions(a, '[{"file": "\\.c$", "is_pattern": true, "to_file": ""}, {"library": "/", "is_pattern": true, "to_library": "local"}]')) n;
-- said where people look
SELECT caption(rename_regions(a, '[{"name": "o", "is_pattern": true, "to_name": "x"}]')) FROM public.pair;
SELECT rename_regions(a, '[{"name": "nowhere", "to_name": "x"}]') = a AS unchanged FROM public.pair;
-- kept rules, of all applications and of one
SELECT add_alias('bar', 'baz', reason => 'renamed') AS first, add_alias('^lo', 'loop', 'test', is_pattern => true) AS second, add_alias('x', 'y', 'other') AS third \gset
SELECT add_alias('bar', 'baz') = :first AS same, (SELECT reason FROM region_alias WHERE alias_id = :first);
SELECT aliases_of('test'), aliases_of() AS of_all;
SELECT string_agg(name, ' ') FROM nodes(apply_aliases(profile(1)));
SELECT string_agg(name, ' ') FROM nodes(apply_aliases(profile(1), 'other'));
SELECT c.* FROM diff(apply_aliases(profile(1)), apply_aliases(profile(2))) d, caption(d) c;
SELECT name, to_name FROM perfhouse_internal.aliased_regions('test') ORDER BY 1;
-- what these rest on: a region under rules, ids of call paths, names that are refused
SELECT * FROM perfhouse_internal.alias_target('[{"name": "old", "to_name": "new"}]', 0::int2, 'old', 'libapp.so', NULL, NULL);
-- other rules in each row: one set of them is kept
SELECT called.n, (SELECT count(*) FROM pg_backend_memory_contexts WHERE name = 'perfhouse scratch' AND called.n > 0) AS kept
	FROM (SELECT count(*) AS n FROM generate_series(1, 100) i, LATERAL perfhouse_internal.alias_target(
		jsonb_build_array(jsonb_build_object('name', i::text, 'to_name', 'new')), 0::int2, i::text, NULL, NULL, NULL) t WHERE t.to_name = 'new' OFFSET 0) called;
SELECT perfhouse_internal.callpath_hash(NULL, 42) AS root, perfhouse_internal.callpath_hash(perfhouse_internal.callpath_hash(NULL, 42), 43) AS below;
SELECT perfhouse_internal.refuse_name('metric', 'tmie', ARRAY['time', 'visits']);
SELECT perfhouse_internal.require_names(NULL, 'no such metric');
SELECT f.* FROM (VALUES ('SELECT perfhouse.add_alias(''baz'', ''bar'')'),
	('SELECT perfhouse.add_alias(''a'', ''b''), perfhouse.add_alias(''b'', ''a'', ''test'')'),
	('SELECT perfhouse.add_alias(''a('', ''b'', is_pattern => true)'),
	('SELECT perfhouse.add_alias(NULL, ''b'')'), ('SELECT perfhouse.add_alias(''a'', NULL)'), ('SELECT perfhouse.add_alias(''a'', '''')'),
	('SELECT perfhouse.remove_alias(0)'),
	('SELECT perfhouse.rename_regions(a, ''{}'') FROM public.pair'), ('SELECT perfhouse.rename_regions(a, ''1'') FROM public.pair'),
	('SELECT perfhouse.rename_regions(a, ''[1]'') FROM public.pair'), ('SELECT perfhouse.rename_regions(a, ''[{"title": "a"}]'') FROM public.pair'),
	('SELECT perfhouse.rename_regions(a, ''[{"name": 1}]'') FROM public.pair'), ('SELECT perfhouse.rename_regions(a, ''[{"name": "a"}]'') FROM public.pair'),
	('SELECT perfhouse.rename_regions(a, ''[{"name": "a(b", "is_pattern": true, "to_name": "c"}]'') FROM public.pair'),
	('SELECT perfhouse.match_candidates(a, b, 2) FROM public.pair'), ('SELECT perfhouse.match_candidates(a, b, most => 9) FROM public.pair')) v (statement), public.fails(statement) f;
SELECT remove_alias(:first), remove_alias(:second), remove_alias(:third);
SELECT apply_aliases(a) = a AS unchanged FROM public.pair;
-- groups of columns: sums and means add up to the whole
SELECT c.location, c.kind, c.name, v.inclusive FROM public.pair, LATERAL (SELECT roll_up(b, ARRAY['x', NULL, 'x'], 'mean') AS p) q, columns(q.p) c JOIN LATERAL column_values(q.p, 0) v USING (location);
SELECT v.name, v.inclusive FROM public.pair, column_values(roll_up(b, ARRAY['z', 'a', 'z']), 0) v;
-- over-decomposed (four processes that share two nodes) against plain (one a node): by host
SELECT h.name, d.before, d.after, d.difference FROM (
	SELECT roll_up(hatchet_literal('{"frame": {"name": "main"}, "metrics": {"time": [1, 2, 3, 4]}}'), ARRAY['n1', 'n1', 'n2', 'n2']) AS a,
		roll_up(hatchet_literal('{"frame": {"name": "main"}, "metrics": {"time": [4, 6]}}'), ARRAY['n1', 'n2']) AS b) q,
	column_values_diff(a, b) d JOIN LATERAL columns(a) h USING (location);
-- groups of runs by metadata
UPDATE run SET meta = jsonb_build_object('compiler', CASE run_id WHEN 1 THEN 'gcc' ELSE 'clang' END, 'title', 'mine') WHERE run_id IN (1, 2);
SELECT run_value(1, 'compiler') AS compiler, run_value(1, 'meta.title') AS meta, run_value(1, 'title') AS promoted, run_value(1, 'n_units') AS number, run_value(1, 'nothing') AS nothing, run_value(0, 'title') AS no_run;
SELECT g.run_values, g.columns, g.label FROM (SELECT ensemble(profile(run), run || '/' || k ORDER BY run, k) AS e FROM generate_series(1, 2) run, generate_series(1, 2) k) s,
	LATERAL supernodes_by_column(supergraph(roll_up_runs(e, 'compiler'), 'function')) g LIMIT 2;
SELECT g.columns, g.run_values FROM (SELECT ensemble(p, compiler ORDER BY compiler) AS e FROM (SELECT run_value(run_id, 'compiler') AS compiler, mean(profile(run_id)) AS p
	FROM run_overview WHERE run_id IN (1, 2) GROUP BY 1) m) q, LATERAL supernodes_by_column(supergraph(e, 'function')) g LIMIT 1;
SELECT name FROM columns((SELECT roll_up_runs(ensemble(profile(run), run::text), 'nothing', 'sum') FROM generate_series(1, 2) run));
SELECT f.* FROM (VALUES ('SELECT perfhouse.roll_up(a, ARRAY[''x'']) FROM public.pair'), ('SELECT perfhouse.roll_up(a, ARRAY[NULL, NULL]::text[]) FROM public.pair'),
	('SELECT perfhouse.roll_up(a, ARRAY[''x'', ''x''], ''median'') FROM public.pair')) v (statement), public.fails(statement) f;
UPDATE run SET meta = '{}' WHERE run_id IN (1, 2);
-- nulls
SELECT rename_regions(NULL, '[]') IS NULL AS a, (SELECT count(*) FROM match_candidates(NULL, NULL)) AS b, apply_aliases(NULL) IS NULL AS c, roll_up_runs(NULL, 'title') IS NULL AS d;
DROP VIEW public.pair;
