-- Questions to the warehouses in this folder, one a line; the answers of the release are in VERSION.answers.
-- Names follow today's functions and views; answers never change. search_path contains perfhouse.
-- profile(run) of 0.1.0 was the primary metric with visits; it has since taken other names of the number of calls, too:
-- where all of a profile is compared, these are asked for by name.
-- Fences, creation and end of windows have since become collectives, which 0.1.0 had none of: the others are numbered without them.
-- Logical time that an older version of the method found is what the release stored, and sound but for that.
SELECT count(*), min(run_id), max(run_id), sum(n_nodes), sum(n_columns), sum(residual_cells) FROM run_overview
SELECT md5(string_agg(concat_ws('|', run_id, application, title, n_ranks, n_threads, n_nodes, n_units, metrics, tags, excluded_reason, repeat, fingerprint, n_events), E'\n' ORDER BY run_id)) FROM run_overview
SELECT md5(string_agg(concat_ws('|', r.run_id, n.node, n.parent, n.depth, n.name, n.kind, n.module, n.file, n.line, n.inclusive, n.exclusive, n.n_present, n.absorbed, n.residual, n.callpath_id, n.path, n.paradigm), E'\n' ORDER BY r.run_id, n.node)) FROM run_overview r, nodes(profile(r.run_id)) n
SELECT md5(string_agg(encode(flat_form(profile(r.run_id, array_remove(ARRAY[r.metrics[1], CASE WHEN 'visits' = ANY (r.metrics) THEN 'visits' END], NULL))), 'hex'), E'\n' ORDER BY r.run_id)) FROM run_overview r
SELECT md5(string_agg(concat_ws('|', r.run_id, f.name, f.n_nodes, f.inclusive, f.exclusive, f.share), E'\n' ORDER BY r.run_id, f.name)) FROM run_overview r, flat(profile(r.run_id)) f
SELECT md5(string_agg(concat_ws('|', r.run_id, s.node, s.level, s.inclusive, s.exclusive, s.n_members), E'\n' ORDER BY r.run_id, s.level, s.node)) FROM run_overview r, supernodes(supergraph(profile(r.run_id), 'function')) s
SELECT md5(string_agg(concat_ws('|', r.run_id, e.source, e.target, e.inclusive), E'\n' ORDER BY r.run_id, e.source, e.target)) FROM run_overview r, superedges(supergraph(profile(r.run_id))) e
SELECT md5(string_agg(concat_ws('|', name, before_inclusive, after_inclusive, delta_exclusive, status), E'\n' ORDER BY node)) FROM nodes_diff(diff(profile(1), profile(2)))
SELECT name, round(before_exclusive::numeric, 9), round(after_exclusive::numeric, 9) FROM nodes_diff(diff(profile(5), profile(6))) WHERE status = 'both' ORDER BY name LIMIT 4
SELECT md5(encode(flat_form(ensemble(profile(run_id), title ORDER BY run_id)), 'hex')) FROM run_overview WHERE application = 'sim'
SELECT md5(encode(flat_form(mean(profile(run_id))), 'hex')), md5(encode(flat_form(sum(profile(run_id))), 'hex')) FROM run_overview WHERE application = 'sim'
SELECT md5(string_agg(concat_ws('|', run_id, name, metric, n, round(inclusive::numeric, 9), round(exclusive::numeric, 9), module), E'\n' ORDER BY run_id, callpath_id, metric)) FROM profile_row
SELECT count(*), round(sum(inclusive)::numeric, 6), round(sum(exclusive)::numeric, 6) FROM measurement
SELECT md5(string_agg(concat_ws('|', r.run_id, e.location, e.time, e.kind, e.region, e.peer, e.tag, e.bytes, e.communicator, e.seq, e.depth), E'\n' ORDER BY r.run_id, e.location, e.seq)) FROM run_overview r, events(r.run_id) e WHERE r.has_trace
SELECT count(*), sum(time), count(DISTINCT region), sum(bytes) FROM event
SELECT md5(string_agg(concat_ws('|', m.run_id, m.sender, m.receiver, m.send_time, m.receive_time, m.tag, m.bytes), E'\n' ORDER BY m.run_id, m.sender_location, m.send_seq, m.receiver_location, m.receive_seq)) FROM message m
SELECT r.run_id, c.sender, c.receiver, c.messages, c.bytes FROM run_overview r, comm_matrix(r.run_id) c WHERE r.has_trace ORDER BY 1, 2, 3 LIMIT 12
SELECT md5(string_agg(concat_ws('|', run_id, n, operation, n_members, first_enter, last_leave, wait), E'\n' ORDER BY run_id, n)) FROM (SELECT r.run_id, row_number() OVER (PARTITION BY r.run_id ORDER BY c.collective) - 1 AS n, c.operation, c.n_members, c.first_enter, c.last_leave, c.wait FROM run_overview r, collectives(r.run_id) c WHERE r.has_trace AND c.operation NOT IN ('create_window', 'free_window', 'fence')) c
SELECT md5(string_agg(concat_ws('|', r.run_id, p.region, p.bin, p.exclusive), E'\n' ORDER BY r.run_id, p.bin, p.region)) FROM run_overview r, time_profile(r.run_id, 10) p WHERE r.has_trace
SELECT md5(string_agg(concat_ws('|', r.run_id, i.region, i.mean, i.max), E'\n' ORDER BY r.run_id, i.region)) FROM run_overview r, load_imbalance(r.run_id) i WHERE r.has_trace
SELECT md5(string_agg(concat_ws('|', r.run_id, c.location, c.call, c.parent, c.region, c.enter, c.leave, c.exclusive), E'\n' ORDER BY r.run_id, c.location, c.call)) FROM run_overview r, calls(r.run_id) c WHERE r.has_trace
SELECT md5(string_agg(concat_ws('|', l.run_id, p.phase, p.first_step, p.last_step, p.n_events, p.n_locations, p.max_lateness, p.pattern, p.is_runtime), E'\n' ORDER BY l.run_id, p.phase)) FROM logical l, phases(l.run_id) p
SELECT md5(string_agg(concat_ws('|', l.run_id, s.location, s.seq, s.phase, s.step, s.lateness, s.differential_lateness), E'\n' ORDER BY l.run_id, s.location, s.seq)) FROM logical l, logical_steps(l.run_id) s
SELECT run_id, count(*), max(step), sum(lateness) FROM logical_event GROUP BY run_id ORDER BY run_id
SELECT md5(string_agg(concat_ws('|', t.run_id, m.location, m.seq, m.phase, m.step, m.differential_duration, m.idle_experienced, m.imbalance), E'\n' ORDER BY t.run_id, m.location, m.seq)) FROM task_trace t, task_metrics(t.run_id) m
SELECT md5(string_agg(concat_ws('|', t.run_id, c.name), E'\n' ORDER BY t.run_id, c.name)) FROM task_trace t, chares(t.run_id) c
SELECT md5(string_agg(concat_ws('|', r.run_id, f.level, f.label, f.value, f.self), E'\n' ORDER BY r.run_id, f.node NULLS FIRST)) FROM run_overview r, flame(profile(r.run_id)) f
SELECT count(*), min(first_parent_position), max(first_parent_position), string_agg(DISTINCT subject, ',') FROM commit
SELECT md5(string_agg(concat_ws('|', run_id, commit_id, first_parent_position), E'\n' ORDER BY run_id)) FROM run_history
SELECT regression_id, state, path, round(relative::numeric, 6) FROM regression_overview ORDER BY regression_id
SELECT name, to_name, reason FROM region_alias ORDER BY alias_id
SELECT run_id, count(*), bool_and(ok OR detail ~ '^was found by version \d+ of the method, this one is \d+: ') FROM run_overview r, check_run(r.run_id) WHERE check_name <> 'rows' GROUP BY run_id ORDER BY run_id
SELECT r.run_id, k.p = profile(r.run_id, array_remove(ARRAY[r.metrics[1], CASE WHEN 'visits' = ANY (r.metrics) THEN 'visits' END], NULL)), md5(k.p::text), md5(k.g::text), k.note FROM public.kept k JOIN run_overview r USING (run_id) ORDER BY 1
SELECT name, round(exclusive::numeric, 9) FROM public.top ORDER BY name LIMIT 5
SELECT * FROM public.sent ORDER BY 1
SELECT * FROM public.tallied ORDER BY 1, 2
SELECT * FROM public.decoded ORDER BY 1
SELECT * FROM public.doubled ORDER BY 1
SELECT public.hottest(1)
SELECT md5(string_agg(concat_ws('|', name, n), ',' ORDER BY name)) FROM public.remembered
SELECT md5(perfhouse.flat_form(public.gathered(p))::text) FROM public.kept WHERE run_id IN (1, 2)
