/*
 * requests.c - requests under way on one location, by number: linear probing, entries move
 * back when one is removed.
 *
 * Numbers mostly count up, so a multiplication spreads them well enough.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "logical/input_internal.h"

#define PH_REQUESTS_FIRST_BITS 6
#define PH_REQUESTS_MOST_BITS 30

void
ph_input_requests_init(PhInputRequests *requests, PhEnv *env)
{
	memset(requests, 0, sizeof(*requests));
	requests->env = env;
}

void
ph_input_requests_free(PhInputRequests *requests)
{
	ph_env_free(requests->env, requests->slots, requests->n_slots, sizeof(PhInputRequest));
	ph_input_requests_init(requests, requests->env);
}

void
ph_input_requests_clear(PhInputRequests *requests)
{
	for (uint32_t i = 0; requests->n_used > 0 && i < requests->n_slots; i++)
		requests->slots[i].is_used = false;
	requests->n_used = 0;
}

static uint32_t
home_slot(const PhInputRequests *requests, uint64_t number)
{
	return (uint32_t) (number * UINT64_C(0x9e3779b97f4a7c15) >> (64 - requests->n_bits));
}

/* The request's slot, or the empty one where it belongs. */
static uint32_t
find_slot(const PhInputRequests *requests, uint64_t number)
{
	uint32_t mask = requests->n_slots - 1, at = home_slot(requests, number);
	while (requests->slots[at].is_used && requests->slots[at].number != number)
		at = (at + 1) & mask;
	return at;
}

PhInputRequest *
ph_input_requests_find(const PhInputRequests *requests, uint64_t number)
{
	if (requests->n_used == 0)
		return NULL;
	PhInputRequest *request = &requests->slots[find_slot(requests, number)];
	return request->is_used ? request : NULL;
}

static PhStatus
grow(PhInputRequests *requests)
{
	PhInputRequests larger = *requests;
	void *memory;
	if (requests->n_bits == PH_REQUESTS_MOST_BITS)
		return ph_fail(requests->env, PH_ERR_LIMIT, "more than %u requests under way",
					   requests->n_used);
	larger.n_bits = requests->n_bits == 0 ? PH_REQUESTS_FIRST_BITS : requests->n_bits + 1;
	larger.n_slots = (uint32_t) 1 << larger.n_bits;
	PH_TRY(ph_env_alloc(requests->env, larger.n_slots, sizeof(PhInputRequest), &memory));
	larger.slots = memory;
	for (uint32_t i = 0; i < requests->n_slots; i++)
		if (requests->slots[i].is_used)
			larger.slots[find_slot(&larger, requests->slots[i].number)] = requests->slots[i];
	ph_env_free(requests->env, requests->slots, requests->n_slots, sizeof(PhInputRequest));
	*requests = larger;
	return PH_OK;
}

PhStatus
ph_input_requests_enter(PhInputRequests *requests, uint64_t number, bool is_receive, uint32_t row,
						uint32_t event)
{
	if (requests->n_used >= requests->n_slots / 2)
		PH_TRY(grow(requests));
	PhInputRequest *request = &requests->slots[find_slot(requests, number)];
	requests->n_used += !request->is_used;
	*request = (PhInputRequest){number, PH_NO_TIME, event, row, is_receive, true};
	return PH_OK;
}

void
ph_input_requests_remove(PhInputRequests *requests, PhInputRequest *request)
{
	uint32_t mask = requests->n_slots - 1, hole = (uint32_t) (request - requests->slots);
	for (uint32_t at = (hole + 1) & mask; requests->slots[at].is_used; at = (at + 1) & mask)
	{
		uint32_t home = home_slot(requests, requests->slots[at].number);
		if (((at - home) & mask) < ((at - hole) & mask))
			continue;
		requests->slots[hole] = requests->slots[at];
		hole = at;
	}
	requests->slots[hole].is_used = false;
	requests->n_used--;
}
