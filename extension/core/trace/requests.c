/*
 * requests.c - helpers of the trace analyses, and requests under way.
 *
 * Requests: linear probing, entries move back when one is removed.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/hash.h"
#include "trace/internal.h"

#define PH_REQUESTS_FIRST 64

PhStatus
ph_trace_check_location(PhEnv *env, const PhTraceModel *model, uint32_t location)
{
	if (location < model->n_locations)
		return PH_OK;
	return ph_fail(env, PH_ERR_VALUE, "events of location %u, but the trace has %u locations",
				   location, model->n_locations);
}

PhStatus
ph_trace_bad_links(PhEnv *env, const PhChunk *chunk, uint32_t n_links)
{
	return ph_fail(env, PH_ERR_FORMAT,
				   "chunk %u of location %u does not have the %u receives that it has links for",
				   chunk->chunk_no, chunk->location, n_links);
}

uint32_t
ph_trace_rank(const PhTraceModel *model, uint32_t location)
{
	int32_t rank = model->locations[location].rank;
	return rank < 0 ? PH_NONE : (uint32_t) rank;
}

uint32_t
ph_trace_count_ranks(const PhTraceModel *model)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < model->n_locations; i++)
	{
		uint32_t rank = ph_trace_rank(model, i);
		if (rank != PH_NONE && rank >= n)
			n = rank + 1;
	}
	return n;
}

PhStatus
ph_trace_bucket(PhEnv *env, const uint32_t *items, uint32_t n, const uint32_t *keys,
				uint32_t n_keys, uint32_t *starts, uint32_t *out)
{
	memset(starts, 0, ((size_t) n_keys + 1) * sizeof(*starts));
	for (uint32_t i = 0; i < n; i++)
		starts[keys[items[i]] + 1]++;
	for (uint32_t key = 0; key < n_keys; key++)
	{
		PH_TRY(ph_env_poll(env));
		starts[key + 1] += starts[key];
	}
	for (uint32_t i = 0; i < n; i++)
	{
		PH_TRY(ph_env_poll(env));
		out[starts[keys[items[i]]]++] = items[i];
	}
	for (uint32_t key = n_keys; key > 0; key--)
		starts[key] = starts[key - 1];
	starts[0] = 0;
	return PH_OK;
}

void
ph_requests_init(PhRequests *requests, PhEnv *env)
{
	memset(requests, 0, sizeof(*requests));
	requests->env = env;
	requests->free_value = PH_NONE;
}

void
ph_requests_free(PhRequests *requests)
{
	ph_env_free(requests->env, requests->slots, requests->n_slots, sizeof(PhRequestSlot));
	ph_env_free(requests->env, requests->values, requests->value_room, sizeof(PhRequestValue));
	ph_requests_init(requests, requests->env);
}

static uint32_t
home_slot(const PhRequests *requests, uint32_t location, uint64_t request)
{
	uint64_t key = request ^ (uint64_t) location << 40;
	return (uint32_t) (key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (requests->n_slots - 1);
}

/* The slot of the request, or the empty one where it belongs. */
static uint32_t
find_slot(const PhRequests *requests, uint32_t location, uint64_t request)
{
	uint32_t at = home_slot(requests, location, request);
	while (requests->slots[at].value != PH_NONE &&
		   (requests->slots[at].request != request || requests->slots[at].location != location))
		at = (at + 1) & (requests->n_slots - 1);
	return at;
}

static PhStatus
grow_slots(PhRequests *requests)
{
	PhRequests larger = *requests;
	void *slots;
	if (requests->n_slots > UINT32_MAX / 2)
		return ph_fail(requests->env, PH_ERR_LIMIT, "more than %u requests under way",
					   requests->n_used);
	larger.n_slots = requests->n_slots == 0 ? PH_REQUESTS_FIRST : requests->n_slots * 2;
	PH_TRY(ph_env_alloc(requests->env, larger.n_slots, sizeof(PhRequestSlot), &slots));
	larger.slots = slots;
	for (uint32_t i = 0; i < larger.n_slots; i++)
		larger.slots[i].value = PH_NONE;
	for (uint32_t i = 0; i < requests->n_slots; i++)
	{
		const PhRequestSlot *slot = &requests->slots[i];
		if (slot->value != PH_NONE)
			larger.slots[find_slot(&larger, slot->location, slot->request)] = *slot;
	}
	ph_env_free(requests->env, requests->slots, requests->n_slots, sizeof(PhRequestSlot));
	*requests = larger;
	return PH_OK;
}

static PhStatus
new_value(PhRequests *requests, uint32_t value, uint32_t *out)
{
	uint32_t index = requests->free_value;
	if (index != PH_NONE)
		requests->free_value = requests->values[index].next;
	else
	{
		PH_TRY(
			PH_GROW(requests->env, &requests->values, requests->n_values, &requests->value_room));
		index = requests->n_values++;
	}
	requests->values[index] = (PhRequestValue){value, PH_NONE};
	*out = index;
	return PH_OK;
}

PhStatus
ph_requests_post(PhRequests *requests, uint32_t location, uint64_t request, uint32_t value)
{
	uint32_t index;
	if (requests->n_used >= requests->n_slots / 2)
		PH_TRY(grow_slots(requests));
	PhRequestSlot *slot = &requests->slots[find_slot(requests, location, request)];
	if (slot->value == PH_NONE)
	{
		*slot = (PhRequestSlot){request, location, value, PH_NONE, PH_NONE};
		requests->n_used++;
		return PH_OK;
	}
	PH_TRY(new_value(requests, value, &index));
	if (slot->first == PH_NONE)
		slot->first = index;
	else
		requests->values[slot->last].next = index;
	slot->last = index;
	return PH_OK;
}

/* Empty a slot; entries behind it that would no longer be found move up. */
static void
remove_slot(PhRequests *requests, uint32_t hole)
{
	uint32_t mask = requests->n_slots - 1;
	for (uint32_t at = (hole + 1) & mask; requests->slots[at].value != PH_NONE;
		 at = (at + 1) & mask)
	{
		const PhRequestSlot *slot = &requests->slots[at];
		uint32_t home = home_slot(requests, slot->location, slot->request);
		if (((at - home) & mask) < ((at - hole) & mask))
			continue;
		requests->slots[hole] = *slot;
		hole = at;
	}
	requests->slots[hole].value = PH_NONE;
	requests->n_used--;
}

uint32_t
ph_requests_take(PhRequests *requests, uint32_t location, uint64_t request)
{
	if (requests->n_used == 0)
		return PH_NONE;
	uint32_t at = find_slot(requests, location, request);
	PhRequestSlot *slot = &requests->slots[at];
	uint32_t oldest = slot->value, index = slot->first;
	if (oldest == PH_NONE)
		return PH_NONE;
	if (index == PH_NONE)
	{
		remove_slot(requests, at);
		return oldest;
	}
	PhRequestValue *next = &requests->values[index];
	slot->value = next->value;
	slot->first = next->next;
	next->next = requests->free_value;
	requests->free_value = index;
	return oldest;
}
