/*
 * shared.c - see shared.h.
 *
 * Units of a host fail together, so a host's unit that changed a little less than the others is
 * one of them, and a single unit elsewhere that changed a little more than nothing is not.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "explain/shared.h"

#include "base/table.h"

/* A group is in when most of it is; a unit follows its group unless its own change, as a share of
 * the contrast, is this clearly on the other side. Arbitrary. */
#define MOST 0.6
#define FOLLOWS 0.2

/* Units of one host, or of one parity. */
typedef struct Group
{
	uint32_t n, n_in;
	bool to;	  /* what all of its units shall be */
	bool is_open; /* some are not */
} Group;

static bool
have_names(const PhExplainUnit *units, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (units[i].host == NULL || units[i].host[0] == '\0')
			return false;
	return true;
}

PhStatus
ph_hosts_find(PhArena *arena, const PhExplainUnit *units, uint32_t n, PhHosts *out)
{
	PhHosts hosts = {.units = units, .n_units = n};
	PhStrings names;

	PH_TRY(PH_NEW(arena, n, &hosts.of_unit));
	*out = hosts;
	if (!have_names(units, n))
		return PH_OK;
	PH_TRY(ph_strings_init(&names, arena));
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t name;

		PH_TRY(ph_strings_intern(&names, units[i].host, &name));
		hosts.of_unit[i] = name - 1; /* the first string is empty, which no host is */
		if (name > hosts.n_hosts)
			hosts.n_hosts = name;
	}
	if (hosts.n_hosts > 1)
		*out = hosts;
	return PH_OK;
}

/* ---- groups ---- */

static void
count_groups(const uint32_t *group_of, uint32_t n, const bool *is_in, Group *groups)
{
	for (uint32_t i = 0; i < n; i++)
	{
		groups[group_of[i]].n++;
		groups[group_of[i]].n_in += is_in[i];
	}
}

static bool
may_follow(double change, double rest, double contrast, bool to)
{
	double height = (change - rest) / contrast;

	return to ? height > FOLLOWS : height < 1 - FOLLOWS;
}

/* Make groups that nearly are so all in or all out, but for those with a unit that clearly differs.
 */
static void
complete_groups(const uint32_t *group_of, uint32_t n, Group *groups, uint32_t n_groups,
				const PhUnitChanges *changes, bool *is_in)
{
	for (uint32_t i = 0; i < n_groups; i++)
	{
		Group *group = &groups[i];

		group->to = group->n_in >= MOST * group->n;
		group->is_open = group->n_in != 0 && group->n_in != group->n &&
						 (group->to || group->n_in <= (1 - MOST) * group->n);
	}
	for (uint32_t i = 0; i < n; i++)
	{
		Group *group = &groups[group_of[i]];

		group->is_open = group->is_open && may_follow(changes->of_unit[i], changes->rest,
													  changes->contrast, group->to);
	}
	for (uint32_t i = 0; i < n; i++)
		if (groups[group_of[i]].is_open)
			is_in[i] = groups[group_of[i]].to;
}

