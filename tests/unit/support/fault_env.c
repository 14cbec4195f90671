/*
 * fault_env.c - see fault_env.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/fault_env.h"

#include <stdlib.h>
#include <string.h>

#include "support/rounds.h"

#define FIRST_PLACES 30

struct FaultBlock
{
	FaultBlock *previous, *next;
	_Alignas(16) char memory[];
};

static FaultBlock *
block_of(void *pointer)
{
	return (FaultBlock *) (void *) ((char *) pointer - offsetof(FaultBlock, memory));
}

static void
unlink_block(FaultEnv *fault, FaultBlock *block)
{
	if (block->previous != NULL)
		block->previous->next = block->next;
	else
		fault->blocks = block->next;
	if (block->next != NULL)
		block->next->previous = block->previous;
	fault->n_blocks--;
}

static void
link_block(FaultEnv *fault, FaultBlock *block)
{
	block->previous = NULL;
	block->next = fault->blocks;
	if (block->next != NULL)
		block->next->previous = block;
	fault->blocks = block;
	fault->n_blocks++;
}

static bool
must_fail(FaultEnv *fault)
{
	if (++fault->n_allocations != fault->fail_at)
		return false;
	if (fault->jump)
		longjmp(fault->out, 1);
	return true;
}

static void *
fault_alloc(void *user, void *pointer, size_t old_size, size_t new_size)
{
	FaultEnv *fault = user;
	if (new_size > 0 && must_fail(fault))
		return NULL;
	FaultBlock *old = pointer == NULL ? NULL : block_of(pointer);
	FaultBlock *block = NULL;
	if (new_size > 0)
	{
		block = malloc(sizeof(*block) + new_size);
		memset(block->memory, 0xA5, new_size);
		link_block(fault, block);
		if (old != NULL)
			memcpy(block->memory, old->memory, old_size < new_size ? old_size : new_size);
	}
	if (old != NULL)
	{
		unlink_block(fault, old);
		free(old);
	}
	return block == NULL ? NULL : block->memory;
}

static bool
fault_interrupt(void *user)
{
	FaultEnv *fault = user;
	if (++fault->n_interrupts != fault->stop_at)
		return false;
	if (fault->jump)
		longjmp(fault->out, 1);
	return true;
}

void
fault_env_init(FaultEnv *fault)
{
	memset(fault, 0, sizeof(*fault));
	fault->env.alloc = fault_alloc;
	fault->env.interrupt = fault_interrupt;
	fault->env.user = fault;
}

void
fault_env_drop(FaultEnv *fault)
{
	while (fault->blocks != NULL)
	{
		FaultBlock *block = fault->blocks;
		unlink_block(fault, block);
		free(block);
	}
	fault_env_init(fault);
}

/* Once without a fault, to count what can fail. */
static const char *
try_plain(FaultWork work, void *user, size_t *n_allocations, size_t *n_interrupts)
{
	FaultEnv fault;
	fault_env_init(&fault);
	PhStatus status = work(&fault.env, user);
	*n_allocations = fault.n_allocations;
	*n_interrupts = fault.n_interrupts;
	size_t left = fault.n_blocks;
	fault_env_drop(&fault);
	if (status != PH_OK)
		return "the work fails without a fault";
	return left == 0 ? "" : "memory is left after success";
}

static const char *
try_one(FaultWork work, void *user, FaultEnv *fault, PhStatus expected)
{
	if (fault->jump && setjmp(fault->out) != 0)
		return "";
	PhStatus status = work(&fault->env, user);
	if (status != expected)
		return "the work did not report the fault";
	if (fault->env.error.message[0] == '\0')
		return "no message";
	return fault->n_blocks == 0 ? "" : "memory is left after a failure";
}

/* After the n-th place: the next one of the first, then every so many-th. */
static size_t
next_place(size_t n, size_t count)
{
	return n < FIRST_PLACES || takes_all_rounds() ? n + 1 : n + 1 + count / FIRST_PLACES;
}

static const char *
try_both_ways(FaultWork work, void *user, size_t place, bool interrupts)
{
	for (int jump = 0; jump < 2; jump++)
	{
		FaultEnv fault;
		fault_env_init(&fault);
		*(interrupts ? &fault.stop_at : &fault.fail_at) = place;
		fault.jump = jump == 1;
		const char *wrong =
			try_one(work, user, &fault, interrupts ? PH_ERR_INTERRUPTED : PH_ERR_MEMORY);
		fault_env_drop(&fault);
		if (wrong[0] != '\0')
			return wrong;
	}
	return "";
}

static const char *
try_all(FaultWork work, void *user, size_t count, bool interrupts)
{
	const char *wrong = "";
	for (size_t place = 1; place <= count && wrong[0] == '\0'; place = next_place(place, count))
		wrong = try_both_ways(work, user, place, interrupts);
	return wrong;
}

static size_t
at_most(size_t count, size_t limit)
{
	return limit != 0 && count > limit ? limit : count;
}

const char *
fault_env_try_allocations(FaultWork work, void *user, size_t limit)
{
	size_t n_allocations, n_interrupts;
	const char *wrong = try_plain(work, user, &n_allocations, &n_interrupts);
	if (wrong[0] != '\0')
		return wrong;
	return n_allocations == 0 ? "nothing was allocated"
							  : try_all(work, user, at_most(n_allocations, limit), false);
}

const char *
fault_env_try_interrupts(FaultWork work, void *user, size_t limit)
{
	size_t n_allocations, n_interrupts;
	const char *wrong = try_plain(work, user, &n_allocations, &n_interrupts);
	if (wrong[0] != '\0')
		return wrong;
	return n_interrupts == 0 ? "the work never asks for interrupts"
							 : try_all(work, user, at_most(n_interrupts, limit), true);
}
