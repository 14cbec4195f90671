/*
 * epochs.c - epochs of windows between some processes: messages of logical time.
 *
 * Posting, and completing, is a send to each member of the group; starting (or completing, where
 * starting did not wait) and waiting receive. Which ends belong together is known when all
 * locations have been read (trace/epochs.h): calls that nobody waited for, and that did not wait,
 * are no events.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/epochs.h"

#include <string.h>

#include "base/sort.h"
#include "logical/input_internal.h"
#include "trace/windows.h"

/* ---------------------------------------------------------------------------------------- records
 */

static PhStatus
add_end(PhLogicalInput *input, PhEpochRole role, uint32_t window, uint32_t peer)
{
	uint32_t row;
	PH_TRY(ph_columns_add(&input->columns, PH_ROWS_EPOCH, &row));
	PH_AT(uint32_t, input, PH_PART_EPOCH_EVENT, row) = PH_NONE;
	PH_AT(uint32_t, input, PH_PART_EPOCH_PEER, row) = peer;
	PH_AT(uint32_t, input, PH_PART_EPOCH_WINDOW, row) = window;
	PH_AT(uint32_t, input, PH_PART_EPOCH_ROLE, row) = role;
	PH_AT(uint32_t, input, PH_PART_EPOCH_PAIR, row) = PH_NONE;
	PH_AT(int64_t, input, PH_PART_EPOCH_TIME, row) = input->time;
	PhCommKind kind = ph_epoch_signals(role) ? PH_COMM_SEND : PH_COMM_RECEIVE;
	return ph_input_pend(input, (PhInputPending){kind, row, false, true, 0});
}

PhStatus
ph_logical_add_epoch(PhLogicalInput *input, PhEpochCall epoch, const PhEvent *record)
{
	const PhTraceCommunicator *group = ph_window_group(input->trace, record);
	PhEpochRole roles[2];
	uint32_t n_roles = ph_epoch_roles(epoch, roles);
	input->no_call += group == NULL;
	for (uint32_t r = 0; group != NULL && r < n_roles; r++)
		for (uint32_t i = 0; i < group->n_members; i++)
		{
			PH_TRY(ph_env_poll(input->env));
			PH_TRY(add_end(input, roles[r], record->comm, group->members[i]));
		}
	return PH_OK;
}

/* ------------------------------------------------------------------------------------------ pairs
 */

static PhEpochEnd
describe(const PhLogicalInput *input, uint32_t location, uint32_t row)
{
	uint32_t event = PH_AT(uint32_t, input, PH_PART_EPOCH_EVENT, row);
	int32_t rank = input->trace->locations[location].rank;
	return (PhEpochEnd){
		.window = PH_AT(uint32_t, input, PH_PART_EPOCH_WINDOW, row),
		.rank = rank < 0 ? PH_NONE : (uint32_t) rank,
		.peer = PH_AT(uint32_t, input, PH_PART_EPOCH_PEER, row),
		.role = (PhEpochRole) PH_AT(uint32_t, input, PH_PART_EPOCH_ROLE, row),
		.location = location,
		.index = row,
		.time = PH_AT(int64_t, input, PH_PART_EPOCH_TIME, row),
		.enter = PH_AT(int64_t, input, PH_PART_ENTER, event),
		.left = PH_AT(int64_t, input, PH_PART_EXIT, event),
	};
}

/* Ends that are neither of a pair nor lonely go, and events of which none is left. */
static PhStatus
keep_pairs(PhSettling *settling, const PhEpochEnd *ends, uint32_t n)
{
	PhLogicalInput *input = settling->input;
	uint32_t n_events = ph_input_n_events(input), *n_gone, *n_kept;
	PH_TRY(PH_NEW(settling->arena, n_events, &n_gone));
	PH_TRY(PH_NEW(settling->arena, n_events, &n_kept));
	for (uint32_t row = 0; row < n; row++)
	{
		uint32_t *event = &PH_AT(uint32_t, input, PH_PART_EPOCH_EVENT, row);
		bool has_pair = ends[row].partner != PH_NONE, is_kept = has_pair || ends[row].is_lonely;
		PH_AT(uint32_t, input, PH_PART_EPOCH_PAIR, row) =
			has_pair && ph_epoch_signals(ends[row].role) ? row : ends[row].partner;
		n_kept[*event] += is_kept;
		n_gone[*event] += !is_kept;
		*event = is_kept ? *event : PH_NONE;
	}
	for (uint32_t event = 0; event < n_events; event++)
	{
		bool is_left = n_kept[event] > 0 || PH_AT(uint32_t, input, PH_PART_ENDS, event) > 0;
		PH_TRY(ph_env_poll(input->env));
		if (n_gone[event] > 0 && !is_left)
			ph_settling_take_off(settling, event);
	}
	return PH_OK;
}

