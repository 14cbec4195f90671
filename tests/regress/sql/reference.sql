-- reference.sql - one example per function that returns rows; docs/make-sql-reference prints them.
-- example: nodes(profile, text)
SELECT node, parent, depth, name, module, inclusive, exclusive, n_present, path FROM nodes(profile(1));
-- example: nodes_diff(profile, text)
SELECT name, before_inclusive, after_inclusive, delta_inclusive, status FROM nodes_diff(diff(profile(1), profile(2)))
	ORDER BY abs(delta_exclusive) DESC, node LIMIT 3;
-- example: run_version(bigint[])
SELECT run_version('{1}') = run_version('{1,1}') AS is_same, run_version('{1,2}') = run_version('{1}') AS is_other,
	run_version('{1,99}') IS NULL AS is_not_there;
-- example: drop_roots(profile, float8, text)
SELECT count(*) FILTER (WHERE parent IS NULL) AS roots FROM nodes(drop_roots(profile(1), 0.1));
-- example: flat(profile, text, text)
SELECT name, n_nodes, inclusive, exclusive, round(share::numeric, 3) AS share FROM flat(profile(1), by => 'module');
-- example: calls_metric(bigint)
SELECT run_id, calls_metric(run_id) FROM run_overview ORDER BY run_id LIMIT 2;
-- example: derive(profile, text, text, text)
SELECT name, inclusive, exclusive FROM nodes(derive(profile(1, NULL::text[]), 'time per call', 'time / calls'), 'time per call');
-- example: formula_metrics(text)
SELECT formula_metrics('PAPI_TOT_INS / (PAPI_TOT_CYC + 2 * "other cycles")');
-- example: with_unit(profile, text, text)
SELECT metric, unit FROM metrics(with_unit(profile(1), 'time', 's'));
-- example: flame(profile, text)
SELECT level, label, value, self FROM flame(profile(1));
-- example: flame_diff(profile, profile, text)
SELECT level, label, value, self, value_right AS "valueRight", self_right AS "selfRight" FROM flame_diff(profile(1), profile(2));
-- example: hot_path(profile, float8, int4, text)
SELECT step, name, inclusive, round(share::numeric, 3) AS share FROM hot_path(profile(1));
-- example: column_values(profile, int4, text)
SELECT location, rank, name, present, inclusive, exclusive FROM column_values(profile(1), 3);
-- example: value_columns(profile, text)
SELECT first_node, n, length(node) AS node, length(location) AS location, substr(exclusive, 1, 8) AS first FROM value_columns(profile(1));
-- example: columns(profile)
SELECT * FROM columns(profile(2));
-- example: metrics(profile)
SELECT * FROM metrics(profile(1, NULL::text[]));
-- example: imbalance(profile, text)
SELECT name, mean, max, round(imbalance_ratio::numeric, 3) AS imbalance_ratio, lost, worst_rank FROM imbalance(profile(1)) LIMIT 3;
-- example: provenance(profile)
SELECT * FROM provenance(filter(profile(1), 0.1));
-- example: caption(profile)
SELECT caption(filter(profile(1), 0.1));
-- example: tree_text(profile, int4, float8, text)
\pset format unaligned
\pset tuples_only on
SELECT tree_text(profile(1));
\pset tuples_only off
\pset format aligned
-- example: supernodes(supergraph, text)
SELECT node, label, duplicate, level, inclusive, exclusive, absorbed, n_members, n_entries FROM supernodes(supergraph(filter(profile(1), 0.1), 'module'));
-- example: superedges(supergraph, text)
SELECT * FROM superedges(supergraph(profile(1), 'module'));
-- example: entry_functions(supergraph, text, text)
SELECT * FROM entry_functions(supergraph(profile(1), 'module'), 'libfoo.so');
-- example: entry_callers(supergraph, text, text)
SELECT * FROM entry_callers(supergraph(profile(1), 'module'), 'libmpi.so');
-- example: members(supergraph, text, text)
SELECT cct_node, name, kind, file, line, inclusive, exclusive FROM members(supergraph(profile(1), 'module'), 'libfoo.so');
-- example: split_by_caller(supergraph, text, text)
SELECT node, level, inclusive FROM supernodes(split_by_caller(supergraph(profile(1), 'module'), 'libmpi.so'));
-- example: sankey_layout(supergraph, float8, float8, text, text, float8)
SELECT element, node, target, level, "position", round(x::numeric) AS x, round(y::numeric) AS y, round(height::numeric) AS height,
	round(thickness::numeric) AS thickness, value FROM sankey_layout(supergraph(filter(profile(1), 0.1), 'module'), 400, 200);
-- example: node_graph_nodes(supergraph, text)
SELECT id, title, subtitle, mainstat, round(arc__exclusive::numeric, 3) AS arc__exclusive, color FROM node_graph_nodes(supergraph(profile(1)));
-- example: node_graph_edges(supergraph, text)
SELECT id, source, target, mainstat, round(thickness::numeric, 2) AS thickness FROM node_graph_edges(supergraph(profile(1)));
-- example: provenance(supergraph)
SELECT * FROM provenance(supergraph(profile(1), 'module'));
-- example: supernode_values(supergraph, text, text)
SELECT location, rank, inclusive, exclusive, absorbed FROM supernode_values(supergraph(profile(2)), 'libmpi.so');
-- example: histogram(supergraph, text, int4, text, text)
SELECT * FROM histogram(supergraph(profile(2)), 'libmpi.so', bins => 4);
-- example: scatter_fit(supergraph, text, text, text)
SELECT n, round(slope::numeric, 6) AS slope, round(r::numeric, 6) AS r FROM scatter_fit(supergraph(profile(1, NULL::text[])), 'libfoo.so', 'calls', 'time');
-- example: box_plot(supergraph, text, text, text)
SELECT n, min, median, max, mean, outliers FROM box_plot(supergraph(profile(2)), 'libmpi.so');
-- example: ensemble_gradient(supergraph, text, int4, text, text)
SELECT g.* FROM (SELECT supergraph(ensemble(profile(run), 'run ' || run ORDER BY run)) AS sg FROM generate_series(1, 2) run) s,
	ensemble_gradient(sg, 'libmpi.so', bins => 3) g;
-- example: text_guides(supergraph, text, int4, text, text)
SELECT t.bin, t.low, t.high, t.count, t.value, t.mark, t.runs FROM (SELECT supergraph(ensemble(profile(run), 'run ' || run ORDER BY run)) AS sg FROM generate_series(1, 2) run) s,
	text_guides(sg, 'libmpi.so', bins => 4) t;
