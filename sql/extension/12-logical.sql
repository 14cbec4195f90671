-- 12-logical.sql - logical time of stored traces: phases, steps, lateness, clusters, differences.
--
-- Communication events (calls that send, receive or take part in a collective) get steps; an event's seq
-- counts those of its location from 0. Times and lateness are ns. Steps of events are even; step - 1 is
-- the time before the event, its aggregate. Events of tasks are those of serial blocks; their locations are
-- chares (13-tasks.sql: logical_locations), their steps any numbers, and they have no aggregates. The functions
-- of a run read the warehouse with their caller's rights and a pinned search_path.

CREATE OR REPLACE FUNCTION logical_options(options jsonb DEFAULT '{}', of_tasks boolean DEFAULT false)
	RETURNS jsonb
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_logical_options';
COMMENT ON FUNCTION logical_options(jsonb, boolean) IS
	'All options of assign_logical_steps for runs of processes or of tasks: these ones, the others with their '
	'defaults. Errors: 22023 for an option that does not exist or has another type.';

CREATE OR REPLACE FUNCTION perfhouse_internal.logical_version() RETURNS int
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_logical_version';
COMMENT ON FUNCTION perfhouse_internal.logical_version() IS
	'The version of the method of logical time: steps that another one assigned are stale.';

CREATE OR REPLACE FUNCTION assign_logical_steps(run bigint, options jsonb DEFAULT '{}')
	RETURNS jsonb
	LANGUAGE C VOLATILE PARALLEL UNSAFE COST 1000000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_assign_logical_steps';
COMMENT ON FUNCTION assign_logical_steps(bigint, jsonb) IS
	'Finds the logical structure of a run''s trace and stores it in place of what was stored before: phases, the step '
	'of every communication event, its metrics. options, all of them optional: mode "default" or "compat" (as Ravel '
	'does it); the switches coalesce_isends (runs of non-blocking sends are one event), wait_groups (from a '
	'non-blocking send to the call that completes it: one phase), call_tree_merge (neighbours below one call that '
	'communicates: one phase; below a call that holds all of a location''s communication, such as main, only sends '
	'and receives from collective to collective), align_sends (sends of one stride share a step) and super_phases (small '
	'phases of a sweep or tree, of which each hands on to others by the same calls, are one), which are on, '
	'and waitall_groups (wait groups guessed from Waitall), leap_merge (until every leap of the phase graph has all '
	'processes), leap_skip (but leave leaps where that adds none), global_merge (phases that share steps become one), '
	'match_sizes (both ends of a message agree in bytes) and reorder_receives (by cause, not by time), which are off; '
	'phase_function (phases are the calls of the function whose name contains this); counter (a metric of the trace '
	'to follow). Of tasks, beside mode, the switches by_coordinates (of equal causes, blocks in order of where they '
	'come from), absorb_when (what a serial waited for is part of it), order_serials (serials of a chare happen in '
	'turn), repair_blocks (unite what the run time split), merge_serials (unite where serials of one phase go on in '
	'several), infer_dependencies (order parts by their first sources), leap_merge (unite what shares chares and '
	'cannot be ordered) and use_edges (dependencies that the trace tells), which are on, and reorder (blocks within '
	'phases by cause, not by time), which is off; break_functions (a phase begins before entry methods whose names '
	'begin so, separated by commas). Gives an object: events, messages, locations, phases, last_step, notes (counts '
	'of what was odd in the trace), all options, and seconds that finding it took. Needs the rights of a loader. '
	'Errors: PH002 for an unknown run, a run without a trace, an unknown counter or phase_function; 22023 for bad '
	'options, with the names of those there are.';

