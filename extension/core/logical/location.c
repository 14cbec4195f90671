/*
 * location.c - the frame of a logical input: its regions, one location after the other.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "logical/input_internal.h"
#include "trace/mpi_calls.h"
#include "trace/windows.h"

/* ------------------------------------------------------------------------------ regions, lifetime
 */

static bool
has_prefix(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static uint8_t
classify(const PhTraceRegion *region)
{
	unsigned flags = 0;
	if (strcmp(region->paradigm, "mpi") == 0 || has_prefix(region->name, "MPI_"))
		flags |= PH_REGION_MPI;
	if (strcmp(region->name, "MPI_Isend") == 0)
		flags |= PH_REGION_ISEND;
	if (strcmp(region->name, "MPI_Waitall") == 0 || strcmp(region->name, "MPI_Testall") == 0)
		flags |= PH_REGION_WAITALL;
	PhMpiCall call = ph_mpi_call(region);
	if ((call.does & PH_MPI_COLLECTIVE) != 0)
		flags |= PH_REGION_COLLECTIVE | ((call.does & PH_MPI_LATER) != 0 ? PH_REGION_LATER : 0);
	if ((call.does & PH_MPI_WINDOW) != 0)
		flags |= PH_REGION_EPOCH;
	return (uint8_t) flags;
}

/* The region with the shortest name that contains the wanted one; the first of several. */
static uint32_t
find_function(const PhTraceModel *trace, const char *wanted)
{
	uint32_t best = PH_NONE;
	for (uint32_t r = 0; r < trace->n_regions; r++)
	{
		const char *name = trace->regions[r].name;
		if (strstr(name, wanted) == NULL)
			continue;
		if (best == PH_NONE || strlen(name) < strlen(trace->regions[best].name))
			best = r;
	}
	return best;
}

static PhStatus
set_up_regions(PhLogicalInput *input)
{
	const PhTraceModel *trace = input->trace;
	for (uint32_t r = 0; r < trace->n_regions; r++)
		input->region_flags[r] = classify(&trace->regions[r]);
	const char *wanted = input->options.phase_function;
	if (wanted == NULL)
		return PH_OK;
	uint32_t function = find_function(trace, wanted);
	if (function == PH_NONE)
		return ph_fail(input->env, PH_ERR_NOT_FOUND,
					   "the trace has no region whose name contains \"%s\"", wanted);
	input->region_flags[function] |= PH_REGION_FUNCTION;
	return PH_OK;
}

/* Have two locations one rank? */
static PhStatus
find_shared_ranks(PhLogicalInput *input)
{
	const PhTraceModel *trace = input->trace;
	PhArena arena;
	PhMap ranks;
	PhStatus status = PH_OK;
	ph_arena_init(&arena, input->env);
	ph_map_init(&ranks, &arena);
	for (uint32_t l = 0; l < trace->n_locations && status == PH_OK; l++)
	{
		uint32_t *where = &l;
		if (trace->locations[l].rank >= 0)
			status = ph_map_enter(&ranks, (uint64_t) trace->locations[l].rank, l, &where);
		input->needs_times = input->needs_times || (status == PH_OK && *where != l);
	}
	ph_arena_drop(&arena);
	return status;
}

static void
choose_columns(PhLogicalInput *input)
{
	bool *wanted = input->columns.wanted;
	wanted[PH_PART_SEND_TIME] = wanted[PH_PART_SLOT_TIME] = input->needs_times;
	wanted[PH_PART_SEND_PEER] = wanted[PH_PART_SEND_COMM] = !input->is_linked;
	wanted[PH_PART_SLOT_COMM] = !input->is_linked;
	wanted[PH_PART_FUNCTION] = input->options.phase_function != NULL;
	wanted[PH_PART_INSIDE] = wanted[PH_PART_BEFORE] = input->options.counter != PH_NONE;
}

static PhStatus
allocate_input(PhLogicalInput *input)
{
	void *flags, *seen;
	PH_TRY(ph_env_alloc(input->env, input->trace->n_regions, 1, &flags));
	input->region_flags = flags;
	PH_TRY(ph_env_alloc(input->env, input->trace->n_locations, sizeof(bool), &seen));
	input->seen = seen;
	if (input->options.counter != PH_NONE && input->options.counter >= input->trace->n_metrics)
		return ph_fail(input->env, PH_ERR_VALUE, "metric %u, but the trace has %u",
					   input->options.counter, input->trace->n_metrics);
	PH_TRY(find_shared_ranks(input));
	choose_columns(input);
	return set_up_regions(input);
}

PhStatus
ph_logical_input_new(PhEnv *env, const PhTraceModel *trace, const PhLogicalOptions *options,
					 PhLogicalInput **out)
{
	void *memory;
	PH_TRY(ph_env_alloc(env, 1, sizeof(PhLogicalInput), &memory));
	PhLogicalInput *input = memory;
	input->env = env;
	input->trace = trace;
	input->options = *options;
	/* Ravel does not know of one-sided communication */
	input->has_windows = !options->compat && ph_trace_has_windows(trace);
	ph_columns_init(&input->columns, env);
	ph_input_requests_init(&input->requests, env);
	PhStatus status = allocate_input(input);
	if (status != PH_OK)
		ph_logical_input_free(input);
	else
		*out = input;
	return status;
}

/* What only an open location needs. */
static void
free_location(PhLogicalInput *input)
{
	PhEnv *env = input->env;
	PH_VECTOR_FREE(env, &input->frames);
	PH_VECTOR_FREE(env, &input->pending);
	PH_VECTOR_FREE(env, &input->complete);
	PH_VECTOR_FREE(env, &input->marks);
	ph_input_requests_free(&input->requests);
}

void
ph_logical_input_free(PhLogicalInput *input)
{
	if (input == NULL)
		return;
	PhEnv *env = input->env;
	PH_VECTOR_FREE(env, &input->parts);
	ph_columns_free(&input->columns);
	for (uint32_t i = 0; i < input->others.count; i++)
		ph_columns_free(&input->others.items[i]);
	PH_VECTOR_FREE(env, &input->others);
	free_location(input);
	ph_env_free(env, input->region_flags, input->trace->n_regions, 1);
	ph_env_free(env, input->seen, input->trace->n_locations, sizeof(bool));
	ph_env_free(env, input, 1, sizeof(*input));
}

PhStatus
ph_logical_input_link(PhLogicalInput *input)
{
	if (input->parts.count > 0 || input->options.compat || input->options.match_sizes)
		return ph_fail(input->env, PH_ERR_VALUE, "messages with these options are matched here");
	input->is_linked = true;
	input->needs_times = false;
	choose_columns(input);
	return PH_OK;
}

uint32_t
ph_logical_input_wants(const PhLogicalInput *input)
{
	bool wants_extra = input->has_windows || input->options.counter != PH_NONE;
	return PH_WANT_CALLS | PH_WANT_MESSAGES | (wants_extra ? PH_WANT_EXTRA : 0);
}

void
ph_logical_input_progress(PhLogicalInput *input, double share)
{
	input->columns.share = share;
}

PhStatus
ph_logical_input_expect(PhLogicalInput *input, uint64_t sends, uint64_t receives)
{
	PH_TRY(ph_columns_reserve(&input->columns, PH_ROWS_SEND, sends));
	PH_TRY(ph_columns_reserve(&input->columns, PH_ROWS_SLOT, receives));
	return ph_columns_reserve(&input->columns, PH_ROWS_END, sends + receives);
}

/* ------------------------------------------------------------------------------------- locations
 */

/* Calls that are still open end with the last record. */
PhStatus
ph_logical_close_location(PhLogicalInput *input)
{
	if (!input->part_is_open)
		return PH_OK;
	while (input->frames.count > 0)
		PH_TRY(ph_logical_leave_call(input));
	input->part_is_open = false;
	PhLogicalPart *part = &input->parts.items[input->parts.count - 1];
	memcpy(part->end, input->columns.n, sizeof(part->end));
	input->unpaired += input->open_coll != PH_NONE;
	return ph_logical_mark_waits(&input->options, &input->columns, input->first_event,
								 input->complete.items, input->complete.count, input->marks.items,
								 input->marks.count, input->region_flags);
}

static PhStatus
open_part(PhLogicalInput *input, uint32_t location)
{
	void *at;
	PH_TRY(PH_ROOM(input->env, &input->parts));
	at = &input->parts.items[input->parts.count++];
	PhLogicalPart *part = at;
	part->location = location;
	part->from = 0;
	memcpy(part->first, input->columns.n, sizeof(part->first));
	input->first_event = input->columns.n[PH_ROWS_EVENT];
	return PH_OK;
}

PhStatus
ph_logical_input_location(PhLogicalInput *input, uint32_t location)
{
	PH_TRY(ph_logical_close_location(input));
	if (location >= input->trace->n_locations)
		return ph_fail(input->env, PH_ERR_VALUE, "location %u, but the trace has %u", location,
					   input->trace->n_locations);
	if (input->seen[location])
		return ph_fail(input->env, PH_ERR_VALUE, "location %u came twice", location);
	input->seen[location] = true;
	PH_TRY(open_part(input, location));
	ph_input_requests_clear(&input->requests);
	input->frames.count = input->pending.count = 0;
	input->complete.count = input->marks.count = 0;
	input->open_coll = PH_NONE;
	input->shown_depth = 0;
	input->n_function = 0;
	input->in_run = false;
	input->time = 0;
	input->counter = input->counter_at_exit = 0;
	input->has_counter = false;
	input->part_is_open = true;
	return PH_OK;
}

/*
 * Once all locations are closed: find out with whom the collectives were that calls alone show, and
 * which ends of epochs belong together. Calls of which nothing is known then are no events any
 * more.
 */
static PhStatus
settle(PhLogicalInput *input)
{
	PhArena arena;
	PhSettling settling = {.input = input, .arena = &arena};
	if (input->n_shown == 0 && input->columns.n[PH_ROWS_EPOCH] == 0)
		return PH_OK;
	ph_arena_init(&arena, input->env);
	PhStatus status = ph_settling_begin(&settling);
	if (status == PH_OK && input->n_shown > 0)
		status = ph_logical_settle_shown(&settling);
	if (status == PH_OK && input->columns.n[PH_ROWS_EPOCH] > 0)
		status = ph_logical_settle_epochs(&settling);
	if (status == PH_OK)
		status = ph_settling_end(&settling);
	ph_arena_drop(&arena);
	return status;
}

static PhStatus
assemble(PhLogicalInput *input, const PhMatcher *matcher, PhArena *temporary, PhLogicalModel *model)
{
	PhLogicalJoin join;
	if (input->is_linked != (matcher != NULL))
		return ph_fail(input->env, PH_ERR_VALUE, "the input was not made for a matcher's links");
	PH_TRY(ph_logical_close_location(input));
	free_location(input);
	PH_TRY(ph_logical_gather_merged(input, temporary));
	PH_TRY(settle(input));
	PH_TRY(ph_logical_join(temporary, input->trace, &input->options, &input->columns,
						   input->parts.items, input->parts.count, model, &join));
	PH_VECTOR_FREE(input->env, &input->parts);
	model->notes.unpaired_collectives = input->unpaired;
	model->notes.calls_without_region = input->no_call;
	model->notes.inferred_collectives = input->n_inferred;
	model->notes.unknown_collectives = input->n_unknown;
	PH_TRY(matcher == NULL ? ph_logical_match(&join) : ph_logical_take_links(&join, matcher));
	PH_TRY(ph_logical_write_messages(&join));
	PH_TRY(ph_logical_add_epochs(&join));
	return ph_logical_collect(&join);
}

PhStatus
ph_logical_input_finish(PhLogicalInput *input, PhLogicalModel *out)
{
	return ph_logical_input_finish_linked(input, NULL, out);
}

PhStatus
ph_logical_input_finish_linked(PhLogicalInput *input, const PhMatcher *matcher, PhLogicalModel *out)
{
	PhLogicalModel model;
	PhArena temporary;
	memset(&model, 0, sizeof(model));
	model.env = input->env;
	ph_arena_init(&temporary, input->env);
	PhStatus status = assemble(input, matcher, &temporary, &model);
	ph_arena_drop(&temporary);
	if (status == PH_OK)
		*out = model;
	else
		ph_logical_model_free(&model);
	return status;
}