-- example: node_ranges(profile, text, text)
SELECT * FROM node_ranges(profile(2)) LIMIT 3;
-- example: column_statistics(profile, text, text)
SELECT location, name, n_nodes, min, max, mean, max_node FROM column_statistics(profile(2));
-- example: matching_nodes(profile, text)
SELECT * FROM matching_nodes(profile(1), '[inclusive > 5]');
-- example: function_nodes(profile, text)
SELECT caller, function, count(*) AS nodes, sum(inclusive) AS inclusive FROM function_nodes(profile(1)) WHERE is_call GROUP BY 1, 2 ORDER BY 1 NULLS FIRST, 2;
-- example: function_graph(profile, text, text, int4)
SELECT element, place, function, caller, nodes, inclusive, "values" FROM function_graph(profile(1), node => 'foo') WHERE element <> 'context';
-- example: named_nodes(profile, text[], text, int4)
SELECT panel, node, path, n_candidates FROM named_nodes(profile(1), most => 3);
-- example: mini_histograms(supergraph, int4, text)
SELECT * FROM mini_histograms(supergraph(profile(1), 'module'), bins => 2);
-- example: rename_regions(profile, jsonb)
SELECT name, inclusive, exclusive FROM nodes(rename_regions(profile(1), '[{"name": "bar", "to_name": "log"}, {"library": "libfoo|libbar", "is_pattern": true, "to_library": "ours"}]'));
-- example: name_likeness(text, text)
SELECT name_likeness('CalcHourglass', 'CalcHourglassCtrl') AS renamed, name_likeness('solve(int)', '_Z5solved') AS decorated;
-- example: match_candidates(profile, profile, float8, int4, text)
SELECT name, candidate_name, round(score::numeric, 3) AS score, reasons, is_top FROM match_candidates(profile(1), profile(2), most => 1);
-- example: roll_up(profile, text[], text)
SELECT c.name, v.inclusive FROM roll_up(profile(1), ARRAY['even', 'odd']) p, columns(p) c JOIN LATERAL column_values(p, 0) v USING (location);
-- example: profile(bigint)
SELECT caption(profile(1)), pg_typeof(profile(1)) AS type;
-- example: profile(bigint, text, int4[], boolean)
SELECT name, inclusive FROM nodes(profile(1, 'calls', ranks => '{1}')) LIMIT 2;
-- example: legible(bigint, float8, text, int4[], text, text, int4)
SELECT name, inclusive FROM nodes(legible(1, share => 0.3));
-- example: legible(profile, float8, text, text, text, int4)
SELECT name, inclusive FROM nodes(legible(profile(2) - profile(1), share => 0.3));
-- example: profile(bigint, text[], int4[], boolean)
SELECT metric, kind FROM metrics(profile(1, ARRAY['time', 'calls']));
-- example: hatchet_literal(jsonb)
SELECT name, inclusive FROM nodes(hatchet_literal('[{"frame": {"name": "main"}, "metrics": {"time": 1}, "children": [{"frame": {"name": "solve"}, "metrics": {"time": 4}}]}]'));
-- example: profile(supergraph)
SELECT name, inclusive FROM nodes(profile(supergraph(profile(1), 'module'))) LIMIT 2;
-- example: profile_eq(profile, profile)
SELECT profile(1) = profile(1) AS same, profile_eq(profile(1), profile(2)) AS also_of_run_2;
-- example: profile_ne(profile, profile)
SELECT profile(1) <> profile(2) AS different, profile_ne(profile(1), profile(1)) AS from_itself;
-- example: skeleton(profile)
SELECT skeleton(profile(1)) = skeleton(profile(1) * 2) AS same_call_tree, skeleton(profile(1)) = skeleton(profile(2)) AS same_of_run_2;
-- example: flat_form(profile)
SELECT from_flat_form(flat_form(profile(1))) = profile(1) AS is_lossless;
-- example: from_flat_form(bytea)
SELECT name, inclusive FROM nodes(from_flat_form(flat_form(profile(1)))) LIMIT 2;
-- example: profile_subtract(profile, profile)
SELECT name, inclusive FROM nodes(profile(1) * 3 - profile(1)) LIMIT 2;
-- example: profile_add(profile, profile)
SELECT name, inclusive FROM nodes(profile(1) + profile(1)) LIMIT 2;
-- example: profile_multiply(profile, profile)
SELECT name, exclusive FROM nodes(profile(1) * profile(1)) LIMIT 2;
-- example: profile_divide(profile, profile)
SELECT name, exclusive FROM nodes(profile(1) / profile(1)) LIMIT 2;
-- example: profile_scale(profile, float8)
SELECT name, inclusive FROM nodes(profile(1) * 1000) LIMIT 2;
-- example: profile_divide(profile, float8)
SELECT name, inclusive FROM nodes(profile(1) / 2) LIMIT 2;
-- example: diff(profile, profile)
SELECT name, delta_inclusive, status FROM nodes_diff(diff(profile(1), profile(2))) WHERE status <> 'both' ORDER BY node;
-- example: ensemble(profile, text)
SELECT location, name FROM columns((SELECT ensemble(profile(run_id), 'run ' || run_id ORDER BY run_id) FROM run_overview WHERE run_id IN (1, 2)));
-- example: mean(profile)
SELECT name, inclusive FROM nodes((SELECT mean(profile(run_id)) FROM run_overview WHERE run_id IN (1, 2))) LIMIT 3;
-- example: sum(profile)
SELECT name, inclusive FROM nodes((SELECT sum(profile(run_id)) FROM run_overview WHERE run_id IN (1, 2))) LIMIT 3;
-- example: filter(profile, float8, text, text, text)
SELECT name, inclusive FROM nodes(filter(profile(1), 0.1));
-- example: subset(profile, int4[])
SELECT location, rank FROM columns(subset(profile(2), '{0,2}'));
-- example: subset_ranks(profile, int4[])
SELECT name, inclusive FROM nodes(subset_ranks(profile(1), '{1}')) LIMIT 2;
-- example: subtree(profile, int4, boolean)
SELECT name, inclusive FROM nodes(subtree(profile(1), 1));
-- example: subtree(profile, text, boolean)
SELECT name, inclusive FROM nodes(subtree(profile(1), 'main/bar'));
-- example: squash(profile, text)
SELECT name, path, inclusive FROM nodes(squash(profile(1), '[name =~ /^(main|MPI_.*)$/]'));
-- example: call_path_query(profile, text)
SELECT name, path FROM nodes(call_path_query(profile(1), '* . [name = "MPI_Send"]'));
-- example: invert(profile)
SELECT name, path, inclusive FROM nodes(invert(profile(1))) WHERE path LIKE 'MPI_Send%';
-- example: roll_up(profile, text)
SELECT location, name FROM columns(roll_up(profile(2), 'all'));
-- example: select_metrics(profile, text[])
SELECT metric FROM metrics(select_metrics(profile(1, NULL::text[]), '{calls}'));
-- example: supergraph(profile, text, text)
SELECT node, inclusive, exclusive FROM supernodes(supergraph(profile(1), 'function'));
-- example: split_by_entry(supergraph, text, text[])
SELECT node, inclusive FROM supernodes(split_by_entry(supergraph(profile(1), 'module'), 'libfoo.so', '{log}'));
-- example: split_by_callee(supergraph, text)
SELECT node, inclusive FROM supernodes(split_by_callee(supergraph(profile(1), 'module'), 'libfoo.so'));
-- example: drill_down(supergraph, text, text)
SELECT node, inclusive FROM supernodes(drill_down(supergraph(profile(1), 'module'), 'libfoo.so', 'function'));
-- example: refine(supergraph, jsonb)
SELECT node, inclusive FROM supernodes(refine(supergraph(profile(1), 'module'), '[{"op": "drill", "node": "libfoo.so", "level": "function"}]'));
-- example: restrict_columns(supergraph, int4[])
SELECT node, inclusive FROM supernodes(restrict_columns(supergraph(profile(2), 'module'), '{0}'));
-- example: restrict_ranks(supergraph, int4[])
SELECT node, inclusive FROM supernodes(restrict_ranks(supergraph(profile(2), 'module'), '{1,2}'));
-- example: restrict_other_ranks(supergraph, int4[])
SELECT node, inclusive FROM supernodes(restrict_other_ranks(supergraph(profile(2), 'module'), '{1,2}'));
-- example: repopulate(supergraph, text, float8)
SELECT node, absorbed FROM supernodes(repopulate(supergraph(filter(profile(1), 0.3), 'module'), 'libfoo.so'));
-- example: caption(supergraph)
SELECT caption(supergraph(filter(profile(1), 0.1), 'module'));
-- example: perfhouse_version()
SELECT perfhouse_version() ~ '^[0-9]+[.][0-9]+[.][0-9]+' AS is_version;
-- example: node_at(profile, text)
SELECT node_at(profile(1), 'main/foo/MPI_Send');
-- example: node_statistics(profile, text, text)
SELECT name, n, mean, median, min, max FROM node_statistics(profile(2)) LIMIT 3;
-- example: scaling_model(profile, text, text, text)
SELECT name, model FROM scaling_model((SELECT ensemble(profile(1) * p, p::text) FROM generate_series(1, 5) i, pow(2, i) p)) LIMIT 2;
-- example: speedup(profile, text, text, text)
SELECT name, parameter, speedup, efficiency FROM speedup((SELECT ensemble(profile(1) / p, p::text) FROM (VALUES (1), (2), (4)) v (p))) LIMIT 3;
-- example: intersect(profile, profile)
SELECT name FROM nodes(perfhouse.intersect(profile(1), profile(2)));
-- example: intersect(profile)
SELECT name FROM nodes(perfhouse.intersect((SELECT ensemble(profile(run_id), 'run ' || run_id) FROM run_overview WHERE run_id IN (1, 2))));
-- example: supernodes_by_column(supergraph, text)
SELECT * FROM supernodes_by_column(supergraph((SELECT ensemble(profile(run), 'run ' || run ORDER BY run) FROM generate_series(1, 2) run), 'module')) LIMIT 4;
-- example: against_ensemble(profile, text, text, int4, text)
SELECT name, value, n, mean, z FROM against_ensemble((SELECT ensemble(profile(1) * i, 'run ' || i ORDER BY i) FROM generate_series(1, 4) i), 'run 4') LIMIT 2;
-- example: against_ensemble(supergraph, text, text, int4, text)
SELECT * FROM against_ensemble(supergraph((SELECT ensemble(profile(1) * i, 'run ' || i ORDER BY i) FROM generate_series(1, 4) i), 'module'), 'run 4') LIMIT 2;
-- example: column_values_diff(profile, profile, text, int4, text, text)
SELECT * FROM column_values_diff(profile(1), profile(1) * 2, 'main/foo');
-- example: histogram_diff(profile, profile, text, int4, text, text)
SELECT * FROM histogram_diff(profile(1), profile(1) * 2, 'main/foo', bins => 2);
-- example: sketch_moments(bytea, bigint)
SELECT n, sum, mean, min, max FROM sketch_moments(sketch('{1,2,3,10}'));
-- example: change_point_indexes(float8[], text, float8, float8, int4, int4[])
SELECT index, mean_before, mean_after, n_before, n_after FROM change_point_indexes('{10,10.1,9.9,10,10.1,9.9,12,12.1,11.9,12,12.1,11.9}');
-- example: false_discovery_rates(float8[], int4)
SELECT false_discovery_rates('{0.01, 0.02, 0.9}');
-- example: dense_series(int4, float8, int4)
SELECT dense_series(place, value, 4) FROM (VALUES (0, 1.5), (2, 2.5)) v (place, value);
-- example: dense_series(int4[], int4[], int4[], float8[], float8, int4)
SELECT dense_series('{0,2}', '{9,7}', '{7,8,9}', '{2.5,4,1.5}', 1, 4);
-- example: run_filter_sql(text)
SELECT run_filter_sql($$application = 'lulesh' AND n_ranks >= 8$$);
-- example: repeat_test(float8[], float8[], float8, int4)
SELECT mean_a, mean_b, round(relative::numeric, 3) AS relative, round(p_value::numeric, 6) AS p, verdict FROM repeat_test('{10,10.1,9.9}', '{12,12.1,11.9}');
-- example: explain_profiles(profile[], profile[], float8, text[], float8[], float8[])
SELECT finding, verdict, round(share::numeric, 2) AS share, shape, cause, path, units, confidence
	FROM explain_profiles(ARRAY[profile(1)], ARRAY[profile_scale(profile(1), 1.5)]);
