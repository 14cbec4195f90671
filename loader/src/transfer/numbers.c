/*
 * numbers.c - what a number here is there.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "system/log.h"
#include "transfer/internal.h"

PhExit
ph_transfer_failed(PhTransfer *transfer, PhStatus status)
{
	ph_log_error("%s", transfer->env.error.message);
	if (transfer->env.error.hint[0] != '\0')
		ph_log_hint("%s", transfer->env.error.hint);
	return ph_exit_from_status(status);
}

PhStatus
ph_numbers_set(PhTransfer *transfer, Numbers *numbers, int64_t from, int64_t to)
{
	uint32_t *place;

	if (numbers->places.arena == NULL)
		ph_map_init(&numbers->places, &transfer->arena);
	PH_TRY(ph_map_enter(&numbers->places, (uint64_t) from, numbers->n, &place));
	if (*place == numbers->n)
	{
		if (numbers->n == numbers->capacity)
		{
			uint32_t more = numbers->capacity == 0 ? 64 : 2 * numbers->capacity;
			int64_t *both;

			PH_TRY(PH_NEW(&transfer->arena, 2 * (size_t) more, &both));
			for (uint32_t i = 0; i < numbers->n; i++)
			{
				both[i] = numbers->from[i];
				both[more + i] = numbers->to[i];
			}
			numbers->from = both;
			numbers->to = both + more;
			numbers->capacity = more;
		}
		numbers->from[numbers->n++] = from;
	}
	numbers->to[*place] = to;
	return PH_OK;
}

bool
ph_numbers_find(const Numbers *numbers, int64_t from, int64_t *to)
{
	const uint32_t *place = numbers->n == 0 ? NULL : ph_map_find(&numbers->places, (uint64_t) from);

	if (place != NULL)
		*to = numbers->to[*place];
	return place != NULL;
}

PhStatus
ph_numbers_json(const Numbers *numbers, PhArena *arena, char **out)
{
	PhStr text;

	ph_str_init(&text, arena);
	PH_TRY(ph_str_append(&text, "{"));
	for (uint32_t i = 0; i < numbers->n; i++)
		PH_TRY(ph_str_printf(&text, "%s\"%lld\": %lld", i == 0 ? "" : ", ",
							 (long long) numbers->from[i], (long long) numbers->to[i]));
	PH_TRY(ph_str_append(&text, "}"));
	return ph_str_take(&text, out);
}