CREATE OR REPLACE FUNCTION logical_steps(run bigint, step_from int4 DEFAULT NULL, step_to int4 DEFAULT NULL, locations int4[] DEFAULT NULL,
		options jsonb DEFAULT NULL)
	RETURNS TABLE (location int4, seq int8, region text, kind text, n_messages int4, enter int8, leave int8, phase int4,
		step int4, lateness int8, aggregate_lateness int8, differential_lateness int8, peers int4, global_lateness int8,
		duration int8, aggregate_differential_lateness int8, rank int4, thread int4, earliest_location int4,
		binding_location int4, binding_seq int8, aggregate_global_lateness int8, global_differential_lateness int8,
		aggregate_global_differential_lateness int8, aggregate_duration int8, counter float8, aggregate_counter float8,
		step_counter float8, aggregate_step_counter float8, idle_experienced int8, imbalance int8, processor int4,
		serial_block int4, block_share int8, inferred bool)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 100000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_logical_steps';
COMMENT ON FUNCTION logical_steps(bigint, int4, int4, int4[], jsonb) IS
	'A row per communication event with a step from step_from to before step_to (NULL: open) in these locations '
	'(NULL: all), by location, then seq. kind: send, receive or collective. n_messages: sent or received by it, 0 of '
	'collectives. peers: events of its phase and step, itself counted. lateness: leave less the least leave among '
	'them; global_lateness: among all events of the step; differential_lateness: what of it is not the lateness with '
	'which the event began or its messages were sent; duration: leave - enter less the least among the peers. '
	'aggregate_…: the same of the time before the event, with enter in place of leave. earliest_location: of the peer '
	'that left first, with whom it is compared. binding: the event from which its step was computed; null: none. '
	'counter: growth of the counter followed (options of assign_logical_steps) in its unit, step_counter: less the '
	'least among the peers; null: none was followed. Of tasks, lateness and aggregates are null, duration is the '
	'differential duration, and the next columns are those of task_metrics; of processes they are null. inferred: a '
	'collective of which no record tells, only its call. options: '
	'as assign_logical_steps takes them; steps are then computed with them, and what is stored neither read nor '
	'changed. Times in ns. Errors: PH002 for an unknown run, or a run without a trace or without assigned steps, an '
	'unknown location; 22023 for a window that ends before it begins.';

CREATE OR REPLACE FUNCTION logical_messages(run bigint, step_from int4 DEFAULT NULL, step_to int4 DEFAULT NULL,
	locations int4[] DEFAULT NULL,
		options jsonb DEFAULT NULL)
	RETURNS TABLE (sender_location int4, send_step int4, receiver_location int4, receive_step int4, send_seq int8,
		receive_seq int8, bytes int8, tag int4)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 10000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_logical_messages';
COMMENT ON FUNCTION logical_messages(bigint, int4, int4, int4[], jsonb) IS
	'A row per message with an end in the window (as in logical_steps), by location and seq of that end, which is the '
	'receive when both are. Ends that were not recorded are null. options: as in logical_steps. Errors: PH002 for an '
	'unknown run, or a run without a trace or without assigned steps, an unknown location; 22023 for a window that '
	'ends before it begins.';

