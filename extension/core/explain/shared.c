/*
 * shared.c - what the units of a finding have in common.
 *
 * Units of a host fail together, so a host's unit that changed a little less than the others is
 * one of them, and a single unit elsewhere that changed a little more than nothing is not.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "explain/search.h"

/* A group is in when most of it is; a unit follows its group unless its own change, as a share of
 * the contrast, is this clearly on the other side. Arbitrary. */
#define MOST 0.6
#define FOLLOWS 0.2

static bool
is_same_host(const PhExplainUnit *a, const PhExplainUnit *b)
{
	return a->host == b->host || strcmp(a->host, b->host) == 0;
}

/* Whether all units have a host, and there are several. */
static bool
has_hosts(const PhExplainUnit *units, uint32_t n)
{
	bool differ = false;

	for (uint32_t i = 0; i < n; i++)
	{
		if (units[i].host == NULL || units[i].host[0] == '\0')
			return false;
		differ = differ || !is_same_host(&units[i], &units[0]);
	}
	return differ;
}

/* One past the last unit from `first` on of the same host: units are by rank, hosts hold blocks. */
static uint32_t
host_end(const PhExplainUnit *units, uint32_t n, uint32_t first)
{
	uint32_t end = first + 1;

	while (end < n && is_same_host(&units[end], &units[first]))
		end++;
	return end;
}

static bool
may_follow(double change, double rest, double contrast, bool to)
{
	double height = (change - rest) / contrast;

	return to ? height > FOLLOWS : height < 1 - FOLLOWS;
}

static void
complete_group(uint32_t first, uint32_t end, uint32_t step, const double *changes, double rest,
			   double contrast, bool *is_in)
{
	uint32_t n = 0, n_in = 0;
	bool to;

	for (uint32_t i = first; i < end; i += step, n++)
		n_in += is_in[i];
	to = n_in >= MOST * n;
	if (n_in == 0 || n_in == n || (!to && n_in > (1 - MOST) * n))
		return;
	for (uint32_t i = first; i < end; i += step)
		if (!may_follow(changes[i], rest, contrast, to))
			return;
	for (uint32_t i = first; i < end; i += step)
		is_in[i] = to;
}

/* Hosts are completed when one of them is in as good as whole: else single ranks are to blame. */
static bool
a_host_is_in(const PhExplainUnit *units, uint32_t n, const bool *is_in)
{
	for (uint32_t first = 0, end; first < n; first = end)
	{
		uint32_t n_in = 0;

		end = host_end(units, n, first);
		for (uint32_t i = first; i < end; i++)
			n_in += is_in[i];
		if (end - first > 1 && n_in >= MOST * (end - first))
			return true;
	}
	return false;
}

static bool
is_parity_likely(uint32_t n, const bool *is_in, uint32_t odd)
{
	uint32_t n_right = 0;

	for (uint32_t i = 0; i < n; i++)
		n_right += is_in[i] == (i % 2 == odd);
	return n >= 4 && n_right >= 0.8 * n;
}

void
ph_units_complete(const PhExplainUnit *units, uint32_t n, const double *changes, double rest,
				  double contrast, bool *is_in)
{
	for (uint32_t odd = 0; odd < 2; odd++)
		if (is_parity_likely(n, is_in, odd))
		{
			complete_group(odd, n, 2, changes, rest, contrast, is_in);
			complete_group(1 - odd, n, 2, changes, rest, contrast, is_in);
			return;
		}
	if (!has_hosts(units, n) || !a_host_is_in(units, n, is_in))
		return;
	for (uint32_t first = 0, end; first < n; first = end)
	{
		end = host_end(units, n, first);
		complete_group(first, end, 1, changes, rest, contrast, is_in);
	}
}

static bool
are_whole_hosts(const PhExplainUnit *units, uint32_t n, const bool *is_in)
{
	for (uint32_t i = 1; i < n; i++)
		if (is_same_host(&units[i], &units[i - 1]) && is_in[i] != is_in[i - 1])
			return false;
	return has_hosts(units, n);
}

static bool
have_parity(const PhExplainUnit *units, uint32_t n, const bool *is_in, int32_t odd)
{
	for (uint32_t i = 0; i < n; i++)
		if (units[i].rank < 0 || is_in[i] != (units[i].rank % 2 == odd))
			return false;
	return n >= 4;
}

PhShared
ph_units_shared(const PhExplainUnit *units, uint32_t n, const bool *is_in)
{
	uint32_t changes = 0;

	for (uint32_t i = 1; i < n; i++)
		changes += is_in[i] != is_in[i - 1];
	if (n == 0)
		return PH_SHARED_NOTHING;
	if (are_whole_hosts(units, n, is_in))
		return PH_SHARED_HOST;
	if (have_parity(units, n, is_in, 0))
		return PH_SHARED_EVEN_RANKS;
	if (have_parity(units, n, is_in, 1))
		return PH_SHARED_ODD_RANKS;
	if (changes == 1)
		return is_in[0] ? PH_SHARED_FIRST_RANKS : PH_SHARED_LAST_RANKS;
	return PH_SHARED_NOTHING;
}