PhStatus
ph_logical_settle_epochs(PhSettling *settling)
{
	const PhLogicalInput *input = settling->input;
	uint32_t n = input->columns.n[PH_ROWS_EPOCH];
	PhEpochEnd *ends;
	PH_TRY(PH_NEW(settling->arena, n, &ends));
	for (uint32_t p = 0; p < input->parts.count; p++)
		for (uint32_t row = input->parts.items[p].first[PH_ROWS_EPOCH];
			 row < input->parts.items[p].end[PH_ROWS_EPOCH]; row++)
			ends[row] = describe(input, input->parts.items[p].location, row);
	PH_TRY(ph_epochs_join(input->env, ends, n));
	return keep_pairs(settling, ends, n);
}

/* --------------------------------------------------------------------------------------- messages
 */

/* The model's messages with those of epochs among them. */
typedef struct Adding
{
	const PhLogicalJoin *join;
	PhArena *arena;
	uint32_t *row_of_end; /* by end of an epoch that is one: its row */
	uint32_t n_ends;
	uint32_t n_messages;
	uint32_t *place;   /* by message that there was */
	uint32_t *message; /* by row */
	uint32_t *of_pair; /* by pair */
} Adding;

static bool
is_send(const Adding *adding, uint32_t row)
{
	return adding->join->model->kind[adding->join->epoch_event[row]] == PH_COMM_SEND;
}

/* Those of sends in order of their events. Of equals those that there were are first. */
static uint32_t
number_sends(Adding *adding, uint32_t n_sent)
{
	const PhLogicalModel *model = adding->join->model;
	const uint32_t *event = adding->join->epoch_event, *pair = adding->join->epoch_pair;
	uint32_t old = 0, n = 0;
	for (uint32_t i = 0; i < adding->n_ends; i++)
	{
		uint32_t row = adding->row_of_end[i];
		if (!is_send(adding, row))
			continue;
		while (old < n_sent && model->send_event[old] <= event[row])
			adding->place[old++] = n++;
		if (pair[row] != PH_NONE)
			adding->of_pair[pair[row]] = n;
		adding->message[row] = n++;
	}
	while (old < n_sent)
		adding->place[old++] = n++;
	return n;
}

/* Behind them those without a send, in order of their receives. */
static void
number_messages(Adding *adding)
{
	const PhLogicalModel *model = adding->join->model;
	const uint32_t *event = adding->join->epoch_event, *pair = adding->join->epoch_pair;
	uint32_t n_sent = model->n_messages;
	while (n_sent > 0 && model->send_event[n_sent - 1] == PH_NONE)
		n_sent--;
	uint32_t n = number_sends(adding, n_sent), old = n_sent;
	for (uint32_t i = 0; i < adding->n_ends; i++)
	{
		uint32_t row = adding->row_of_end[i];
		if (is_send(adding, row))
			continue;
		while (old < model->n_messages && model->receive_event[old] <= event[row])
			adding->place[old++] = n++;
		adding->message[row] = pair[row] == PH_NONE ? n++ : adding->of_pair[pair[row]];
	}
	while (old < model->n_messages)
		adding->place[old++] = n++;
	adding->n_messages = n;
}

static int
compare_events(const void *context, uint32_t x, uint32_t y)
{
	const uint32_t *event = context;
	return event[x] != event[y] ? (event[x] < event[y] ? -1 : 1) : (x < y ? -1 : x > y);
}

static PhStatus
find_messages(Adding *adding)
{
	const PhLogicalJoin *join = adding->join;
	uint32_t n_pairs = 0, *order;
	PH_TRY(PH_NEW(adding->arena, join->n_epochs, &adding->message));
	PH_TRY(PH_NEW(adding->arena, join->model->n_messages, &adding->place));
	PH_TRY(
		ph_sort_indices(adding->arena, join->n_epochs, compare_events, join->epoch_event, &order));
	adding->row_of_end = order;
	while (adding->n_ends < join->n_epochs &&
		   join->epoch_event[order[adding->n_ends]] != PH_NONE) /* which is the greatest */
	{
		uint32_t pair = join->epoch_pair[order[adding->n_ends++]];
		if (pair != PH_NONE && pair >= n_pairs)
			n_pairs = pair + 1;
	}
	PH_TRY(PH_NEW(adding->arena, n_pairs, &adding->of_pair));
	number_messages(adding);
	return PH_OK;
}