-- example: level_of(float8[])
SELECT n, level, round(spread::numeric, 2) AS spread, degrees FROM level_of('{10,10.3,9.8,10.1,10,12.1,11.8,12,12.2,11.9,12.1,12,11.9}');
-- example: explain_runs(bigint[], bigint[], float8)
SELECT step, sentence FROM explain_runs('{1}', '{2}') LIMIT 1;
-- example: explain_run(bigint, float8)
SELECT step, confidence, path FROM explain_run(1) LIMIT 1;
-- example: mann_whitney(float8[], float8[])
SELECT * FROM mann_whitney('{1,2,3,4,5}', '{11,12,13,14,15}');
-- example: correlation(float8[], float8[])
SELECT * FROM correlation('{1,2,3,4}', '{2,4,6,9}');
-- example: perfhouse_build()
SELECT perfhouse_build() ~ '^[0-9a-f]+$' AS is_checksum;
-- example: check_run(bigint)
SELECT * FROM check_run(1);
-- example: sketch(float8[])
SELECT n, sum, mean, sd, min, max, round(relative_error::numeric, 4) AS relative_error FROM sketch_moments((SELECT sketch(array_agg(i)) FROM generate_series(1, 100) i));
-- example: merge_sketches(bytea)
SELECT n, sum, max FROM sketch_moments((SELECT merge_sketches(s) FROM (VALUES (sketch('{1,2}')), (sketch('{3}'))) v (s)));
-- example: sketch_quantiles(bytea, float8[], bigint)
SELECT sketch_quantiles(sketch('{1,2,3,10}'), '{0.25,0.5,0.95}') AS quartile_median_p95;
-- example: sketch_histogram(bytea, int4, bigint)
SELECT * FROM sketch_histogram(sketch('{1,2,3,4,4}'), bins => 3);
-- example: vector_sum(float8[])
SELECT vector_sum(v) FROM (VALUES (ARRAY[1, 2, NULL::float8]), (ARRAY[10, NULL, NULL])) t (v);
-- example: run_distribution(bigint, text, text)
SELECT name, n, mean, sd, min, median, p95, max FROM run_distribution(2) LIMIT 3;
-- example: run_histogram(bigint, bigint, int, text, text)
SELECT h.* FROM run_distribution(2) d, run_histogram(2, d.callpath_id, bins => 3) h WHERE d.name = 'of foo';
-- example: set_retention(text, text, interval, text, text[], boolean)
SELECT set_retention('old small runs', 'roll up', '90 days', filter => 'n_ranks <= 64');
-- example: apply_retention(boolean, text)
SELECT policy, action, run_id, title FROM apply_retention(dry_run => true);
-- example: convert_run(bigint)
SELECT convert_run(2) AS was_of_an_older_release;
-- example: remake_derived(bigint)
SELECT remake_derived(901) AS made_anew;
-- example: remake_summaries(bigint)
BEGIN;
SELECT remake_summaries(2) > 0 AS made_anew;
ROLLBACK;
-- example: run_without_summaries
SELECT run_id FROM run_without_summaries;
-- example: run_derived
SELECT run_id, kind, is_stale FROM run_derived ORDER BY run_id, kind LIMIT 2;
-- example: roll_up_run(bigint)
BEGIN;
SELECT roll_up_run(2) AS vectors_removed;
SELECT caption(profile(2));
ROLLBACK;
\set ECHO none
DELETE FROM perfhouse.retention_policy;
\set ECHO all
-- Run 901 is a trace made by hand: three ranks, the first one with two threads.
\set ECHO none
\set QUIET on
\i regress/data/traces.sql
\i regress/data/devices.sql
\i regress/data/stream-waits.sql
\i regress/data/grid.sql
\set ECHO all
-- example: events(bigint, int8, int8, int4[])
SELECT location, rank, thread, "time", kind, region, peer, tag, bytes, seq, depth FROM events(901, 60, 80, '{0}');
-- example: event_kinds()
SELECT * FROM event_kinds() WHERE kind LIKE 'MPI_I%';
-- example: messages(bigint, int8, int8, int4[])
SELECT sender, receiver, send_time, receive_time, tag, bytes, communicator, send_region, receive_region FROM messages(901);
-- example: collectives(bigint, int8, int8)
SELECT collective, operation, communicator, n_present, first_enter, last_enter, last_leave, last_rank, wait FROM collectives(901);
-- example: comm_matrix(bigint, int8, int8)
SELECT * FROM comm_matrix(901);
-- example: message_histogram(bigint, int4, int8, int8, int4[])
SELECT * FROM message_histogram(901, bins => 4);
-- example: comm_over_time(bigint, int4, int8, int8)
SELECT * FROM comm_over_time(901, bins => 3);
-- example: comm_by_process(bigint)
SELECT * FROM comm_by_process(901);
-- example: kernels(bigint, int8, int8, int4[])
SELECT name, calls, total, mean, round(share::numeric, 3) AS share, n_ranks, rank_min, rank_max FROM kernels(904);
-- example: copies(bigint, int8, int8, int4[])
SELECT name, calls, bytes, total FROM copies(904);
-- example: gpu_activity(bigint, int8, int8, int4[])
SELECT device, wall, busy, compute, communication, copies, overlap, exposed, idle FROM gpu_activity(904);
-- example: gpu_idle(bigint, int8, int8, int4[], int8)
SELECT device, stream, busy, idle, host_wait, launch_gap, stream_wait, other FROM gpu_idle(904, threshold => 1000);
-- example: stream_waits(bigint, int8, int8, int4[])
SELECT stream, left(activity, 23) AS activity, waited, awaited_stream, awaited_activity, t_awaited FROM stream_waits(908);
-- example: launches(bigint, int8, int8, int4[])
SELECT device, stream, activity, t_start, duration, call, delay, queue FROM launches(904);
-- example: device_efficiency(bigint, int8, int8, int4[])
SELECT devices, elapsed, parallel, load_balance, communication, orchestration, offload FROM device_efficiency(904);
-- example: launch_statistics(bigint, int8, int8, int4[], int8, int8)
SELECT rank, call, activities, shorter_than_call, mean_call, mean_duration, mean_delay, max_queue FROM launch_statistics(904);
-- example: timeline_launches(bigint, int4, int8, int8, int4[], int4, int4)
SELECT from_row, to_row, t_call, t_start, launches FROM timeline_launches(904, 100) LIMIT 3;
-- example: gpu_over_time(bigint, int4, int8, int8, int4[], int8)
SELECT device, bin_start, bin_end, compute, overlap, exposed, copies, host_wait, launch_gap, other FROM gpu_over_time(904, 2);
-- example: gpu_queue(bigint, int4, int8, int8, int4[], int8)
SELECT device, stream, bin_start, bin_end, round(mean::numeric, 3) AS mean, longest, empty FROM gpu_queue(904, 2, full_at => 2);
-- example: copies_over_time(bigint, int4, int8, int8, int4[])
SELECT name, bin_start, bin_end, bytes, ns, round(bandwidth::numeric) AS bandwidth FROM copies_over_time(904, 2, 1000, 3000);
-- example: kernel_sequences(bigint, int8, text, int8, int8, int4[])
SELECT kernels, count, busy, gaps FROM kernel_sequences(904, 2);
-- example: gpu_critical_path(bigint)
SELECT part, ns, round(share::numeric, 3) AS share, segments FROM gpu_critical_path(904);
DO $$ BEGIN
	UPDATE perfhouse.trace_region SET name = 'ncclDevKernel_AllReduce' WHERE run_id = 904 AND local_id = 7;
	UPDATE perfhouse.trace_chunk SET t_prev = t_prev + 3200, t_first = t_first + 3200, t_last = t_last + 3200
		WHERE run_id = 904 AND location_id = 4;
	DELETE FROM perfhouse.launch_chunk WHERE run_id = 904 AND location_id = 4;
