-- wide.sql - iterations, grids of ranks, callers, outliers, wide views and what their columns mean.
\set ECHO none
\set QUIET on
\i regress/data/grid.sql
\set ECHO all
-- iterations: means are those of the columns, and add up to the profile without them
SELECT b.name, count(*) AS n, bool_and(abs(b.mean - v.mean) < 1e-12 AND b.min = v.min AND b.max = v.max AND b.n_present = v.n) AS right
	FROM by_iteration(profile(905, 'time', iterations => true)) b
	JOIN (SELECT node, iteration, avg(coalesce(inclusive, 0)) AS mean, min(coalesce(inclusive, 0)) AS min, max(coalesce(inclusive, 0)) AS max, count(inclusive) AS n
		FROM column_values(profile(905, 'time', iterations => true)) GROUP BY 1, 2) v USING (node, iteration) GROUP BY 1 ORDER BY 1;
SELECT bool_and(abs(b.sum - n.inclusive) < 1e-12) AS add_up FROM (SELECT node, sum(mean) AS sum FROM by_iteration(profile(905, 'time', iterations => true)) GROUP BY 1) b
	JOIN nodes(profile(905)) n USING (node);
SELECT path, iteration, round(before::numeric, 3) AS before, round(after::numeric, 3) AS after, round(whole::numeric, 2) AS whole, false_discovery_rate < 0.01 AS sure, n_before, n_after
	FROM iteration_changes(profile(905, 'time', iterations => true), 'inclusive');
SELECT count(*) FROM iteration_changes(profile(905, 'time', iterations => true) - profile(905, 'time', iterations => true));
SELECT count(*) FROM by_iteration(NULL);
SELECT * FROM public.fails($$SELECT by_iteration(profile(1))$$);
SELECT * FROM public.fails($$SELECT iteration_changes(profile(1))$$);
SELECT code, message FROM public.fails($$SELECT by_iteration(profile(905, 'time', iterations => true), metric => 'none')$$);
-- along iterations: the same means, the dearest first; functions of several call paths, of which outermost calls count, as in flat()
SELECT h.panel, h.label, h.nodes, bool_and(v.mean = b.mean AND v.min = b.min AND v.max = b.max AND v.worst IS NOT DISTINCT FROM b.worst_rank) AS right, count(*) AS n
	FROM iteration_history(profile(905, 'time', iterations => true)) h, unnest(h.iterations, h.means, h.mins, h.maxs, h.worst_ranks) v (iteration, mean, min, max, worst)
	JOIN by_iteration(profile(905, 'time', iterations => true)) b USING (iteration) WHERE b.node = h.nodes[1] GROUP BY 1, 2, 3 ORDER BY 1;
SELECT panel, level, label, n_candidates FROM iteration_history(profile(905, 'time', iterations => true), '{io,main/solve,solve}') ORDER BY panel;
SELECT level, label, nodes, means[1:2] FROM iteration_history(profile(905, 'time', iterations => true), by => 'total');
SELECT panel, label, n_candidates FROM iteration_history(profile(905, 'time', iterations => true), most => 1);
BEGIN;
SELECT public.store_profile(hatchet_literal('[{"frame": {"name": "f"}, "metrics": {"time": [1, 2, 3, 4]}, "children": [
	{"frame": {"name": "g"}, "metrics": {"time": [1, 1, 1, 1]}, "children": [{"frame": {"name": "f"}, "metrics": {"time": [5, 6, 7, 8]}}]},
	{"frame": {"name": "h"}, "metrics": {"time": [2, 2, 2, 2]}}]}, {"frame": {"name": "h"}, "metrics": {"time": [3, 0, 1, 2]}}]'), 'recursion') AS recursive \gset
UPDATE perfhouse.location SET rank = location_id / 2, iteration = location_id % 2 WHERE run_id = :recursive;
SELECT h.label, h.nodes, h.means, h.maxs IS NULL OR h.maxs[1] IS NULL AS has_no_ranks,
		abs((SELECT sum(m) FROM unnest(h.means) m) / 2 - f.inclusive) < 1e-12 AS as_flat
	FROM iteration_history(profile(:recursive, 'time', iterations => true), by => 'function') h JOIN flat(profile(:recursive, 'time', iterations => true)) f USING (name)
	ORDER BY 1;
