-- 12-logical.sql - logical time of stored traces: phases, steps, lateness, clusters, differences.
--
-- Communication events (calls that send, receive or take part in a collective) get steps; an event's seq
-- counts those of its location from 0. Times and lateness are ns. Steps of events are even; step - 1 is
-- the time before the event, its aggregate. The functions of a run read the warehouse with their caller's
-- rights and a pinned search_path.

CREATE OR REPLACE FUNCTION assign_logical_steps(run bigint, options jsonb DEFAULT '{}')
	RETURNS jsonb
	LANGUAGE C VOLATILE PARALLEL UNSAFE COST 1000000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_assign_logical_steps';
COMMENT ON FUNCTION assign_logical_steps(bigint, jsonb) IS
	'Finds the logical structure of a run''s trace and stores it in place of what was stored before: phases, the step of every communication event, its metrics. options, all of them optional: mode "default" or "compat" (as Ravel does it); the switches coalesce_isends (runs of non-blocking sends are one event), wait_groups (from a non-blocking send to the call that completes it: one phase), call_tree_merge (neighbours below one call that communicates: one phase) and align_sends (sends of one stride share a step), which are on, and waitall_groups (wait groups guessed from Waitall), leap_merge (until every leap of the phase graph has all processes), leap_skip (but leave leaps where that adds none), global_merge (phases that share steps become one), match_sizes (both ends of a message agree in bytes) and reorder_receives (by cause, not by time), which are off; phase_function (phases are the calls of the function whose name contains this); counter (a metric of the trace to follow). Gives an object: events, messages, locations, phases, last_step, notes (counts of what was odd in the trace), all options, and seconds that finding it took. Needs the rights of a loader. Errors: PH002 for an unknown run, a run without a trace, an unknown counter or phase_function; 22023 for bad options, with the names of those there are.';