END $$;
-- example: gpu_clocks(bigint, int8, int8, int4[])
SELECT rank, reference, collectives, early, ahead, drift, error FROM gpu_clocks(904);
-- example: device_collectives(bigint, int8, int8, int4[])
SELECT collective, operation, step, n_members, rank, device, t_start, t_end, lateness, wait, last_rank FROM device_collectives(904);
-- example: device_operations(bigint, int8, int8, int4[])
SELECT operation, kernel, calls, total, mean, n_ranks FROM device_operations(904);
-- example: calls(bigint, int8, int8, int4[])
SELECT location, call, parent, depth, region, enter, leave, inclusive, exclusive FROM calls(901, 0, 60, '{0}');
-- example: time_profile(bigint, int4, int8, int8, int4[])
SELECT bin, bin_start, bin_end, region, exclusive, round(share::numeric, 3) AS share FROM time_profile(901, bins => 2, t_from => 0, t_to => 100);
-- example: time_profile_outliers(bigint, int4, int8, int8, int4[])
SELECT bin, region, rank, round(share::numeric, 2) AS share, round(usual::numeric, 2) AS usual FROM time_profile_outliers(901, bins => 4);
-- example: idle(bigint, text[])
SELECT location, rank, thread, idle, round(share::numeric, 3) AS share FROM idle(901);
-- example: load_imbalance(bigint, int4)
SELECT region, mean, max, round(imbalance_ratio::numeric, 3) AS imbalance_ratio, top_ranks FROM load_imbalance(901, top => 2) LIMIT 3;
-- example: trace_profile(bigint, int8, int8)
SELECT name, depth, round(inclusive::numeric * 1e9, 2) AS ns FROM nodes(trace_profile(901, 50, 100));
-- example: trace_summary(bigint)
SELECT * FROM trace_summary(901);
-- example: late_senders(bigint)
SELECT sender, receiver, receive_region, receive_enter, send_time, receive_time, wait FROM late_senders(901);
\set ECHO none
\set QUIET on
-- buffered sends wait for nobody: here they are synchronous
UPDATE perfhouse.trace_region SET name = 'MPI_Ssend' WHERE run_id = 902 AND name = 'MPI_Send';
\set ECHO all
-- example: late_receivers(bigint)
SELECT sender, receiver, send_region, send_enter, receive_enter, wait FROM late_receivers(902) LIMIT 2;
\set ECHO none
UPDATE perfhouse.trace_region SET name = 'MPI_Send' WHERE run_id = 902 AND name = 'MPI_Ssend';
\set ECHO all
-- example: collective_waits(bigint)
SELECT collective, operation, rank, enter, wait, cause, cause_enter FROM collective_waits(901);
-- example: critical_path(bigint, boolean)
SELECT step, rank, t_from, t_to, region, kind, wait, peer, compute, message, segments FROM critical_path(901);
-- example: critical_path_summary(bigint)
SELECT rank, path, kind, ns, imbalance, blame FROM critical_path_summary(901) WHERE ns > 0 ORDER BY ns DESC, path, rank LIMIT 5;
-- example: wait_states(bigint, int8, int8, int4[])
SELECT kind, victim_rank, awaited_rank, origin_rank, path, origin_path, t_from, ns FROM wait_states(901);
-- example: delay_costs(bigint, int8, int8)
SELECT rank, path, short_term, long_term FROM delay_costs(901) ORDER BY short_term + long_term DESC LIMIT 3;
-- example: blame(bigint, int8, int8)
SELECT origin_rank, origin_path, victim_rank, victim_path, ns, waits FROM blame(901) LIMIT 3;
-- example: blame_flows(bigint, int8, int8, text, int4)
SELECT origin, origin_first, victim, victim_first, ns, waits FROM blame_flows(901, blocks => NULL) ORDER BY ns DESC, victim_first LIMIT 3;
-- example: estimated_blame(profile, text)
SELECT name, depth, round(exclusive::numeric * 1e9, 1) AS caused_ns FROM nodes(estimated_blame(trace_profile(901)), 'estimated wait caused') ORDER BY exclusive DESC, node LIMIT 3;
-- example: assign_blame(bigint)
SELECT assign_blame(run_id) FROM run WHERE run_id = 0; -- no such run: no row
-- example: efficiency(bigint, int8, int8, text, text)
SELECT round(parallel::numeric, 3) AS parallel, round(load_balance::numeric, 3) AS load_balance,
	round(communication::numeric, 3) AS communication, round(serialisation::numeric, 3) AS serialisation,
	round(transfer::numeric, 3) AS transfer FROM efficiency(901);
SELECT part, t_to - t_from AS ns, round(parallel::numeric, 3) AS parallel FROM efficiency(901, region => 'main') ORDER BY t_from LIMIT 2;
-- example: device_efficiencies(bigint, int8, int8, text, text)
SELECT part, devices, elapsed, round(parallel::numeric, 3) AS parallel FROM device_efficiencies(904, region => 'step') ORDER BY t_from LIMIT 3;
-- example: assign_efficiency(bigint)
SELECT round(assign_efficiency(901)::numeric, 3) AS parallel;
-- example: efficiency_history(text, text)
SELECT series, commit_id, n_ranks, round(parallel::numeric, 3) AS parallel, round(load_balance::numeric, 3) AS load_balance,
	round(serialisation::numeric, 3) AS serialisation, estimated FROM efficiency_history('traced');