SELECT label, nodes, means FROM iteration_history(profile(:recursive, 'time', iterations => true), '{f,h}', 'function', 'exclusive') ORDER BY panel;
SELECT label, nodes, means FROM iteration_history(profile(:recursive, 'time', iterations => true), '{g,h,f/g/f}') ORDER BY panel;
ROLLBACK;
SELECT count(*) FROM iteration_history(NULL);
SELECT * FROM public.fails($$SELECT iteration_history(profile(1))$$);
SELECT * FROM public.fails($$SELECT iteration_history(profile(905, 'time', iterations => true), by => 'rank')$$);
SELECT * FROM public.fails($$SELECT iteration_history(profile(905, 'time', iterations => true), '{solve,nix}')$$);
SELECT * FROM public.fails($$SELECT iteration_history(profile(905, 'time', iterations => true), '{main/solve}', 'function')$$);
-- grids: as said, as traces name them (a communicator whose ranks are not in order), as CUBE does
SELECT rank, coordinates, n_boundary FROM topology(905) ORDER BY rank LIMIT 6;
BEGIN;
UPDATE perfhouse.run SET meta = '{"otf2.topology.0 grid of 3": "dimension 0 4 x dimension 1 2 x c 2", "otf2.topology.0.communicator": 3, "topology:Process x Thread": "16 x 1"}' WHERE run_id = 905;
INSERT INTO perfhouse.trace_communicator (run_id, local_id, name, is_mpi, members) SELECT 905, 3, '', true, array_agg(i ORDER BY i DESC) FROM generate_series(0, 180, 12) i;
SELECT topology, rank, coordinates, dimensions, sizes, n_boundary FROM topology(905) WHERE rank IN (0, 1, 2, 15) ORDER BY rank;
SELECT topology, rank, coordinates FROM topology(905, 'Process x Thread') WHERE rank < 2;
SELECT count(*) AS nothing FROM topology(905, 'no such');
UPDATE perfhouse.run SET meta = '{"grid": "4 x 5"}' WHERE run_id = 905;
SELECT count(*) AS not_of_all_ranks, (SELECT count(*) FROM topology(905, 'grid')) AS when_asked FROM topology(905);
UPDATE perfhouse.run SET meta = '{"grid": "4x0"}' WHERE run_id = 905;
SELECT count(*) AS of_nothing FROM topology(905);
ROLLBACK;
-- what explains the variance over ranks
SELECT factor, round(share::numeric, 3) AS share, is_clear, n_groups, extreme, n_in FROM explain_variance(profile(905), node_at(profile(905), 'main/solve'));
SELECT count(*) AS clear FROM explain_variance(profile(905), node_at(profile(905), 'main/io')) WHERE is_clear;
SELECT factor, is_clear FROM explain_variance(profile(905, 'time', iterations => true), node_at(profile(905), 'main/solve'));
SELECT * FROM variance_share('{1,2,3}', '{0,0,0}');
SELECT n, n_groups, share, extreme FROM variance_share('{1,2,null,4,NaN,6}', '{0,0,0,1,1,-1}');
SELECT * FROM public.fails($$SELECT variance_share('{1,2}', '{0}')$$);
SELECT * FROM public.fails($$SELECT variance_share('{1,2}', '{0,2}')$$);
-- callers: own cost of all instances, of outermost ones the inclusive
SELECT * FROM callers(profile(1), 'MPI_Send');
SELECT abs(sum(exclusive) - (SELECT exclusive FROM flat(profile(1)) WHERE name = 'MPI_Send')) < 1e-12 AS own FROM callers(profile(1), 'MPI_Send');
WITH r AS (SELECT hatchet_literal('[{"frame": {"name": "main"}, "metrics": {"time": 1}, "children": [{"frame": {"name": "f"}, "metrics": {"time": 2}, "children": [
	{"frame": {"name": "g"}, "metrics": {"time": 3}, "children": [{"frame": {"name": "f"}, "metrics": {"time": 4}}]}]}]}]') AS p)
SELECT c.caller, c.inclusive, c.exclusive, c.share FROM r, callers(r.p, 'f') c;
SELECT * FROM callers(profile(1), 'main');
SELECT code, message, hint FROM public.fails($$SELECT callers(profile(1), 'MPI_Sent')$$);
-- outliers: one slow run, not the lasting change
BEGIN;
INSERT INTO perfhouse.run (fingerprint, state, application, title, format, n_ranks, n_threads, n_hosts, started_at, metrics, metric_ids, total)
	SELECT 'outlier ' || i, 'ready', 'out', 'run ' || i, 'sql', 8, 1, 1, timestamptz '2026-01-01' + i * interval '1 day', '{time}', r.metric_ids[1:1],
		CASE WHEN i = 9 THEN 15 WHEN i > 20 THEN 13 ELSE 10 END + (i * 37 % 11) / 100.0 FROM generate_series(1, 32) i, perfhouse.run r WHERE r.run_id = 1;
SELECT title, round(total::numeric, 2) AS total, round(usual::numeric, 2) AS usual, round(relative::numeric, 2) AS relative, n_neighbours FROM outliers('out');
SELECT title FROM outliers('out', 'total < 14');
UPDATE perfhouse.run SET excluded_reason = 'x' WHERE title = 'run 9';
SELECT count(*) FROM outliers('out');
ROLLBACK;
SELECT code FROM public.fails($$SELECT outliers('no such')$$);
-- every column of a view or table says what it means; one name, one place of the run
SELECT c.oid::regclass AS of, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
	WHERE c.relnamespace = 'perfhouse'::regnamespace AND c.relkind IN ('v', 'r', 'p') AND NOT a.attisdropped
	AND col_description(c.oid, a.attnum) IS NULL ORDER BY 1, 2;
SELECT count(DISTINCT a.attrelid) AS views, count(*) AS columns FROM pg_attribute a WHERE a.attrelid IN ('profile_row'::regclass, 'measurement'::regclass)
	AND a.attname IN ('path', 'module', 'paradigm', 'application', 'title', 'commit_id', 'branch', 'measured_at', 'n_ranks', 'n_units', 'run_total');
SELECT bool_and(r.paradigm IS NOT DISTINCT FROM n.paradigm AND r.path = 'of ' || replace(n.path, '/', '/of ')) AS as_nodes_have_it FROM profile_row r JOIN nodes(profile(905)) n USING (callpath_id)
	WHERE r.run_id = 905 AND r.metric = 'time';
SELECT path, iteration, count(*), bool_and(run_total IS NOT DISTINCT FROM (SELECT total FROM run WHERE run_id = 905)) AS total FROM measurement WHERE run_id = 905 AND iteration = 3 GROUP BY 1, 2 ORDER BY 1;
SELECT run_id, wait, lost_node_hours FROM run_cost WHERE run_id = 905;
SELECT drop_run(905);