/* Hosts are completed when one of them is in as good as whole: else single ranks are to blame. */
static bool
a_host_is_in(const Group *groups, uint32_t n_hosts)
{
	for (uint32_t host = 0; host < n_hosts; host++)
		if (groups[host].n > 1 && groups[host].n_in >= MOST * groups[host].n)
			return true;
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

static PhStatus
complete_parities(PhArena *arena, uint32_t n, const PhUnitChanges *changes, bool *is_in)
{
	Group groups[2] = {{0}};
	uint32_t *parity;

	PH_TRY(PH_NEW(arena, n, &parity));
	for (uint32_t i = 0; i < n; i++)
		parity[i] = i % 2;
	count_groups(parity, n, is_in, groups);
	complete_groups(parity, n, groups, 2, changes, is_in);
	return PH_OK;
}

PhStatus
ph_units_complete(PhArena *arena, const PhHosts *hosts, const PhUnitChanges *changes, bool *is_in)
{
	Group *groups;

	if (is_parity_likely(hosts->n_units, is_in, 0) || is_parity_likely(hosts->n_units, is_in, 1))
		return complete_parities(arena, hosts->n_units, changes, is_in);
	PH_TRY(PH_NEW(arena, hosts->n_hosts, &groups));
	if (hosts->n_hosts == 0)
		return PH_OK;
	count_groups(hosts->of_unit, hosts->n_units, is_in, groups);
	if (a_host_is_in(groups, hosts->n_hosts))
		complete_groups(hosts->of_unit, hosts->n_units, groups, hosts->n_hosts, changes, is_in);
	return PH_OK;
}

/* ---- whole hosts and others ---- */

static bool
begins_rank(const PhHosts *hosts, uint32_t unit)
{
	return unit == 0 || hosts->units[unit].rank < 0 ||
		   hosts->units[unit].rank != hosts->units[unit - 1].rank;
}

/* Whether those who are in follow each other; after the last one comes the first one. */
static bool
are_neighbours(uint32_t n, const bool *is_in)
{
	uint32_t changes = is_in[0] != is_in[n - 1];

	for (uint32_t i = 1; i < n; i++)
		changes += is_in[i] != is_in[i - 1];
	return changes <= 2;
}

static bool
is_whole(const Group *host)
{
	return host->n > 1 && host->n_in == host->n;
}

/* How likely drawing n_in of n would take some chosen ones all. */
static double
all_by_chance(uint32_t n, uint32_t n_in, uint32_t chosen)
{
	double chance = 1;

	for (uint32_t i = 0; i < chosen && chance > 0; i++)
		chance *= i < n_in ? (double) (n_in - i) / (n - i) : 0;
	return chance;
}

/* How many hosts would be whole if the ranks that are in were drawn. */
static double
whole_by_chance(const Group *groups, uint32_t n_hosts)
{
	uint32_t n = 0, n_in = 0;
	double expected = 0;

	for (uint32_t host = 0; host < n_hosts; host++)
	{
		n += groups[host].n;
		n_in += groups[host].n_in;
	}
	for (uint32_t host = 0; host < n_hosts; host++)
		if (groups[host].n > 1)
			expected += all_by_chance(n, n_in, groups[host].n);
	return expected;
}

PhStatus
ph_units_on_whole_hosts(PhArena *arena, const PhHosts *hosts, double most, const bool *is_in,
						bool *on_whole)
{
	bool any_other = false, any_whole = false;
	Group *groups;

	for (uint32_t i = 0; i < hosts->n_units; i++)
		on_whole[i] = is_in[i];
	if (hosts->n_hosts == 0 || are_neighbours(hosts->n_units, is_in))
		return PH_OK;
	PH_TRY(PH_NEW(arena, hosts->n_hosts, &groups));
	for (uint32_t i = 0; i < hosts->n_units; i++)
		if (begins_rank(hosts, i))
		{
			groups[hosts->of_unit[i]].n++;
			groups[hosts->of_unit[i]].n_in += is_in[i];
		}
	for (uint32_t host = 0; host < hosts->n_hosts; host++)
	{
		any_whole = any_whole || is_whole(&groups[host]);
		any_other = any_other || (groups[host].n_in > 0 && !is_whole(&groups[host]));
	}
	if (!any_whole || !any_other || whole_by_chance(groups, hosts->n_hosts) > most)
		return PH_OK;
	for (uint32_t i = 0; i < hosts->n_units; i++)
		on_whole[i] = is_in[i] && is_whole(&groups[hosts->of_unit[i]]);
	return PH_OK;
}

/* ---- names ---- */

static PhStatus
are_whole_hosts(PhArena *arena, const PhHosts *hosts, const bool *is_in, bool *out)
{
	Group *groups;

	*out = hosts->n_hosts > 0;
	PH_TRY(PH_NEW(arena, hosts->n_hosts, &groups));
	if (*out)
		count_groups(hosts->of_unit, hosts->n_units, is_in, groups);
	for (uint32_t host = 0; host < hosts->n_hosts; host++)
		*out = *out && (groups[host].n_in == 0 || groups[host].n_in == groups[host].n);
	return PH_OK;
}

static bool
have_parity(const PhHosts *hosts, const bool *is_in, int32_t odd)
{
	for (uint32_t i = 0; i < hosts->n_units; i++)
		if (hosts->units[i].rank < 0 || is_in[i] != (hosts->units[i].rank % 2 == odd))
			return false;
	return hosts->n_units >= 4;
}

PhStatus
ph_units_shared(PhArena *arena, const PhHosts *hosts, const bool *is_in, PhShared *out)
{
	uint32_t changes = 0;
	bool are_hosts;

	*out = PH_SHARED_NOTHING;
	if (hosts->n_units == 0)
		return PH_OK;
	for (uint32_t i = 1; i < hosts->n_units; i++)
		changes += is_in[i] != is_in[i - 1];
	PH_TRY(are_whole_hosts(arena, hosts, is_in, &are_hosts));
	if (are_hosts)
		*out = PH_SHARED_HOST;
	else if (have_parity(hosts, is_in, 0))
		*out = PH_SHARED_EVEN_RANKS;
	else if (have_parity(hosts, is_in, 1))
		*out = PH_SHARED_ODD_RANKS;
	else if (changes == 1)
		*out = is_in[0] ? PH_SHARED_FIRST_RANKS : PH_SHARED_LAST_RANKS;
	return PH_OK;
}