-- example: what_if(bigint, jsonb)
SELECT recorded_ns, predicted_ns, gain_ns, calibration, waits FROM what_if(901, '{"network": "ideal"}');
-- example: opportunities(bigint, int4)
SELECT change, gain_ns, predicted_ns FROM opportunities(901, 3);
-- example: timeline_rows(bigint, int4[], int4)
SELECT "row", locations, rank, thread FROM timeline_rows(901);
-- example: timeline(bigint, int4, int8, int8, int4[], int4, int4)
SELECT "row", depth, bin, n_bins, region, round(share::numeric, 3) AS share, calls FROM timeline(901, bins => 4, locations => '{0}');
-- example: timeline_deviants(bigint, int4, int8, int8, int4[], int4)
SELECT "row", bin, n_bins, location, rank, round(distance::numeric, 2) AS distance FROM timeline_deviants(901, bins => 16, max_rows => 1);
-- example: timeline_deviant_spans(bigint, int4, int8, int8, int4[], int4, int4)
SELECT "row", depth, bin, n_bins, region, rank FROM timeline_deviant_spans(901, bins => 16, max_rows => 1) LIMIT 5;
-- example: timeline_messages(bigint, int4, int8, int8, int4[], int4, int4)
SELECT from_row, to_row, send_time, receive_time, messages, bytes FROM timeline_messages(901);
-- example: metric_over_time(bigint, text, int4, int8, int8, int4[])
SELECT bin, bin_start, bin_end, mean, n_locations, unit FROM metric_over_time(901, 'power', bins => 2);
-- example: store_tiles(bigint)
SELECT store_tiles(901);
-- example: trace_raster(bigint, int4, int8, int4, int4, int4)
SELECT octet_length(trace_raster(901, 7, 0)) AS bytes;
-- example: trace_tiles(bigint, int4, int8, int8, int4[], int4, text)
SELECT tier, level, block, x, is_stored FROM trace_tiles(901, 7);
-- example: trace_cells(bigint, int4, int8, int8, int4[], int4, text)
SELECT location, n_locations, bin_start, bin_end, regions, round(compute::numeric, 2) AS compute, longest_region, longest, deviant
FROM trace_cells(901, 7, tier => 1);
\set ECHO none
DO $$ BEGIN PERFORM assign_logical_steps(901); END $$;
\set ECHO all
SELECT part, ranks, round(parallel::numeric, 3) AS parallel FROM efficiency(901, by => 'phase') ORDER BY t_from LIMIT 2;
SELECT part, ranks, round(parallel::numeric, 3) AS parallel FROM efficiency(901, by => 'iteration') ORDER BY t_from LIMIT 2;
-- example: assign_logical_steps(bigint, jsonb)
SELECT assign_logical_steps(901) - 'seconds' AS found;
-- example: logical_steps(bigint, int4, int4, int4[], jsonb)
SELECT location, seq, phase, step, lateness FROM logical_steps(901);
-- example: logical_messages(bigint, int4, int4, int4[], jsonb)
SELECT * FROM logical_messages(901);
-- example: phases(bigint, jsonb)
SELECT phase, first_step, last_step, pattern, n_events FROM phases(901);
-- example: phase_dag(bigint)
SELECT * FROM phase_dag(901);
-- example: phase_classes(bigint)
SELECT phase, phase_class IS NOT NULL AS has_class, occurrence, occurrences, pattern, n_locations FROM phase_classes(901) LIMIT 5;
-- example: phase_history(text, text)
SELECT run_id, n_ranks, pattern, occurrences, regions FROM phase_history(NULL, 'n_ranks < 4');
-- example: phase_waits(bigint)
SELECT phase, waits, ns, cause_rank, cause_ns, cause_path FROM phase_waits(901);
-- example: phase_wait_history(text, text)
SELECT run_id, n_ranks, pattern, occurrences, waits, ns, cause_rank FROM phase_wait_history(NULL, 'n_ranks < 4');
-- example: structure_stability(bigint, int4, int8)
SELECT round, moved, phases, phases_kept, steps, steps_kept FROM structure_stability(901, 2);
-- example: exchange_patterns(bigint)
SELECT phase, pattern, n_ranks, following, repeats, ns, ideal_ns, deviation_ns, worst_rank FROM exchange_patterns(901);
-- example: pattern_members(bigint, int4)
SELECT * FROM pattern_members(901, 0);
-- example: pattern_matches(text, text)
SELECT pattern_matches('(S S (R|W){2})+', 'SSRRSSWW');
-- example: phase_members(bigint, int4)
SELECT * FROM phase_members(901, 0);
-- example: step_summary(bigint, text)
SELECT step, n_events, max, mean, latest_location FROM step_summary(901, 'lateness');
-- example: step_time_span(bigint, int4, int4)
SELECT * FROM step_time_span(901, 0, 2);
-- example: step_clusters(bigint, int4, int4, text, int8)
SELECT cluster, parent, distance, n_members, locations FROM step_clusters(901, 0);
-- example: focus_processes(bigint, int4, int4, int4, text)
SELECT * FROM focus_processes(901, 0);
-- example: logical_aggregates(bigint, int4, int8)
SELECT * FROM logical_aggregates(901, 0, 1);
-- example: open_clusters(bigint, int4, text, int4, int4[], int4[], int4)
SELECT cluster, parent, n_members, is_shown, ranks FROM open_clusters(901, 0);
-- example: cluster_series(bigint, int4, text, int4[], int4[], int4, boolean)
SELECT cluster, "column", step, sends, receives, collectives FROM cluster_series(901, 0, 'lateness', '{0,1}', '{0,0}');
-- example: timeline_steps(bigint, text, int4, int8, int8, int4[], int4)
SELECT * FROM timeline_steps(901, 'lateness', bins => 4) LIMIT 3;
-- example: trace_diff(bigint, bigint)
SELECT * FROM trace_diff(901, 901) LIMIT 3;
-- example: trace_diff_phases(bigint, bigint)
SELECT phase_a, phase_b, status, aligned_by, rank_alignment, ns_a, ns_b, steps_both FROM trace_diff_phases(901, 901) LIMIT 3;
-- example: trace_diff_classes(bigint, bigint)
SELECT status, n, regions_a, greatest_change_ns, phases_a FROM trace_diff_classes(901, 901) LIMIT 3;
-- example: trace_diff_changes(bigint, bigint, int4[], int4[], int4[], int4[])
SELECT * FROM trace_diff_changes(901, 901, '{0}', '{0}', '{0}', '{0}');
-- example: greatest_change(int8)
SELECT greatest_change(v) FROM (VALUES (3::int8), (-7), (5)) c (v);
-- example: locations_of_ranks(bigint, int4[])
SELECT locations_of_ranks(901, '{0}');
-- example: drop_run(bigint)
BEGIN;
SELECT drop_run(2) AS removed, drop_run(2) AS again;
ROLLBACK;
-- example: drop_trace_events(bigint)
BEGIN;
SELECT drop_trace_events(901) AS removed;
ROLLBACK;
-- Run 903 is a task-based program on two processors.
\set ECHO none
\set QUIET on
\i regress/data/tasks.sql
\set ECHO all
-- example: chares(bigint)
SELECT chare, name, type, index, is_runtime, first_location, n_blocks, messages_sent, messages_received, busy FROM chares(903);
-- example: processors(bigint)
SELECT location, processor, n_chares, n_blocks, messages_sent, messages_received, busy, idle FROM processors(903);
-- example: serial_blocks(bigint, int8, int8, int4[])
SELECT location, block, chare_name, entry, enter, leave, is_runtime, continues, n_received, n_sent FROM serial_blocks(903, 0, 40000, '{0}');
\set ECHO none
DO $$ BEGIN PERFORM assign_logical_steps(903); END $$;
\set ECHO all
-- example: logical_grid(bigint, int4, int4, int4[], int4, int4, boolean)
SELECT * FROM logical_grid(903, max_columns => 4, max_rows => 3);
-- example: logical_rows(bigint, int4[], int4)
SELECT "row", locations, name, last_name, is_runtime FROM logical_rows(903, max_rows => 3);
-- example: logical_cells(bigint, text, int4, int4, int4[], int4, int4, boolean, int4, jsonb)
SELECT "row", "column", n, value, location, seq, step, phase FROM logical_cells(903, 'duration', max_columns => 4, max_rows => 3);
-- example: json_columns(record)
SELECT json_columns(r) FROM (SELECT "row", n_locations, name FROM logical_rows(903, max_rows => 3)) r;
-- example: logical_options(jsonb, boolean)
SELECT logical_options('{"mode": "compat", "wait_groups": false}') ->> 'wait_groups' AS wait_groups, logical_options('{}', of_tasks => true) ->> 'reorder' AS reorder;
-- example: logical_locations(bigint)
SELECT * FROM logical_locations(903);
-- example: task_metrics(bigint, int4, int4, int4[], jsonb)
SELECT location, chare, processor, seq, entry, kind, enter, phase, is_runtime, step, differential_duration, idle_experienced, imbalance FROM task_metrics(903);
-- example: task_block_metrics(bigint)
SELECT processor, serial_block, chare, entry, n_events, phases, differential_duration, idle_experienced, imbalance FROM task_block_metrics(903);
-- example: task_block_parts(bigint, int4[])
SELECT * FROM task_block_parts(903, NULL) LIMIT 4;
-- example: false_discovery_rate(float8)
SELECT test, p, false_discovery_rate(p) OVER () AS rate FROM (VALUES ('a', 0.03), ('b', NULL), ('c', 0.01), ('d', 1)) t (test, p) ORDER BY test;
-- example: sankey_order(supergraph, float8, float8, text)
SELECT sankey_order(supergraph(profile(1), 'module'));
-- example: run_overview
SELECT run_id, n_ranks, n_nodes, metrics, has_trace FROM run_overview WHERE run_id IN (1, 2, 901) ORDER BY run_id;
-- example: each_run
SELECT r.run_id, count(*) AS functions FROM each_run r, LATERAL flat(profile(r.run_id)) f WHERE r.run_id < 3 GROUP BY 1 ORDER BY 1;
-- example: profile_row
SELECT name, n, inclusive, exclusive, module FROM profile_row WHERE run_id = 1 AND metric = 'time' ORDER BY exclusive DESC, name LIMIT 3;
-- example: measurement
SELECT run_id, metric, name, path, paradigm, rank, iteration, inclusive, exclusive FROM measurement WHERE run_id = 1 AND metric = 'time' ORDER BY callpath_id, location_id LIMIT 3;
-- example: metric_overview
SELECT name, unit, factor, dimension, stored_unit FROM metric_overview WHERE name IN ('time', 'calls') ORDER BY name, stored_unit;
-- example: profile_tree
SELECT run_id, n_nodes, tree = skeleton(profile(run_id)) AS is_its_tree FROM profile_tree WHERE run_id IN (1, 2) ORDER BY run_id;
-- example: profile_summary
SELECT n, inclusive_sum, inclusive_max, inclusive_argmax, exclusive_sum FROM profile_summary WHERE run_id = 1 AND metric_id = (SELECT metric_ids[1] FROM run WHERE run_id = 1) ORDER BY 2 DESC, 5 LIMIT 2;
-- example: profile_values
SELECT callpath_id, block, inclusive, exclusive FROM profile_values WHERE run_id = 1 AND metric_id = (SELECT metric_ids[1] FROM run WHERE run_id = 1) LIMIT 2;
-- example: run_region
SELECT count(*) FROM run_region WHERE run_id = 1 AND module IS NOT NULL;
-- example: event
SELECT location, "time", kind, region, peer, bytes FROM event WHERE run_id = 901 AND "time" BETWEEN 60 AND 70 AND rank = 0;
-- example: event_columns
SELECT location, chunk_no, t_first, t_last, n, kind FROM event_columns WHERE run_id = 901 AND location = 0;
-- example: message
SELECT sender, receiver, send_time, receive_time, bytes FROM message WHERE run_id = 901 ORDER BY receive_time, sender LIMIT 3;
-- example: logical_event
SELECT location, seq, phase, step, lateness FROM logical_event WHERE run_id = 903 ORDER BY location, seq LIMIT 3;
-- The loader stores totals and sums by function; these are made up, and gone afterwards.
\set ECHO none
\set QUIET on
BEGIN; UPDATE run SET total = 32.25, n_hosts = 2, n_ranks = 2 WHERE run_id = 1; UPDATE metric SET unit = 'sec' WHERE metric_id = (SELECT metric_ids[1] FROM run WHERE run_id = 1);
INSERT INTO region_summary SELECT 1, c.region_id, r.metric_ids[1], 1, sum(m.inclusive), sum(m.exclusive), min(m.exclusive), max(m.exclusive)
    FROM measurement m JOIN callpath c USING (callpath_id) JOIN run r USING (run_id) WHERE run_id = 1 AND metric = 'time' GROUP BY 2, 3;
