-- reference.sql - one example per function that returns rows; docs/make-sql-reference prints them.
-- example: nodes(profile, text)
SELECT node, parent, depth, name, module, inclusive, exclusive, n_present, path FROM nodes(profile(1));
-- example: nodes_diff(profile, text)
SELECT name, before_inclusive, after_inclusive, delta_inclusive, status FROM nodes_diff(diff(profile(1), profile(2)))
	ORDER BY abs(delta_exclusive) DESC, node LIMIT 3;
-- example: flat(profile, text, text)
SELECT name, n_nodes, inclusive, exclusive, round(share::numeric, 3) AS share FROM flat(profile(1), by => 'module');
-- example: flame(profile, text)
SELECT level, label, value, self FROM flame(profile(1));
-- example: flame_diff(profile, profile, text)
SELECT level, label, value, self, value_right AS "valueRight", self_right AS "selfRight" FROM flame_diff(profile(1), profile(2));
-- example: hot_path(profile, float8, int4, text)
SELECT step, name, inclusive, round(share::numeric, 3) AS share FROM hot_path(profile(1));
-- example: column_values(profile, int4, text)
SELECT location, rank, name, present, inclusive, exclusive FROM column_values(profile(1), 3);
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
\set ECHO all
-- example: events(bigint, int8, int8, int4[])
SELECT location, rank, thread, "time", kind, region, peer, tag, bytes, seq, depth FROM events(901, 60, 80, '{0}');
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
-- example: calls(bigint, int8, int8, int4[])
SELECT location, call, parent, depth, region, enter, leave, inclusive, exclusive FROM calls(901, 0, 60, '{0}');
-- example: time_profile(bigint, int4, int8, int8, int4[])
SELECT bin, bin_start, bin_end, region, exclusive, round(share::numeric, 3) AS share FROM time_profile(901, bins => 2, t_from => 0, t_to => 100);
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
-- example: late_receivers(bigint)
SELECT sender, receiver, send_region, send_enter, receive_enter, wait FROM late_receivers(902) LIMIT 2;
-- example: collective_waits(bigint)
SELECT collective, operation, rank, enter, wait, cause, cause_enter FROM collective_waits(901);
-- example: critical_path(bigint)
SELECT step, rank, thread, t_from, t_to, region, kind, wait, peer FROM critical_path(901);
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
-- example: false_discovery_rate(float8)
SELECT test, p, false_discovery_rate(p) OVER () AS rate FROM (VALUES ('a', 0.03), ('b', NULL), ('c', 0.01), ('d', 1)) t (test, p) ORDER BY test;
-- example: sankey_order(supergraph, float8, float8, text)
SELECT sankey_order(supergraph(profile(1), 'module'));
-- example: run_overview
SELECT run_id, n_ranks, n_nodes, metrics, has_trace FROM run_overview WHERE run_id IN (1, 2, 901) ORDER BY run_id;
-- example: profile_row
SELECT name, n, inclusive, exclusive, module FROM profile_row WHERE run_id = 1 AND metric = 'time' ORDER BY exclusive DESC, name LIMIT 3;
-- example: measurement
SELECT * FROM measurement WHERE run_id = 1 AND metric = 'time' ORDER BY callpath_id, location_id LIMIT 3;
-- example: event
SELECT location, "time", kind, region, peer, bytes FROM event WHERE run_id = 901 AND "time" BETWEEN 60 AND 70 AND rank = 0;
-- example: message
SELECT sender, receiver, send_time, receive_time, bytes FROM message WHERE run_id = 901 ORDER BY receive_time, sender LIMIT 3;
-- example: logical_event
SELECT location, seq, phase, step, lateness FROM logical_event WHERE run_id = 903 ORDER BY location, seq LIMIT 3;
-- The loader stores totals and sums by function; these are made up, and gone afterwards.
\set ECHO none
\set QUIET on
BEGIN;
UPDATE run SET total = 32.25, n_hosts = 2, n_ranks = 2 WHERE run_id = 1;
UPDATE metric SET unit = 'sec' WHERE metric_id = (SELECT metric_ids[1] FROM run WHERE run_id = 1);
INSERT INTO region_summary SELECT 1, c.region_id, r.metric_ids[1], 1, sum(m.inclusive), sum(m.exclusive), min(m.exclusive), max(m.exclusive)
    FROM measurement m JOIN callpath c USING (callpath_id) JOIN run r USING (run_id) WHERE run_id = 1 AND metric = 'time' GROUP BY 2, 3;
INSERT INTO commit (commit_id, subject) VALUES ('1f0c9a7e5b3d2f4e6a8c0b1d3f5e7a9c1b3d5f70', 'Count the halo twice');
INSERT INTO regression (application, metric_id, callpath_id, path, commit_id, run_id, mean_before, mean_after, own_change, total_change,
    p_value, q_value, n_before, n_after) SELECT 'test', metric_id, 1, 'main/solve/halo', '1f0c9a7e5b3d2f4e6a8c0b1d3f5e7a9c1b3d5f70', 2,
    4, 5, 1, 1, 0.001, 0.004, 6, 5 FROM metric WHERE unit = 'sec';
\set ECHO all
-- example: run_cost
SELECT run_id, application, metric, total, unit, seconds, node_hours FROM run_cost WHERE run_id IN (1, 2) ORDER BY run_id;
-- example: function_cost
SELECT run_id, name, exclusive, inclusive, unit FROM function_cost WHERE run_id = 1 ORDER BY exclusive DESC, name LIMIT 3;
-- example: run_history
SELECT run_id, "position", subject FROM run_history WHERE run_id IN (1, 2) ORDER BY run_id;
-- example: regression_overview
SELECT state, application, path, subject, mean_before, mean_after, relative FROM regression_overview WHERE state IN ('new', 'active') ORDER BY lost_node_hours DESC;
-- example: help(text)
SELECT kind, name, example FROM help('Hot_Path');
\set ECHO none
ROLLBACK;
DO $$ BEGIN PERFORM drop_run(901), drop_run(902), drop_run(903); END $$;
