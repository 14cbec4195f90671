/*
 * tally.c - open addressing in a byte string: head, then slots of 24 bytes, at most half
 * full.
 *
 * Slots are read and written by memcpy, since nothing is known of alignment. A slot is empty when
 * its count of messages is 0, so nothing is added with that count.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/tally.h"

#include <string.h>

#include "base/hash.h"
#include "base/min_max.h"
#include "base/sort.h"

#define PH_TALLY_MAGIC UINT32_C(0x79746850)
#define PH_TALLY_LEAST ((uint64_t) 16)
#define PH_TALLY_MOST ((uint64_t) 1 << 25) /* slots; the largest is below a server's 1 GB */

typedef struct TallyHead
{
	uint32_t magic, n_slots; /* n_slots: a power of two */
	uint64_t count;
} TallyHead;

static TallyHead
get_head(const void *tally)
{
	TallyHead head;
	memcpy(&head, tally, sizeof(head));
	return head;
}

static void
put_head(void *tally, const TallyHead *head)
{
	memcpy(tally, head, sizeof(*head));
}

static PhTallyRow
get_slot(const void *tally, uint64_t slot)
{
	PhTallyRow row;
	memcpy(&row, (const char *) tally + sizeof(TallyHead) + slot * sizeof(row), sizeof(row));
	return row;
}

static void
put_slot(void *tally, uint64_t slot, const PhTallyRow *row)
{
	memcpy((char *) tally + sizeof(TallyHead) + slot * sizeof(*row), row, sizeof(*row));
}

size_t
ph_tally_size(uint64_t n_keys)
{
	uint64_t n_slots = PH_TALLY_LEAST;
	if (n_keys > PH_TALLY_MOST / 2)
		return 0;
	while (n_slots < 2 * n_keys)
		n_slots *= 2;
	return sizeof(TallyHead) + n_slots * sizeof(PhTallyRow);
}

void
ph_tally_init(void *tally, size_t size)
{
	uint32_t n_slots = (uint32_t) ((size - sizeof(TallyHead)) / sizeof(PhTallyRow));
	TallyHead head = {PH_TALLY_MAGIC, n_slots, 0};
	memset(tally, 0, size);
	put_head(tally, &head);
}

/* Only the head is looked at: whatever the slots hold, the functions below stay within them. */
PhStatus
ph_tally_check(PhEnv *env, const void *tally, size_t size)
{
	TallyHead head = {0, 0, 0};
	if (size >= sizeof(head))
		head = get_head(tally);
	if (head.magic == PH_TALLY_MAGIC && head.n_slots >= PH_TALLY_LEAST &&
		head.n_slots <= PH_TALLY_MOST && (head.n_slots & (head.n_slots - 1)) == 0 &&
		size == sizeof(head) + (size_t) head.n_slots * sizeof(PhTallyRow) &&
		head.count <= head.n_slots / 2)
		return PH_OK;
	return ph_fail(env, PH_ERR_FORMAT, "%zu bytes are no tally of messages", size);
}

uint64_t
ph_tally_count(const void *tally)
{
	return get_head(tally).count;
}

bool
ph_tally_has_room(const void *tally, uint64_t n_keys)
{
	TallyHead head = get_head(tally);
	return n_keys <= head.n_slots / 2 - head.count;
}

void
ph_tally_add(void *tally, uint64_t key, uint64_t messages, uint64_t bytes)
{
	TallyHead head = get_head(tally);
	uint64_t slot = ph_hash_mix(key), probes = messages == 0 ? head.n_slots : 0;
	for (; probes < head.n_slots; probes++, slot++)
	{
		PhTallyRow row = get_slot(tally, slot & (head.n_slots - 1));
		if (row.messages != 0 && row.key != key)
			continue;
		if (row.messages == 0)
		{
			row = (PhTallyRow){key, 0, 0};
			head.count++;
			put_head(tally, &head);
		}
		row.messages += messages;
		row.bytes += bytes;
		put_slot(tally, slot & (head.n_slots - 1), &row);
		return;
	}
}

PhStatus
ph_tally_merge(PhEnv *env, void *into, const void *from)
{
	TallyHead head = get_head(from);
	for (uint64_t slot = 0; slot < head.n_slots; slot++)
	{
		PhTallyRow row = get_slot(from, slot);
		PH_TRY(ph_env_poll(env));
		ph_tally_add(into, row.key, row.messages, row.bytes);
	}
	return PH_OK;
}

static int
compare_keys(const void *context, uint32_t x, uint32_t y)
{
	const PhTallyRow *rows = context;
	return rows[x].key < rows[y].key ? -1 : rows[x].key > rows[y].key;
}

PhStatus
ph_tally_rows(PhArena *arena, const void *tally, const PhTallyRow **rows, uint32_t *n)
{
	TallyHead head = get_head(tally);
	uint32_t *order, count = 0;
	PhTallyRow *found, *sorted;
	for (uint64_t slot = 0; slot < head.n_slots; slot++)
		count += get_slot(tally, slot).messages != 0;
	PH_TRY(PH_NEW(arena, count, &found));
	count = 0;
	for (uint64_t slot = 0; slot < head.n_slots; slot++)
	{
		PhTallyRow row = get_slot(tally, slot);
		PH_TRY(ph_env_poll(arena->env));
		if (row.messages != 0)
			found[count++] = row;
	}
	PH_TRY(ph_sort_indices(arena, count, compare_keys, found, &order));
	PH_TRY(PH_NEW(arena, count, &sorted));
	for (uint32_t i = 0; i < count; i++)
		sorted[i] = found[order[i]];
	*rows = sorted;
	*n = count;
	return PH_OK;
}

PhStatus
ph_tally_grow(PhArena *arena, void **tally, uint64_t n_keys)
{
	void *larger;
	if (*tally != NULL && ph_tally_has_room(*tally, n_keys))
		return PH_OK;
	uint64_t count = *tally == NULL ? 0 : ph_tally_count(*tally);
	size_t size = ph_tally_size(count + PH_MAX(n_keys, count));
	if (size == 0)
		size = ph_tally_size(count + n_keys);
	if (size == 0)
		return ph_fail(arena->env, PH_ERR_LIMIT, "more than %llu different keys of messages",
					   (unsigned long long) PH_TALLY_MOST / 2);
	PH_TRY(ph_arena_alloc(arena, size, 1, &larger));
	ph_tally_init(larger, size);
	if (*tally != NULL)
		PH_TRY(ph_tally_merge(arena->env, larger, *tally));
	*tally = larger;
	return PH_OK;
}