INSERT INTO commit (commit_id, subject) VALUES ('1f0c9a7e5b3d2f4e6a8c0b1d3f5e7a9c1b3d5f70', 'Count the halo twice');
INSERT INTO regression (application, metric_id, callpath_id, path, commit_id, run_id, mean_before, mean_after, own_change, total_change,
    p_value, q_value, n_before, n_after) SELECT 'test', metric_id, 1, 'main/solve/halo', '1f0c9a7e5b3d2f4e6a8c0b1d3f5e7a9c1b3d5f70', 2,
    4, 5, 1, 1, 0.001, 0.004, 6, 5 FROM metric WHERE unit = 'sec';
UPDATE run SET user_name = 'ada', project = 'climate', meta = meta || '{"partition": "batch"}', parallel_efficiency = 0.6, load_balance = 0.75,
    communication_efficiency = 0.8 WHERE run_id = 1;
\set ECHO all
-- example: run_cost
SELECT run_id, application, total, unit, seconds, node_hours, lost_node_hours, lost_to_imbalance, lost_to_communication, user_name, project, queue
FROM run_cost WHERE run_id IN (1, 2) ORDER BY run_id;
\set ECHO none
UPDATE run SET project = NULL, parallel_efficiency = NULL, load_balance = NULL, communication_efficiency = NULL WHERE run_id = 1;
\set ECHO all
-- example: function_cost
SELECT run_id, name, exclusive, inclusive, unit FROM function_cost WHERE run_id = 1 ORDER BY exclusive DESC, name LIMIT 3;
-- example: month_run
SELECT run_id, application, is_excluded, n_units, n_hosts FROM month_run WHERE run_id IN (1, 2) ORDER BY run_id;
-- example: run_history
SELECT run_id, "position", subject FROM run_history WHERE run_id IN (1, 2) ORDER BY run_id;
-- example: regression_overview
SELECT state, application, path, subject, mean_before, mean_after, relative FROM regression_overview WHERE state IN ('new', 'active') ORDER BY lost_node_hours DESC;
-- A history of twelve commits, three runs each but of 6 and 7: "kernel" is slower from commit 8 on, and on node5.
\set ECHO none
INSERT INTO commit (commit_id, repository, parents, committed_at, subject, "position", first_parent_position) SELECT md5('h' || i), 'demo', CASE WHEN i > 1 THEN ARRAY[md5('h' || (i - 1))] ELSE '{}' END, '2026-01-01'::timestamptz + i * interval '1 day', 'commit ' || i, i, i - 1 FROM generate_series(1, 12) i;
INSERT INTO commit_ref VALUES ('demo', 'HEAD', 'head', md5('h12')), ('demo', 'stable', 'branch', md5('h5'));
INSERT INTO metric (name, unit) VALUES ('time', 's') ON CONFLICT DO NOTHING;
INSERT INTO region (region_id, kind, name) VALUES (-501, 0, 'main'), (-502, 0, 'kernel'), (-503, 0, 'exchange');
INSERT INTO callpath VALUES (-601, NULL, -501, 0), (-602, -601, -502, 1), (-603, -601, -503, 1);
CREATE TEMP TABLE made AS SELECT no, (no + 2) / 3 + CASE WHEN no > 15 THEN 2 ELSE 0 END AS i, CASE WHEN no > 15 THEN 2.4 ELSE 2 END + 0.01 * (no % 3) AS kernel, 1 + 0.01 * (no % 2) AS exchange, (SELECT metric_id FROM metric WHERE (name, unit) = ('time', 's')) AS metric_id FROM generate_series(1, 30) no;
INSERT INTO run (run_id, fingerprint, state, application, format, commit_id, n_ranks, n_units, metrics, metric_ids, started_at, meta, n_hosts, total) SELECT 1000 + no, 'history ' || no, 'ready', 'demo', 'sql', md5('h' || i), 4, 4, '{time}', ARRAY[metric_id], '2026-03-01'::timestamptz + no * interval '1 hour',
		jsonb_build_object('compiler', CASE WHEN i < 8 THEN 'gcc 12' ELSE 'gcc 13' END), 4, 4 * (kernel + exchange + 0.1) FROM made;
