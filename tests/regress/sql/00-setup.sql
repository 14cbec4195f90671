-- 00-setup.sql - the extension, the warehouse tables and the samples that the other tests use.
\set VERBOSITY terse
CREATE EXTENSION perfhouse;

-- What a statement fails with.
CREATE FUNCTION public.fails(statement text, OUT code text, OUT message text, OUT hint text) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE statement;
	message := 'did not fail';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
END $$;

-- Before `perfhouse init`: the types work, stored runs do not.
SELECT * FROM public.fails($$SELECT perfhouse.profile(1)$$);

\set ECHO none
\! cat sql/schema/tables/*.sql sql/schema/definitions/*.sql > schema.sql
\set QUIET on
\i schema.sql
\set ECHO all
SELECT current_database() AS db \gset
ALTER DATABASE :"db" SET search_path = perfhouse, public;
ALTER DATABASE :"db" SET extra_float_digits = 0;
SET search_path = perfhouse, public;

-- Two ranks; foo calls MPI_Send on both, only rank 1 logs; main's own time differs.
CREATE TABLE public.sample (name text PRIMARY KEY, p profile NOT NULL);
INSERT INTO public.sample VALUES ('a', hatchet_literal('[
 {"frame": {"name": "main", "type": "function", "module": "app", "file": "main.c"},
  "metrics": {"time": [1, 2], "calls": [1, 1]}, "children": [
   {"frame": {"name": "foo", "module": "/opt/lib/libfoo.so", "file": "foo.c"},
    "metrics": {"time": [5, 3], "calls": [10, 10]}, "children": [
     {"frame": {"name": "MPI_Send", "module": "libmpi.so"}, "metrics": {"time": [2, 7], "calls": [20, 20]}},
     {"frame": {"name": "loop", "type": "loop", "file": "foo.c", "line": 12, "module": "/opt/lib/libfoo.so"},
      "metrics": {"time": [0.5, 0.25], "calls": [1, 1]}}]},
   {"frame": {"name": "log", "module": "/opt/lib/libfoo.so"}, "metrics": {"time": [null, 0.5], "calls": [null, 1]}},
   {"frame": {"name": "bar", "module": "libbar.so"}, "metrics": {"time": [4, 5], "calls": [2, 2]}, "children": [
     {"frame": {"name": "MPI_Send", "module": "libmpi.so"}, "metrics": {"time": [1, 1], "calls": [4, 4]}}]}]}]'));
-- Another version of the code: bar is gone, baz is new, foo is faster; three ranks.
INSERT INTO public.sample VALUES ('b', hatchet_literal('[
 {"frame": {"name": "main", "type": "function", "module": "app", "file": "main.c"},
  "metrics": {"time": [1, 2, 3], "calls": [1, 1, 1]}, "children": [
   {"frame": {"name": "foo", "module": "/opt/lib/libfoo.so", "file": "foo.c"},
    "metrics": {"time": [2, 2, 2], "calls": [10, 10, 10]}, "children": [
     {"frame": {"name": "MPI_Send", "module": "libmpi.so"}, "metrics": {"time": [2, 7, 3], "calls": [20, 20, 20]}}]},
   {"frame": {"name": "baz", "module": "libbar.so"}, "metrics": {"time": [6, 6, 6], "calls": [2, 2, 2]}}]}]'));
-- A callback: lib1 calls lib2, which calls back into lib1.
INSERT INTO public.sample VALUES ('callback', hatchet_literal('[
 {"frame": {"name": "main", "module": "app"}, "metrics": {"time": 1}, "children": [
   {"frame": {"name": "f", "module": "lib1"}, "metrics": {"time": 2}, "children": [
     {"frame": {"name": "g", "module": "lib2"}, "metrics": {"time": 3}, "children": [
       {"frame": {"name": "h", "module": "lib1"}, "metrics": {"time": 4}}]}]}]}]'));

-- What the loader does, in SQL: store a profile as a run.
CREATE FUNCTION public.store_profile(p profile, title text, state text DEFAULT 'ready') RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
	new_run bigint;
BEGIN
	INSERT INTO perfhouse.metric (name, unit, kind)
		SELECT m.metric, m.unit, array_position(ARRAY['flow', 'ratio', 'value'], m.kind) - 1 FROM metrics(p) m
		ON CONFLICT DO NOTHING;
	INSERT INTO perfhouse.run (fingerprint, application, title, format, n_nodes, n_columns, n_units, metrics, metric_ids)
		SELECT md5(p::text || store_profile.title || store_profile.state), 'test', store_profile.title, 'sql',
			(SELECT count(*) FROM nodes(p)), (SELECT count(*) FROM columns(p)),
			(SELECT count(DISTINCT (rank, thread, host)) FROM columns(p)),
			array_agg(s.name ORDER BY m.ordinality), array_agg(s.metric_id ORDER BY m.ordinality)
		FROM metrics(p) WITH ORDINALITY m JOIN perfhouse.metric s ON (s.name, s.unit) = (m.metric, m.unit)
		RETURNING run_id INTO new_run;
	INSERT INTO perfhouse.location (run_id, location_id, rank, thread, host, name, iteration)
		SELECT new_run, c.location, c.rank, c.thread, c.host, c.name, c.iteration FROM columns(p) c;
	UPDATE perfhouse.run SET tree_id = perfhouse_internal.intern_tree(skeleton(p)) WHERE run_id = new_run;
	INSERT INTO perfhouse.region SELECT DISTINCT callpath_id, 0, 'of ' || name FROM nodes(p) ON CONFLICT DO NOTHING;
	INSERT INTO perfhouse.callpath SELECT n.callpath_id, above.callpath_id, n.callpath_id, n.depth
		FROM nodes(p) n LEFT JOIN nodes(p) above ON above.node = n.parent ON CONFLICT DO NOTHING;
	INSERT INTO perfhouse.value_block
		SELECT new_run, s.metric_id, v.stripe, v.block, v.bytes
		FROM perfhouse_internal.value_blocks(p) v JOIN metrics(p) m USING (metric) JOIN perfhouse.metric s ON (s.name, s.unit) = (m.metric, m.unit);
	UPDATE perfhouse.run SET storage = 2, state = 'ready' WHERE run_id = new_run;
	INSERT INTO perfhouse.profile_summary_1
		SELECT v.run_id, v.callpath_id, v.metric_id, count(u.i),
			sum(u.i), sum(u.i * u.i), min(u.i), max(u.i), (array_agg(u.n - 1 ORDER BY u.i, u.n))[1], (array_agg(u.n - 1 ORDER BY u.i DESC, u.n))[1],
			sum(u.e), sum(u.e * u.e), min(u.e), max(u.e), (array_agg(u.n - 1 ORDER BY u.e, u.n))[1], (array_agg(u.n - 1 ORDER BY u.e DESC, u.n))[1]
		FROM perfhouse.profile_values v, unnest(v.inclusive, v.exclusive) WITH ORDINALITY u(i, e, n) WHERE v.run_id = new_run AND u.i IS NOT NULL
		GROUP BY v.run_id, v.callpath_id, v.metric_id;
	INSERT INTO perfhouse.summary_block SELECT new_run, b.* FROM perfhouse_internal.summary_blocks(new_run) b;
	DELETE FROM perfhouse.profile_summary_1 s WHERE s.run_id = new_run;
	INSERT INTO perfhouse.region_summary (run_id, region_id, metric_id, n_nodes, inclusive, exclusive, min, max)
		SELECT new_run, g.region_id, u.metric_id, g.n_nodes, g.inclusive, g.exclusive, g.min, g.max
		FROM perfhouse.run r CROSS JOIN LATERAL unnest(r.metric_ids, r.metrics) u (metric_id, name)
		CROSS JOIN LATERAL perfhouse_internal.run_region_summaries(r.run_id, u.name) g WHERE r.run_id = new_run;
	UPDATE perfhouse.run SET state = store_profile.state WHERE run_id = new_run;
	RETURN new_run;
END $$;
-- As releases before 0.2.0 stored a run's summaries, and its values.
CREATE FUNCTION public.summaries_as_rows(run bigint) RETURNS void LANGUAGE sql AS $$
	INSERT INTO perfhouse.profile_summary_1 SELECT s.* FROM perfhouse.profile_summary s WHERE s.run_id = $1;
	DELETE FROM perfhouse.summary_block b WHERE b.run_id = $1;
$$;
CREATE FUNCTION public.as_old_release(run bigint) RETURNS void LANGUAGE sql AS $$
	INSERT INTO perfhouse.profile_values_1 SELECT v.* FROM perfhouse.profile_values v WHERE v.run_id = $1;
	DELETE FROM perfhouse.value_block v WHERE v.run_id = $1;
	SELECT public.summaries_as_rows($1);
	UPDATE perfhouse.run r SET storage = 1 WHERE r.run_id = $1;
$$;
SELECT public.store_profile(p, name) FROM public.sample WHERE name IN ('a', 'b') ORDER BY name;
SELECT public.store_profile(p, name, 'loading') FROM public.sample WHERE name = 'callback';
