-- stored_profiles.sql - computed profiles that are kept as runs.
BEGIN;
SELECT count(*) AS runs FROM run_overview \gset
SELECT store_profile(profile(1) - profile(2), 'difference') AS difference, store_profile(filter(profile(1), 0.2), 'filtered', 'other') AS filtered,
	store_profile((SELECT mean(profile(r)) FROM generate_series(1, 2) r), 'mean', meta => '{"why": "test"}') AS mean,
	store_profile((SELECT ensemble(profile(r), 'of run ' || r ORDER BY r) FROM generate_series(1, 2) r), 'both') AS both,
	store_profile(subset_ranks(profile(2), '{0,2}'), 'projection') AS projection,
	store_profile(invert(profile(1, NULL::text[])), 'bottom up') AS inverted \gset
-- what they say of themselves
SELECT title, application, format, derived_from, n_ranks, n_nodes, n_columns, n_units, metrics, round(total::numeric, 6) AS total, completeness, excluded_reason, meta
	FROM run_overview WHERE derived_from IS NOT NULL ORDER BY run_id;
SELECT title, c.* FROM run_overview r, check_run(r.run_id) c WHERE derived_from IS NOT NULL AND NOT ok;
SELECT item, value FROM run_provenance WHERE run_id = :difference ORDER BY place;
SELECT replace(caption(profile(:filtered)), :'filtered', 'N') AS caption;
SELECT location, kind, rank, name FROM columns(profile(:both));
-- the same values as those that were computed: filters' and differences' own costs are whole
SELECT what, count(*) AS nodes, count(*) FILTER (WHERE abs(a.inclusive - b.inclusive) > 1e-12 OR abs(a.exclusive - b.exclusive - b.absorbed - b.residual) > 1e-12
		OR a.path <> b.path OR a.module IS DISTINCT FROM b.module OR a.line IS DISTINCT FROM b.line) AS different
	FROM (VALUES ('difference', profile(:difference), profile(1) - profile(2)), ('filtered', profile(:filtered), filter(profile(1), 0.2)),
		('mean', profile(:mean), (SELECT mean(profile(r)) FROM generate_series(1, 2) r)), ('projection', profile(:projection), subset_ranks(profile(2), '{0,2}')),
		('inverted', profile(:inverted), invert(profile(1)))) v (what, stored, computed),
	nodes(v.stored) a FULL JOIN LATERAL nodes(v.computed) b USING (node) GROUP BY what ORDER BY what;
SELECT count(*) AS cells, count(*) FILTER (WHERE a IS DISTINCT FROM b) AS different
	FROM (SELECT node, location, present, inclusive FROM column_values(profile(:both))) a
	FULL JOIN (SELECT v.node, v.location, v.present, v.inclusive FROM column_values((SELECT ensemble(profile(r), 'of run ' || r ORDER BY r) FROM generate_series(1, 2) r)) v) b USING (node, location);
SELECT count(*) AS spread, count(*) FILTER (WHERE abs(s.inclusive - n.inclusive) > 1e-12) AS different
	FROM profile_row s JOIN nodes(profile(:difference)) n USING (callpath_id) WHERE s.run_id = :difference AND s.metric = 'time';
-- once
SELECT store_profile(profile(1) - profile(2), 'difference') = :difference AS same, store_profile(profile(1) - profile(2), 'again') > :inverted AS other;
SELECT store_profile(profile(:difference) + profile(1), 'sum of those') IS NOT NULL AS of_stored, store_profile(NULL, 'x') IS NULL AS nothing;
-- measured runs alone are costs and histories
SELECT count(*) = :runs AS measured FROM run_cost;
SELECT count(*) AS months FROM month_run WHERE run_id >= :difference;
SELECT count(*) FILTER (WHERE excluded_reason IS NULL) AS in_histories, count(*) > 0 AS are_there FROM run_history WHERE run_id >= :difference;
UPDATE perfhouse.run SET excluded_reason = NULL WHERE run_id = :mean;
SELECT count(*) FILTER (WHERE excluded_reason IS NULL) AS asked_for FROM run_history WHERE run_id >= :difference;
-- removed with all that is kept of them
SELECT drop_run(:difference), drop_run(:inverted);
SELECT count(*) FROM run_provenance WHERE run_id = :difference;
SELECT count(*) FROM rows_without_run();
-- errors
SELECT * FROM public.fails($$SELECT store_profile(profile(1), '')$$);
SELECT * FROM public.fails($$SELECT store_profile(profile(1), NULL)$$);
SELECT * FROM public.fails($$SELECT store_profile(profile(1), 'x', meta => '[]')$$);
SELECT * FROM public.fails($$SELECT store_profile(from_flat_form(skeleton(profile(1))), 'x')$$);
SELECT * FROM public.fails($$SELECT store_profile(profile(1) / (profile(1) * 0), 'x')$$);
ROLLBACK;
-- readers may not
CREATE ROLE regress_perfhouse_reads;
GRANT perfhouse_reader TO regress_perfhouse_reads;
SET ROLE regress_perfhouse_reads;
SELECT perfhouse.store_profile(perfhouse.profile(1), 'x');
RESET ROLE;
DROP ROLE regress_perfhouse_reads;
