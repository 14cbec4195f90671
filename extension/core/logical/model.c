/*
 * model.c - names, defaults and memory of a logical model.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "logical/model.h"

#include <string.h>

const char *
ph_comm_kind_name(uint32_t kind)
{
	static const char *const names[] = {"send", "receive", "collective"};
	return kind <= PH_COMM_COLLECTIVE ? names[kind] : "unknown";
}

void
ph_logical_options_default(PhLogicalOptions *options)
{
	memset(options, 0, sizeof(*options));
	options->coalesce_isends = true;
	options->wait_groups = true;
	options->call_tree_merge = true;
	options->super_phases = true;
	options->align_sends = true;
	options->counter = PH_NONE;
}

/* One array of a model: where it is, how wide its elements are, how many there are. */
typedef struct ModelArray
{
	void **pointer;
	size_t count, width;
} ModelArray;

#define PH_MODEL_ARRAYS 30 /* arrays that list_arrays names */
#define PH_ARRAY(field, n)                                                                         \
	(ModelArray)                                                                                   \
	{                                                                                              \
		(void **) &model->field, (n), sizeof(*model->field)                                        \
	}

/* n + 1 elements only where the array exists at all: an empty model has none. */
static void
list_arrays(PhLogicalModel *model, ModelArray *arrays)
{
	size_t events = model->n_events, messages = model->n_messages, calls = model->n_calls;
	size_t timelines = model->n_timelines, collectives = model->n_collectives;
	ModelArray all[PH_MODEL_ARRAYS] = {
		PH_ARRAY(timeline_location, timelines),
		PH_ARRAY(timeline_rank, timelines),
		PH_ARRAY(timeline_first, timelines + 1),
		PH_ARRAY(timeline, events),
		PH_ARRAY(enter, events),
		PH_ARRAY(exit, events),
		PH_ARRAY(region, events),
		PH_ARRAY(caller, events),
		PH_ARRAY(collective, events),
		PH_ARRAY(first_end, events + 1),
		PH_ARRAY(kind, events),
		PH_ARRAY(flags, events),
		PH_ARRAY(function_count, events),
		PH_ARRAY(counter_inside, events),
		PH_ARRAY(counter_before, events),
		PH_ARRAY(message_of_end, model->n_ends),
		PH_ARRAY(send_event, messages),
		PH_ARRAY(receive_event, messages),
		PH_ARRAY(tag, messages),
		PH_ARRAY(bytes, messages),
		PH_ARRAY(operation, collectives),
		PH_ARRAY(communicator, collectives),
		PH_ARRAY(root, collectives),
		PH_ARRAY(first_member, collectives + 1),
		PH_ARRAY(member_event, model->n_members),
		PH_ARRAY(call_region, calls),
		PH_ARRAY(call_parent, calls),
		PH_ARRAY(call_comms, calls),
		PH_ARRAY(call_is_event, calls),
		PH_ARRAY(region_key, model->n_regions),
	};
	memcpy(arrays, all, sizeof(all));
}

void
ph_logical_model_free(PhLogicalModel *model)
{
	ModelArray arrays[PH_MODEL_ARRAYS];
	if (model->env == NULL)
		return;
	list_arrays(model, arrays);
	for (int a = 0; a < PH_MODEL_ARRAYS; a++)
		ph_env_free(model->env, *arrays[a].pointer, arrays[a].count, arrays[a].width);
	memset(model, 0, sizeof(*model));
}