/* Moves what there is of an array to a new one, in which the rest is `fill`. */
static PhStatus
spread(const Adding *adding, const void *old, size_t width, int fill, void **out)
{
	const PhLogicalModel *model = adding->join->model;
	PH_TRY(ph_env_alloc(model->env, adding->n_messages, width, out));
	memset(*out, fill, adding->n_messages * width);
	for (uint32_t m = 0; m < model->n_messages; m++)
		memcpy((char *) *out + adding->place[m] * width, (const char *) old + m * width, width);
	return PH_OK;
}

/* Messages of epochs have no bytes and no tag; whom they are of is known when ends are written. */
static PhStatus
spread_messages(const Adding *adding)
{
	PhLogicalModel *model = adding->join->model;
	struct
	{
		void *old, *wider;
		size_t width;
		int fill;
	} arrays[] = {{model->send_event, NULL, sizeof(*model->send_event), 0xff},
				  {model->receive_event, NULL, sizeof(*model->receive_event), 0xff},
				  {model->tag, NULL, sizeof(*model->tag), 0},
				  {model->bytes, NULL, sizeof(*model->bytes), 0}};
	PhStatus status = PH_OK;
	for (int a = 0; a < 4 && status == PH_OK; a++)
		status = spread(adding, arrays[a].old, arrays[a].width, arrays[a].fill, &arrays[a].wider);
	for (int a = 0; a < 4; a++)
		ph_env_free(model->env, status == PH_OK ? arrays[a].old : arrays[a].wider,
					status == PH_OK ? model->n_messages : adding->n_messages, arrays[a].width);
	PH_TRY(status);
	model->send_event = arrays[0].wider;
	model->receive_event = arrays[1].wider;
	model->tag = arrays[2].wider;
	model->bytes = arrays[3].wider;
	model->n_messages = adding->n_messages;
	return PH_OK;
}

/* Of each event the ends that there were, then those of epochs. */
static PhStatus
spread_ends(const Adding *adding)
{
	PhLogicalModel *model = adding->join->model;
	uint32_t n = model->n_ends + adding->n_ends, at = 0, next = 0, from = 0;
	void *memory;
	PH_TRY(ph_env_alloc(model->env, n, sizeof(uint32_t), &memory));
	uint32_t *ends = memory;
	for (uint32_t e = 0; e < model->n_events; e++)
	{
		for (; from < model->first_end[e + 1]; from++)
			ends[at++] = adding->place[model->message_of_end[from]];
		for (; next < adding->n_ends; next++)
		{
			uint32_t row = adding->row_of_end[next], message = adding->message[row];
			if (adding->join->epoch_event[row] != e)
				break;
			(is_send(adding, row) ? model->send_event : model->receive_event)[message] = e;
			ends[at++] = message;
		}
		model->first_end[e + 1] = at;
	}
	ph_env_free(model->env, model->message_of_end, model->n_ends, sizeof(uint32_t));
	model->message_of_end = ends;
	model->n_ends = n;
	return PH_OK;
}

static PhStatus
add_all(Adding *adding)
{
	const PhLogicalJoin *join = adding->join;
	PH_TRY(find_messages(adding));
	for (uint32_t i = 0; i < adding->n_ends; i++)
	{
		uint32_t row = adding->row_of_end[i];
		bool is_lonely = join->epoch_pair[row] == PH_NONE;
		join->model->notes.unmatched_sends += is_lonely && is_send(adding, row);
		join->model->notes.unmatched_receives += is_lonely && !is_send(adding, row);
	}
	PH_TRY(spread_messages(adding));
	return spread_ends(adding);
}

PhStatus
ph_logical_add_epochs(PhLogicalJoin *join)
{
	PhArena arena;
	Adding adding = {.join = join, .arena = &arena};
	if (join->n_epochs == 0)
		return PH_OK;
	ph_arena_init(&arena, join->model->env);
	PhStatus status = add_all(&adding);
	ph_arena_drop(&arena);
	return status;
}