INSERT INTO location (run_id, location_id, rank, host) SELECT 1000 + no, l, l, 'node' || (no + l) % 6 FROM made, generate_series(0, 3) l;
INSERT INTO profile_values_1 SELECT 1000 + no, -602, metric_id, 0, v, v FROM made, LATERAL (SELECT array_agg(kernel * (1 + 0.001 * l) * CASE (no + l) % 6 WHEN 5 THEN 1.1 ELSE 1 END ORDER BY l) AS v FROM generate_series(0, 3) l) x;
INSERT INTO profile_summary_1 (run_id, callpath_id, metric_id, n, inclusive_sum, exclusive_sum) SELECT 1000 + no, c, metric_id, 4, v * 4, e * 4 FROM made, LATERAL (VALUES (-601, kernel + exchange + 0.1, 0.1), (-602, kernel, kernel), (-603, exchange, exchange)) x (c, v, e);
INSERT INTO region_summary SELECT 1000 + no, g, metric_id, 1, v, v, v, v FROM made, LATERAL (VALUES (-501, 0.1), (-502, kernel), (-503, exchange)) x (g, v);
\set ECHO all
-- example: function_costs(timestamptz, timestamptz, text)
SELECT name, n_runs, round(exclusive::numeric, 6) AS exclusive, unit FROM function_costs('2026-03-01', '2026-04-01', 'demo')
	ORDER BY exclusive DESC, name;
-- example: refresh_months(text, float8)
SELECT refresh_months('demo');
-- example: find_commit(text, text)
SELECT subject FROM commit WHERE commit_id = find_commit('stable', 'demo');
-- example: commit_ancestors(text)
SELECT count(*) FROM commit_ancestors(find_commit('HEAD', 'demo'));
-- example: merge_base(text, text)
SELECT subject FROM commit WHERE commit_id = merge_base(find_commit('HEAD', 'demo'), find_commit('stable', 'demo'));
-- example: commits_between(text, text)
SELECT subject FROM commits_between(find_commit('stable', 'demo'), find_commit('HEAD', 'demo')) b JOIN commit ON commit_id = b ORDER BY "position";
-- example: runs_between(text, text, text)
SELECT count(*), min("position"), max("position") FROM runs_between('demo', find_commit('stable', 'demo'), find_commit('HEAD', 'demo'));
-- example: baseline_runs(text, text, text, int)
SELECT run_id, distance FROM baseline_runs('demo', find_commit('HEAD', 'demo'), 'parent');
-- example: list_runs(text, text, text, text, int, bigint, bigint)
SELECT l.place, o.run_id, o.title FROM list_runs(application => 'demo', "order" => 'title', page_size => 3) l JOIN run_overview o USING (run_id) ORDER BY place;
-- example: count_runs(text, text, text, int)
SELECT * FROM count_runs(application => 'demo');
-- example: runs_matching(text)
SELECT count(*) FROM runs_matching($$application = 'demo' AND meta.compiler = 'gcc 13'$$);
-- example: chosen_runs(text, text, bigint[])
SELECT run_id, n_ranks FROM chosen_runs('demo', 'run_id < 1003');
-- example: runs_by_number(text, text, text)
SELECT run_id, label, number FROM runs_by_number('demo', 'n_ranks', 'run_id < 1003');
-- example: history_runs(text, text, text)
SELECT run_id, series, place, commit_no, "position" FROM history_runs('demo') ORDER BY place LIMIT 3;
-- example: call_path_text(bigint)
SELECT call_path_text(-602);
-- example: history_series(text, text, text, text, text)
SELECT key, "values"[14:17] AS around_the_change FROM history_series('demo') ORDER BY key;
-- example: change_points(text, text, text, text, text, float8, float8, float8, text)
SELECT path, "position", round(mean_before::numeric, 2) AS before, round(mean_after::numeric, 2) AS after, round(relative::numeric, 3) AS relative FROM change_points('demo');
-- example: history(text, text, text, text, text)
SELECT run_id, "position", value FROM history('demo', 'kernel') WHERE run_id BETWEEN 1014 AND 1017;
-- example: history_costs(text, text, text, text)
SELECT key, round(cost::numeric, 2) AS cost FROM history_costs('demo') ORDER BY cost DESC;
-- example: history_named(text, text, text, text[], text)
SELECT panel, level, label, n_candidates FROM history_named('demo', 'time', NULL, '{kernel}');
-- example: history_targets(text, text, text, text[], text, int)
SELECT panel, level, label FROM history_targets('demo', most => 2);
-- example: history_places(text, text, text, int, int)
SELECT place, slot, run_id, subject, seconds FROM history_places('demo') ORDER BY place LIMIT 3;
-- example: regression_rules()
SELECT placing_error, min_hosts, slow_node_z FROM regression_rules();
-- example: find_regressions(text, text, float8, float8, float8)
SELECT path, round(mean_before::numeric, 2) AS before, round(mean_after::numeric, 2) AS after, n_before, n_after FROM find_regressions('demo');
-- example: refresh_noise(text)
SELECT refresh_noise('demo');
-- example: readable(float8, text)
SELECT readable(0.000285, 's'), readable(30000000, 'bytes');
-- example: short_name(text)
SELECT short_name('main/Solve<int>(Domain&, std::function<void (int)>)/MPI_Send');
-- example: metadata_effects(bigint)
SELECT key, value, n_runs, is_run FROM metadata_effects(1001) LIMIT 4;
-- example: scaling_deviation(bigint)
SELECT n_ranks, n_runs, value > 0 AS has_value, expected, is_run FROM scaling_deviation(1);
-- example: known_noise(bigint)
SELECT path, n_runs, round(level::numeric, 3) AS level, round(relative::numeric, 3) AS relative, round(deviations::numeric, 1) AS deviations FROM known_noise(1001) LIMIT 3;
-- example: update_regressions(text)
SELECT application, path, event FROM update_regressions('demo');
SELECT regression_id AS id FROM regression WHERE application = 'demo' \gset
-- example: regression_runs(bigint)
SELECT is_after, count(*) FROM regression_overview o, regression_runs(o.regression_id) WHERE o.application = 'demo' GROUP BY 1;
-- example: regression_parts(bigint)
SELECT part, round(p.change::numeric, 3) AS change, round(share::numeric, 3) AS share FROM regression_overview o, regression_parts(o.regression_id) p WHERE o.application = 'demo';
-- example: explain_change(bigint)
SELECT key, before_values, after_values, bits FROM regression_overview o, explain_change(o.regression_id) WHERE o.application = 'demo';
-- example: set_regression(bigint, text, text)
SELECT set_regression(regression_id, 'active', 'known, see the tracker') FROM regression_overview WHERE application = 'demo';
-- example: compare_commits(text, text, text, text, float8, text, text, int, text)
SELECT path, n_a, n_b, round(relative::numeric, 3) AS relative, verdict FROM compare_commits('demo', find_commit('stable', 'demo'), find_commit('HEAD', 'demo'));
-- example: next_commit(text, text, text, text)
SELECT subject, n_candidates FROM next_commit('demo', good => md5('h5'), bad => md5('h12')) LIMIT 2;
-- example: host_residual(timestamptz, text)
SELECT host, count(*) AS runs, round(avg(relative)::numeric, 3) AS relative FROM host_residual(of_application => 'demo') GROUP BY 1 HAVING avg(z) > 3;
-- example: lost_node_hours(timestamptz, text)
SELECT cause, what, runs FROM lost_node_hours(of_application => 'demo');
-- example: seconds_of(text)
SELECT seconds_of('ms') AS ms, seconds_of('ns') AS ns, seconds_of('bytes') AS not_of_time;
-- example: nodes_of(bigint)
SELECT nodes_of(1001);
-- example: run_value(bigint, text)
SELECT run_value(1001, 'compiler') AS compiler, run_value(1001, 'n_ranks') AS n_ranks;
-- example: default_keys()
SELECT default_keys();
-- example: default_size_keys()
SELECT default_size_keys();
-- example: experiment_differences(bigint[], bigint[])
SELECT key, status, a_values, b_values FROM experiment_differences('{1}', '{2}') WHERE status <> 'not recorded';
-- example: are_comparable(bigint[], bigint[])
SELECT are_comparable('{1}', '{2}') AS two_runs, are_comparable('{1}') AS one_run;
-- example: comparable_runs(bigint)
SELECT comparable_runs(1001) AS run_id LIMIT 3;
-- example: experiments(text)
SELECT experiment, n_runs, n_commits FROM experiments('test');
-- example: set_application(text, text[], text[], text)
SELECT set_application('test', keys => '{ranks,compiler}', size_keys => '{nx,ny}', size_of => 'rank');
-- example: applications()
SELECT application, keys, size_keys, size_of, is_declared FROM applications() WHERE application = 'test';
-- example: reset_application(text)
SELECT reset_application('test');
-- example: run_experiment
SELECT run_id, application, keys, "values" FROM run_experiment WHERE run_id = 1;
-- example: scaling_efficiency(bigint[])
SELECT run_id, n_ranks, kind, round(parallel::numeric, 3) AS parallel, computation, reason FROM scaling_efficiency('{1,2}');
-- example: scaling_study(text, text)
SELECT n_ranks, kind, computation, global FROM scaling_study('test');
-- example: scaling_kind(bigint[], text)
SELECT * FROM scaling_kind('{1,2}');
-- example: add_alias(text, text, text, text, text, text, text, boolean, text)
SELECT add_alias('foo', 'solve', application => 'test', reason => 'renamed in version 2') IS NOT NULL AS added;
-- example: aliases_of(text)
SELECT aliases_of('test');
-- example: apply_aliases(profile, text)
SELECT name, inclusive FROM nodes(apply_aliases(profile(1), 'test')) LIMIT 5;
-- example: remove_alias(bigint)
SELECT remove_alias(alias_id) FROM region_alias WHERE name = 'foo';
-- example: roll_up_runs(profile, text, text)
SELECT location, name FROM columns(roll_up_runs((SELECT ensemble(profile(run_id), run_id::text ORDER BY run_id) FROM run_overview WHERE run_id IN (1, 2)), 'n_ranks'));
-- example: tables_by_run()
SELECT count(*) > 10 AS many FROM tables_by_run();
-- example: rows_without_run(boolean)
SELECT * FROM rows_without_run();
-- example: clear_run(bigint)
SELECT clear_run(run_id) FROM run WHERE state = 'loading';
-- example: retention_due(text)
SELECT policy, action, run_id FROM retention_due();
-- example: apply_grants()
CALL apply_grants();
-- example: grant_project(text, text)
SELECT grant_project('climate', 'perfhouse_loader');
-- example: my_projects()
SELECT 'climate' = ANY (my_projects()) AS is_mine;
-- example: project_overview
SELECT * FROM project_overview WHERE project = 'climate';
-- example: enable_projects()
CALL enable_projects();
-- example: disable_projects()
CALL disable_projects();
-- example: revoke_project(text, text)
SELECT revoke_project('climate', 'perfhouse_loader');
-- example: by_iteration(profile, text, text)
SELECT name, iteration, mean, min, max, n_present, worst_rank FROM by_iteration(profile(905, 'time', iterations => true)) WHERE iteration IN (5, 6);
-- example: iteration_changes(profile, text, text, float8)
SELECT path, iteration, round(before::numeric, 3) AS before, round(after::numeric, 3) AS after, round(relative::numeric, 3) AS relative
	FROM iteration_changes(profile(905, 'time', iterations => true));
