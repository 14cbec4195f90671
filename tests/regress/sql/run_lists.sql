-- run_lists.sql - pages of lists of runs against the whole list, sorted by the plain statement.
BEGIN;
DELETE FROM run;
INSERT INTO run (fingerprint, state, application, title, source, format, commit_id, started_at, n_ranks, total, meta)
SELECT 'l' || i, CASE WHEN i % 17 = 0 THEN 'failed' ELSE 'ready' END, CASE WHEN i % 5 > 0 THEN 'app ' || i % 3 END,
	CASE WHEN i % 4 > 0 THEN CASE i % 7 WHEN 0 THEN repeat('long ', 60) || i ELSE 'Run ' || i * 7919 % 23 || CASE i % 3 WHEN 0 THEN ' 100%_\' ELSE '' END END END,
	'/data/' || i, 'sql', md5(i::text), CASE WHEN i % 6 > 0 THEN '2026-01-01'::timestamptz + i * 7919 % 13 * interval '1 day' END,
	CASE WHEN i % 9 > 0 THEN i * 31 % 8 END, CASE WHEN i % 10 > 0 THEN i * 17 % 29 / 2.0 END, jsonb_build_object('input', i % 3)
FROM generate_series(1, 200) i;

-- All runs in an order, as list_runs says that they stand.
CREATE FUNCTION pg_temp.whole(key text, downwards boolean, filter text) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
	found bigint[];
BEGIN
	EXECUTE format('SELECT array_agg(run_id ORDER BY %1$s IS NULL, %1$s %2$s, run_id %2$s) FROM run_overview WHERE run_id IN (SELECT runs_matching($1))',
		CASE key WHEN 'title' THEN 'left(title, 200)' ELSE key END, CASE WHEN downwards THEN 'DESC' ELSE 'ASC' END) INTO found USING filter;
	RETURN found;
END $$;
-- The same, page by page from the first, and from the last backwards.
CREATE FUNCTION pg_temp.paged(sort text, filter text, size int) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
	found bigint[] := '{}';
	page bigint[];
BEGIN
	LOOP
		SELECT array_agg(run_id ORDER BY place) INTO page
		FROM list_runs(filter, "order" => sort, page_size => size, after => found[cardinality(found)]);
		EXIT WHEN page IS NULL;
		found := found || page;
	END LOOP;
	RETURN found;
END $$;
CREATE FUNCTION pg_temp.paged_backwards(sort text, filter text, size int, last bigint) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
	found bigint[] := ARRAY[last];
	page bigint[];
BEGIN
	LOOP
		SELECT array_agg(run_id ORDER BY place) INTO page FROM list_runs(filter, "order" => sort, page_size => size, before => found[1]);
		EXIT WHEN page IS NULL;
		found := page || found;
	END LOOP;
	RETURN found;
END $$;
SELECT k.key, d.downwards, f.filter, cardinality(w.whole) AS runs,
	bool_and(w.whole = pg_temp.paged(s.sort, f.filter, p.size)) AS forwards,
	bool_and(w.whole = pg_temp.paged_backwards(s.sort, f.filter, p.size, w.whole[cardinality(w.whole)])) AS backwards
FROM unnest('{run_id,application,title,started_at,n_ranks,total}'::text[]) k (key), (VALUES (false), (true)) d (downwards),
	(VALUES (NULL), ('n_ranks > 3 AND meta.input = 1')) f (filter), (VALUES (1), (7), (100), (1000)) p (size),
	LATERAL (SELECT CASE WHEN d.downwards THEN '-' ELSE '' END || k.key AS sort) s,
	LATERAL (SELECT pg_temp.whole(k.key, d.downwards, f.filter) AS whole) w
GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3;

-- Searches: whatever the case, nothing in them is a pattern; the count ends where it may.
SELECT s.search, (SELECT count(*) FROM list_runs(search => s.search, page_size => 1000)) AS listed, c.runs, c.more,
	(SELECT count(*) FROM run_overview r WHERE position(lower(s.search) IN lower(concat_ws(' ', r.title, r.application, r.commit_id, r.source))) > 0) AS expected
FROM unnest('{"RUN 1","100%","%_\\",app 2,nothing,""}'::text[]) s (search), LATERAL count_runs(search => s.search) c;
SELECT * FROM count_runs(most => 189);
SELECT * FROM count_runs(most => 187);
SELECT count(*) FROM list_runs(application => 'app 1', search => 'run 2');
-- a filter by a column with an index does not read the runs that it leaves out
INSERT INTO run (fingerprint, state, format, n_ranks) SELECT 'm' || i, 'ready', 'sql', CASE WHEN i > 4000 THEN 4096 ELSE 8 END FROM generate_series(1, 4100) i;
ANALYZE run;
SELECT seq_scan AS before FROM pg_stat_xact_user_tables WHERE relid = 'run'::regclass \gset
SELECT * FROM count_runs('n_ranks > 64 AND run_id > -1.5', most => 1000);
SELECT count(*) FROM list_runs('n_ranks > 64', page_size => 50);
SELECT seq_scan - :before AS read_as_a_whole FROM pg_stat_xact_user_tables WHERE relid = 'run'::regclass;
SELECT count(*) FROM list_runs('n_ranks IN (4096, 64.5)', page_size => 50);
ROLLBACK;

SELECT * FROM list_runs("order" => 'fingerprint');
SELECT * FROM list_runs(after => 987654321);
SELECT * FROM list_runs(after => 1, before => 1);
SELECT * FROM list_runs(page_size => 0);
