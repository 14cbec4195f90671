/*
 * ranks.c - which ranks a change is about: "odd", "even", "0", "1,4-7".
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/text.h"
#include "replay/changes.h"

static bool
take_number(const char **text, uint32_t *number)
{
	uint64_t value = 0;
	const char *at = *text;
	for (; *at >= '0' && *at <= '9' && value < PH_NONE; at++)
		value = value * 10 + (uint64_t) (*at - '0');
	if (at == *text || value >= PH_NONE)
		return false;
	*number = (uint32_t) value;
	*text = at;
	return true;
}

static PhStatus
refuse_ranks(PhEnv *env, const char *ranks)
{
	return ph_fail_hint(env, PH_ERR_VALUE, "Write \"odd\", \"even\", or numbers as in \"0,4-7\".",
						"\"%.*s\" names no ranks", ph_text_fit(ranks, 60), ranks);
}

PhStatus
ph_rank_is_one_of(PhEnv *env, const char *ranks, uint32_t rank, uint32_t distance, bool *is)
{
	bool is_odd = ranks != NULL && strcmp(ranks, "odd") == 0, is_one = false;
	if (ranks == NULL || is_odd || strcmp(ranks, "even") == 0)
	{
		*is = ranks == NULL || (rank / (distance > 0 ? distance : 1) % 2 == 1) == is_odd;
		return PH_OK;
	}
	for (const char *at = ranks;; at++)
	{
		uint32_t from, to;
		if (!take_number(&at, &from))
			return refuse_ranks(env, ranks);
		to = from;
		if (*at == '-' && (at++, !take_number(&at, &to)))
			return refuse_ranks(env, ranks);
		is_one = is_one || (rank >= from && rank <= to);
		if (*at == '\0')
			break;
		if (*at != ',')
			return refuse_ranks(env, ranks);
	}
	*is = is_one;
	return PH_OK;
}