-- example: iteration_history(profile, text[], text, text, text, int4)
SELECT panel, label, nodes, iterations[5:7] AS iterations, means[5:7] AS means, maxs[5:7] AS maxs, worst_ranks[5:7] AS worst_ranks
	FROM iteration_history(profile(905, 'time', iterations => true), cost => 'exclusive');
-- example: topology(bigint, text)
SELECT rank, coordinates, dimensions, sizes, n_boundary FROM topology(905) WHERE rank IN (0, 1, 4, 15);
-- example: explain_variance(profile, int, text, text, text)
SELECT factor, round(share::numeric, 3) AS share, is_clear, extreme, round(mean_in::numeric, 2) AS mean_in, round(mean_out::numeric, 2) AS mean_out
	FROM explain_variance(profile(905), node_at(profile(905), 'main/solve'));
-- example: variance_share(float8[], int4[])
SELECT n, n_groups, round(share::numeric, 3) AS share, round(adjusted::numeric, 3) AS adjusted, round(p_value::numeric, 4) AS p_value, extreme, mean_in, mean_out
	FROM variance_share('{1, 1.1, 0.9, 2, 2.1, 1.9}', '{0, 0, 0, 1, 1, 1}');
-- example: callers(profile, text, text)
SELECT * FROM callers(profile(1), 'MPI_Send');
-- example: outliers(text, text, float8, float8)
SELECT count(*) AS out_of_line FROM outliers('test');
-- example: set_metadata(bigint, text, jsonb)
SELECT set_metadata(1, 'problem_size', '64');
-- example: store_profile(profile, text, text, jsonb)
SELECT store_profile(profile(1) - profile(2), 'what run 1 has more') > 0 AS is_kept;
SELECT title, derived_from, metrics, excluded_reason FROM run_overview WHERE format = 'stored';
-- example: define_metric(text, text, text)
SELECT define_metric('time per call', 'time / calls');
SELECT name, inclusive, exclusive FROM nodes(profile(1, 'time per call'));
-- example: define_pattern(text, text, text)
SELECT define_pattern('eager halo', 'S{2,6} A', 'lulesh');
-- example: drop_pattern(text, text)
SELECT drop_pattern('eager halo', 'lulesh');
-- example: drop_metric(text)
SELECT drop_metric('time per call');
-- example: load_jobs(text, text)
SELECT * FROM load_jobs(E'JobID|Cluster|JobName|Account|Partition|State|End|ElapsedRaw|NNodes\n71|q|lulesh|climate|batch|COMPLETED|2026-11-21T12:00:00|3600|4\n');
-- example: coverage(timestamptz, timestamptz)
SELECT * FROM coverage('2026-11-21', '2026-11-22');
-- example: measure_next(int4, timestamptz)
SELECT application, what, reason, node_hours FROM measure_next(3, '2026-11-01');
-- example: guest_seen
SELECT run_id FROM guest_seen WHERE run_id IN (1, 2) ORDER BY run_id;
-- example: guest_run
SELECT run_id, n_ranks, metrics FROM guest_run WHERE run_id IN (1, 2) ORDER BY run_id;
-- example: guest_location
SELECT location_id, rank FROM guest_location WHERE run_id = 1 ORDER BY location_id LIMIT 2;
-- example: guest_function
SELECT name, metric, exclusive FROM guest_function WHERE run_id = 1 AND metric = 'time' ORDER BY exclusive DESC, name LIMIT 2;
-- example: guest_call_path
SELECT depth, name, inclusive FROM guest_call_path WHERE run_id = 1 AND metric = 'time' ORDER BY inclusive DESC, depth LIMIT 2;
-- example: guest_job
SELECT job, application, state FROM guest_job ORDER BY job LIMIT 2;
-- example: help(text)
SELECT kind, name, example FROM help('Hot_Path');
\set ECHO none
ROLLBACK;
DO $$ BEGIN PERFORM drop_run(901), drop_run(902), drop_run(903), drop_run(904), drop_run(905); END $$;
