-- tasks.sql - run 903: tests/data/projections/tiny as the loader stores it (rows copied out of a warehouse).
INSERT INTO perfhouse.run (run_id, fingerprint, state, application, title, format, n_ranks, n_columns, n_units) VALUES (903, 'tasks 903', 'ready', 'tiny', 'tiny', 'projections', 2, 2, 2);
COPY perfhouse.location (run_id, location_id, kind, rank, thread, host, name, iteration, source_id) FROM stdin;
903	0	3	0	0	\N	\N	\N	\N
903	1	3	1	0	\N	\N	\N	\N
\.
COPY perfhouse.trace (run_id, n_locations, n_events, duration, epoch_ns, n_messages, unmatched_sends, unmatched_receives, reversed_messages, worst_reversal, n_collectives, open_calls, unknown_records, clock, events_dropped_at) FROM stdin;
903	2	43	71000	\N	4	0	2	0	0	0	0	0	uncorrected	\N
\.
COPY perfhouse.trace_region (run_id, local_id, region_id, name, paradigm, role) FROM stdin;
903	1	-7662599835474241832	Main::Main(CkArgMsg* msg)	charm++	task
903	2	-2257824769640842209	Main::done(int n)	charm++	task
903	3	1182159671936799864	Worker::Worker(int n)	charm++	task
903	4	1097607834077815726	Worker::work(int n)	charm++	task
903	5	-5834684945692891725	Idle	charm++	idle
903	9	3753414306322800759	solve	user	user event
\.
COPY perfhouse.trace_metric (run_id, metric_class, member, name, unit, type, is_accumulated, scale) FROM stdin;
903	0	0	memory in use	bytes	0	f	1
903	1	0	user supplied value		1	f	1
903	2	0	residual		2	f	1
\.
COPY perfhouse.trace_chunk (run_id, location_id, chunk_no, format, n_events, n_enter, n_message, first_seq, t_prev, t_first, t_last, stack, dt, kind, region, msg, extra) FROM stdin;
903	0	0	1	28	6	7	0	0	0	70000	\\x0000	\\x00000451500144555000102700008813008813d0070000d0077017d00700000000b80b00a00fe803e803384ae8030000b80b7017	\\x00140014030202010014030002011400140301140e0100010014030114	\\x000000010409030502	\\x0128000000a0000000000102010200020a00060200f00102020206120200000050606060705058	\\x000054450036e803e803e903e803ea0302e80337000000000001010001000101000100000002040005c0000000000000c07f00
903	1	0	1	15	4	3	0	1000	1000	71000	\\x0000	\\x00005450500500e8030852e80300008813581b0000b036d007e803504600	\\x00140001001403010014030201000114	\\x000005040405	\\x000000010101000000000000000206020000607058	\\x00001436e803e8033700000001010000000400
\.
COPY perfhouse.message_chunk (run_id, location_id, chunk_no, n_links, t_send_min, t_send_max, links) FROM stdin;
903	0	0	4	15000	50000	\\x00000000020104000008140005b036f055
903	1	0	2	15000	30000	\\x000000020000000a0c00055046e02e
\.
COPY perfhouse.task_trace (run_id, model, tick, n_chares, n_blocks) FROM stdin;
903	charm++	1000	4	7
\.
COPY perfhouse.task_type (run_id, type_id, name, dimensions, is_runtime) FROM stdin;
903	0	SDAG	\N	t
903	1	Main	\N	f
903	2	Worker	2	f
\.
COPY perfhouse.task_entry (run_id, local_id, type_id, name) FROM stdin;
903	1	1	Main(CkArgMsg* msg)
903	2	1	done(int n)
903	3	2	Worker(int n)
903	4	2	work(int n)
\.
COPY perfhouse.chare (run_id, chare_id, type_id, collection, index, processor, name, is_runtime, first_location) FROM stdin;
903	0	1	\N	\N	0	\N	f	0
903	1	2	\N	{0,0}	\N	\N	f	0
903	2	2	\N	{0,1}	\N	\N	f	1
903	3	2	\N	{1,0}	\N	\N	f	0
\.