CREATE OR REPLACE FUNCTION phases(run bigint, options jsonb DEFAULT NULL)
	RETURNS TABLE (phase int4, first_step int4, last_step int4, n_events int4, n_locations int4, pattern text, max_lateness int8,
		merge_reason text, leap int4, t_first int8, t_last int8, is_runtime bool, imbalance int8, regions text, merge_reasons text[],
		max_idle int8, max_duration int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_phases';
COMMENT ON FUNCTION phases(bigint, jsonb) IS
	'The phases of a run, by number: in order of first steps, then locations. pattern: in which order the processes of an '
	'exchange, in which everybody hears from whom it sends to, send and receive (SRSR: in turn; SSRR: all sends, then '
	'receives; SSWA: all sends, then several receives at once; unknown: in another order); null: it is no exchange. It is '
	'part of phase_class. exchange_patterns has a name for every phase, which says first who sends to whom: of exchanges '
	'pairwise, root, all-to-all or tree, else the order (SSWW is an SSRR in which receives are waited for one by one), of '
	'all others also collective, mixed, gather, scatter, pipeline, wavefront, shift, one way or none. max_lateness: '
	'greatest among its events, ns. merge_reason: '
	'the last kind of merge that joined its parts (none, serial block, wait group, call, function, message, '
	'collective, cycle, split block, serials, inferred, leap, global, chain: a super phase of small ones), '
	'merge_reasons: all kinds. leap: longest way '
	'from a first phase in the phase graph. t_first, t_last: first enter and last leave, ns. regions: the functions '
	'of its events. Where main itself sends and receives, one phase goes from collective to collective; options with '
	'call_tree_merge or super_phases false, or with phase_function, cut it finer; global_merge unites phases side by side, as those '
	'of pairs of processes. Of tasks: is_runtime: it has events of the run time, or that exchange messages with it; '
	'imbalance: the greatest less the least load of all processors; max_idle and max_duration: the greatest idle '
	'experienced and differential duration; ns. max_lateness is null then. options: as in logical_steps. Errors: '
	'PH002 for an unknown run, or a run without a trace or without assigned steps.';

CREATE OR REPLACE FUNCTION perfhouse_internal.phases_shown(run bigint, step_from int4, step_to int4, most int4)
	RETURNS TABLE (phase int4, first_step int4, last_step int4, n_events int4, n_locations int4, pattern text, max_lateness int8,
		merge_reason text, leap int4, t_first int8, t_last int8, is_runtime bool, imbalance int8, regions text, merge_reasons text[],
		max_idle int8, max_duration int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_phases_shown';
COMMENT ON FUNCTION perfhouse_internal.phases_shown(bigint, int4, int4, int4) IS
	'The first `most` of the phases that phases(run) gives with a step from step_from to before step_to (NULL: open), by number: '
	'pictures show no more, and a run may have a million. None for null. Errors: as phases.';

CREATE OR REPLACE FUNCTION perfhouse_internal.phase_span(run bigint, t_from int8, t_to int8)
	RETURNS TABLE (first_step int4, last_step int4)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000 ROWS 1
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_phase_span';
COMMENT ON FUNCTION perfhouse_internal.phase_span(bigint, int8, int8) IS
	'The first and the last step of the phases that last from before t_to to t_from or later, ns; no row when there are none, or for '
	'null. Errors: as phases.';

CREATE OR REPLACE FUNCTION phase_dag(run bigint)
	RETURNS TABLE (source int4, target int4)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_phase_dag';
COMMENT ON FUNCTION phase_dag(bigint) IS
	'The phase graph: target follows source directly on some location; by source, then target. Errors: PH002 for an '
	'unknown run, or a run without a trace or without assigned steps.';

CREATE OR REPLACE FUNCTION exchange_patterns(run bigint)
	RETURNS TABLE (phase int4, pattern text, n_ranks int4, first_step int4, last_step int4, following float8, degree int4,
		repeats int4, ns int8, ideal_ns int8, deviation_ns int8, deviation float8, worst_location int4, worst_rank int4,
		recorded int8, inferred int8, merged int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_run_patterns';
COMMENT ON FUNCTION exchange_patterns(bigint) IS
	'What the processes of each phase do with each other, by phase; found anew from the trace, so that patterns that users '
	'define (define_pattern) count at once. pattern, exactly one: that of users which at least half of the ranks follow; '
	'else collective (nothing else), mixed (collectives and messages), pairwise (everybody has one partner), gather, '
	'scatter or root (all to one, one to all, one with all), all-to-all, pipeline (one before and one after, what '
	'comes in goes out later), wavefront (the same, several before or after), tree (degree: its most children), shift (one '
	'before and one after, several send before anything has come: a ring of MPI_Sendrecv); or '
	'exchanges by what most ranks do, as phases(run) has it: SSWA (sends, then several receives at once), SRSR '
	'(sends and receives in turn), '
	'SSWW (sends, then a wait for each receive), SSRR (sends, then receives); one way (messages that not all answer); '
	'none (no messages within it). n_ranks: locations; following: the share of them that do as the name says. degree: '
	'null but of trees. repeats: how often all of them do the same once more with the same partners. ns: from the first '
	'enter to the last leave; ideal_ns: the same by the ideal schedule of the phase, in which all begin at once and each '
	'event and the time before it are as short as the shortest of their kind in the phase (kind, call path, power of two '
	'of the bytes), without waiting for whom is late; deviation_ns: ns less ideal_ns, deviation: its share of ns, null '
	'of phases without length. worst_location, worst_rank: the one that leaves latest, compared with the ideal (see '
	'pattern_members). How events were joined: recorded (messages, members of collectives), inferred (members of '
	'collectives of which only calls tell), merged (neighbours on a location, by calls, wait groups or circles). Of tasks '
	'the ideal and what depends on it is null. Errors: PH002 for an unknown run, or a run without a trace or without '
	'assigned steps; PH003 when another version assigned them.';

CREATE OR REPLACE FUNCTION structure_stability(run bigint, rounds int4 DEFAULT 5, within_ns int8 DEFAULT NULL)
	RETURNS TABLE (round int4, within_ns int8, moved int4, phases int4, phases_kept int4, steps int4, steps_kept int4)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000000 ROWS 5
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_structure_stability';
COMMENT ON FUNCTION structure_stability(bigint, int4, int8) IS
	'How far the phases and steps of a run are chance: what of them stays when times are a little different. Each round (1 to '
	'100) changes times at random by at most within_ns (null: a tenth of the mean time from one event of a location to the '
	'next), finds the structure anew with the options that are stored, and counts the phases, and the steps of phases, that '
	'keep exactly their events. Of processes each message comes up to so much earlier or later; where receives that stand '
	'next to each other below one call would have come in another order, they exchange messages (moved: how many have '
	'another receive; those of one sender stay in order, none comes before it is sent, collectives and Waitall have no order '
	'within). Of tasks neighbouring blocks of a chare that run one entry method exchange what started them likewise. Equal '
	'rounds give equal answers. '
	'Costs a computation of the structure a round. Errors: 22023 for rounds or times beyond these limits; those of '
	'exchange_patterns.';

CREATE OR REPLACE FUNCTION pattern_members(run bigint, phase int4)
	RETURNS TABLE (location int4, rank int4, sequence text, follows bool, ns int8, ideal_ns int8, deviation_ns int8, deviation float8)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_pattern_members';
COMMENT ON FUNCTION pattern_members(bigint, int4) IS
	'What each location does in a phase, by location: its sequence as pattern_matches takes it (the first 1000 letters), '
	'whether it follows the phase''s pattern (exchange_patterns), and when it leaves the phase for good, in ns since the '
	'first enter of all: really (ns), by the ideal schedule (ideal_ns), and by how much later (deviation_ns, deviation: '
	'as a share of ns; null where that is 0). Of tasks the ideal and what depends on it is null. Errors: those of '
	'exchange_patterns; PH002 for an unknown phase.';

CREATE OR REPLACE FUNCTION pattern_matches(expression text, sequence text) RETURNS boolean
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100
	AS 'MODULE_PATHNAME', 'ph_pattern_matches';
COMMENT ON FUNCTION pattern_matches(text, text) IS
	'Whether an expression of define_pattern is true of a rank''s whole sequence in a phase (pattern_members). A sequence '
	'has a letter for each message: S sent, R received by a call of its own, W by a call that waits for one message, A by '
	'a call that completes several; and C for a collective. Expressions are made of these letters, (x), x|y, x*, x+, x?, '
	'x{m}, x{m,} and x{m,n}; spaces do not count. Time is linear in the sequence. Null for null. Errors: 22023 with the '
	'position of what is no expression; 54000 for one that is too long.';

CREATE OR REPLACE FUNCTION perfhouse_internal.stored_phase_classes(run bigint)
	RETURNS TABLE (phase int4, phase_class int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_stored_phase_classes';
COMMENT ON FUNCTION perfhouse_internal.stored_phase_classes(bigint) IS
	'The class of every phase, as in phase_classes. Errors: those of phases.';

CREATE OR REPLACE FUNCTION phase_members(run bigint, phase int4)
	RETURNS TABLE (location int4, rank int4, first_event int8, last_event int8, n_events int4, first_step int4, last_step int4)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_phase_members';
COMMENT ON FUNCTION phase_members(bigint, int4) IS
	'The locations of a phase with the seqs of their first and last event in it, by location. Errors: PH002 for an '
	'unknown run, or a run without a trace or without assigned steps or phase.';

CREATE OR REPLACE FUNCTION step_summary(run bigint, metric text DEFAULT NULL)
	RETURNS TABLE (step int4, n_events int4, sum float8, max int8, mean float8, latest_location int4, t_first int8, t_last int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 1000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_step_summary';
COMMENT ON FUNCTION step_summary(bigint, text) IS
	'A metric of all events of a step, by step: sum, greatest value and mean in ns, and the location with the '
	'greatest (the first on ties); t_first, t_last: first enter and last leave. metric: lateness, global_lateness, '
	'differential_lateness, global_differential_lateness or duration, or one of these after aggregate_; NULL: '
	'lateness. Of tasks differential_duration, idle_experienced or imbalance; NULL: the first. Errors: PH002 for an '
	'unknown run, or a run without a trace or without assigned steps; 22023 for another metric.';

CREATE OR REPLACE FUNCTION perfhouse_internal.step_bars(run bigint, metric text, step_from int4, step_to int4, steps_a_bar int4,
		summary text)
	RETURNS TABLE (bar int4, step int4, n_events int4, sum float8, max int8, mean float8, latest_location int4, t_first int8, t_last int8,
		value float8, "greatest" int8, greatest_step int4, greatest_location int4)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 1000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_step_bars';
COMMENT ON FUNCTION perfhouse_internal.step_bars(bigint, text, int4, int4, int4, text) IS
	'step_summary(run, metric) as bars of a picture: of the steps from step_from to before step_to, so many steps of events a bar, '
	'the row of the first step with the greatest value, which is the sum, max or mean of a step as summary says; and the first step '
	'with the greatest value of one location, with both. None for null. Errors: as step_summary and step_time_span; 22023 for '
	'another summary.';

CREATE OR REPLACE FUNCTION step_time_span(run bigint, step_from int4, step_to int4)
	RETURNS TABLE (t_from int8, t_to int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000 ROWS 1
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_step_time_span';
COMMENT ON FUNCTION step_time_span(bigint, int4, int4) IS
	'When the events of steps from step_from to before step_to (NULL: open) happened: first enter and last leave, ns; '
	'no row when there are none. Errors: PH002 for an unknown run, or a run without a trace or without assigned '
	'steps; 22023 for a window that ends before it begins.';

CREATE OR REPLACE FUNCTION step_clusters(run bigint, phase int4, k int4 DEFAULT NULL, metric text DEFAULT NULL, seed int8 DEFAULT 0)
	RETURNS TABLE (cluster int4, parent int4, distance float8, n_members int4, locations int4[], max_metric int8, centroid int4,
		latest int4, child_left int4, child_right int4)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 40
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_step_clusters';
COMMENT ON FUNCTION step_clusters(bigint, int4, int4, text, int8) IS
	'Processes of a phase that behave alike, as a tree of clusters: the leaves, then the joins in order of their '
	'distance, the root last. Two are as far apart as the mean of their squared differences in the metric (ns²), over '
	'the steps of events and of the time before them. Up to 20 processes are leaves themselves, more are put into 20 '
	'leaves around medoids first, drawing samples from seed when they are more than 80. k: only the k clusters that '
	'the last joins leave, with those joins; their numbers stay. parent: NULL for the root; locations: of the '
	'members; max_metric: greatest value of their events in ns, latest the location that has it; centroid: the '
	'location nearest to the members'' mean; child_left has the lesser max_metric. metric: as in step_summary without '
	'aggregate_. Errors: PH002 for an unknown run, or a run without a trace or without assigned steps, an unknown '
	'phase; 22023 for another metric or a k below 1.';

CREATE OR REPLACE FUNCTION focus_processes(run bigint, phase int4, radius int4 DEFAULT 1, centre int4 DEFAULT NULL,
	metric text DEFAULT NULL)
	RETURNS TABLE (location int4, rank int4, hops int4)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_focus_processes';
COMMENT ON FUNCTION focus_processes(bigint, int4, int4, int4, text) IS
	'A process and those that it exchanges messages with in the phase, over at most radius hops, by location. centre: '
	'its location; NULL: the one with the greatest value of the metric. radius NULL: the least one that shows half of '
	'the phase''s ways of sending, at least 1. Errors: PH002 for an unknown run, or a run without a trace or without '
	'assigned steps, an unknown phase or a centre without events in it; 22023 for another metric or a negative radius.';

CREATE OR REPLACE FUNCTION logical_aggregates(run bigint, location int4, seq int8)
	RETURNS TABLE (region text, "time" int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 20
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_logical_aggregates';
COMMENT ON FUNCTION logical_aggregates(bigint, int4, int8) IS
	'What a location did between the communication event before this one (else the start of the trace) and this one: '
	'ns within each function, without its callees, most first, then by name. Errors: PH002 for an unknown run, or a '
	'run without a trace or without assigned steps, or for an event that does not exist; PH003 for a run of tasks.';

CREATE OR REPLACE FUNCTION trace_diff(run_a bigint, run_b bigint)
	RETURNS TABLE (phase_a int4, phase_b int4, step_a int4, step_b int4, location_a int4, location_b int4,
		delta_lateness int8, delta_duration int8, delta_messages int4, status text, region text,
		delta_aggregate_lateness int8, delta_differential_lateness int8, delta_bytes int8, messages_only_a int4,
		messages_only_b int4, events_a int4, events_b int4, events_aligned int4, rank_alignment text)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000000 ROWS 1000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_diff_rows';
COMMENT ON FUNCTION trace_diff(bigint, bigint) IS
	'Two runs compared by logical structure, never by time: phases are aligned by call paths, processes, exchange '
	'patterns and their order, then the steps within them by what is called where, then the processes. A row per pair '
	'of aligned steps, and per step that only one run has (status: both, only a, only b; the other side''s columns '
	'are NULL), in the order of run_a, what is only in run_b before what follows it. Deltas are b - a in ns, of the '
	'aligned events'' values the one that changed most, 0 when none are aligned: lateness, duration (of calls), '
	'aggregate_lateness (of the time before the event), differential_lateness (where a change of lateness arose). '
	'location_a, location_b and region: of the event whose lateness changed most, else of the one that left the step '
	'first. delta_messages and delta_bytes: of messages sent at the step; messages_only_a, messages_only_b: those '
	'between aligned processes that the other run does not have. rank_alignment: rank (both runs have as many), '
	'position (the phases have), role (those that call the same in the same order; the others are not aligned), none: '
	'processes cannot be aligned, and deltas are those of the steps'' greatest values. A run of tasks against a run '
	'of processes: functions have no names in common, so phases are aligned in order by shape (share of timelines, '
	'messages, partners and receives by timeline, both ways or one; collectives with reductions and broadcasts along '
	'trees), those less than half alike stay in only one; steps by who sends or receives, a collective as a receive; '
	'ranks with chares by position in exchanges of as many, else rank_alignment is none and location_a and location_b '
	'of a step of both are NULL. Locations of tasks are those of logical_locations; with tasks on either side '
	'lateness is null, and an event lasts as long as its block_share of task_metrics. Both runs are computed with the '
	'options that assigned their steps. Errors: PH002 for an unknown run, or a run without a trace or without '
	'assigned steps.';

CREATE OR REPLACE FUNCTION trace_diff_phases(run_a bigint, run_b bigint)
	RETURNS TABLE (phase_a int4, phase_b int4, status text, aligned_by text, rank_alignment text, class_a int8, class_b int8,
		pattern_a text, pattern_b text, regions_a text, regions_b text, ns_a int8, ns_b int8, max_lateness_a int8,
		max_lateness_b int8, steps_both int4, steps_only_a int4, steps_only_b int4, delta_messages int8, delta_bytes int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_diff_phases';
COMMENT ON FUNCTION trace_diff_phases(bigint, bigint) IS
	'The phases of two runs as trace_diff aligns them: a row per pair and per phase that only one run has (status: both, '
	'only a, only b; the other side''s columns are null), in the order of run_a, what is only in run_b before what '
	'follows it. aligned_by: class (the same in all runs, see phase_classes), calls (mostly the same calls, in another '
	'order or by other roles), callers (other calls from the same functions), shape (what stands in its place between '
	'two aligned phases and is at least half alike: share of timelines, messages, partners, receives, both ways or one, '
	'operations of collectives; so meet runs of programs with other names, traced by other tools, or of tasks); null: in '
	'one only. class_a, class_b: of both runs by the same method, for tasks, too. ns: from first enter to last leave; '
	'max_lateness: null of tasks; steps_both, steps_only_a, steps_only_b: how many rows of trace_diff; delta_messages, '
	'delta_bytes: sent, run_b''s less run_a''s. trace_diff_classes has a row for all occurrences of a phase. Errors: as '
	'trace_diff.';

CREATE OR REPLACE FUNCTION perfhouse_internal.greatest_change_add(int8, int8) RETURNS int8
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_greatest_change_add';
COMMENT ON FUNCTION perfhouse_internal.greatest_change_add(int8, int8) IS 'Transition function of the aggregate greatest_change.';

CREATE OR REPLACE AGGREGATE greatest_change(int8) (
	SFUNC = perfhouse_internal.greatest_change_add,
	STYPE = int8,
	COMBINEFUNC = perfhouse_internal.greatest_change_add,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE greatest_change(int8) IS
	'Of these changes the one that is greatest in size, with its sign; of two of one size the positive one. NULL '
	'without any. For columns of trace_diff where several steps are to be one.';

CREATE OR REPLACE FUNCTION perfhouse_internal.chunk_logical_support(internal) RETURNS internal
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_chunk_logical_support';
COMMENT ON FUNCTION perfhouse_internal.chunk_logical_support(internal) IS 'Planner support of chunk_logical_events.';

CREATE OR REPLACE FUNCTION perfhouse_internal.chunk_logical_events(location_id int4, chunk_no int4, format int4, n_events int4, n_ends int4,
		first_seq int4, step_first int4, step_last int4, t_first int8, t_last int8, places bytea, metrics bytea,
		causes bytea, ends bytea, last_location int4, from_step int8 DEFAULT NULL, until_step int8 DEFAULT NULL,
		from_location int8 DEFAULT NULL, until_location int8 DEFAULT NULL)
	RETURNS TABLE (location int4, seq int8, region_id int4, kind text, n_messages int4, phase int4, step int4, enter int8,
		leave int8, peers int4, lateness int8, aggregate_lateness int8, global_lateness int8,
		aggregate_global_lateness int8, differential_lateness int8, aggregate_differential_lateness int8,
		global_differential_lateness int8, aggregate_global_differential_lateness int8, duration int8,
		aggregate_duration int8, earliest_location int4, binding_location int4, binding_seq int8, inferred bool)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 8192 SUPPORT perfhouse_internal.chunk_logical_support
	AS 'MODULE_PATHNAME', 'ph_chunk_logical_rows';
COMMENT ON FUNCTION perfhouse_internal.chunk_logical_events(int4, int4, int4, int4, int4, int4, int4, int4, int8, int8, bytea,
	bytea, bytea, bytea, int4, int8, int8, int8, int8) IS
	'The events from from_step to until_step of the locations from from_location to until_location, all inclusive, of '
	'one row of perfhouse.logical_chunk, whose columns are the first arguments (last_location: location_id where it is '
	'null); for LATERAL, as in the view perfhouse.logical_event. A chunk outside of the window is not even detoasted, '
	'and comparisons of the columns step and location with what is known before the query runs are taken for the '
	'window by the planner. region_id: local_id of perfhouse.trace_region. The other columns are those of '
	'logical_steps. Errors: PH001 for bytes that are no chunk.';
