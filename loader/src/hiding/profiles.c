/*
 * profiles.c - what the code and the units of a profile are called when some of it is hidden.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "hiding/hiding.h"

PhStatus
ph_hide_code(PhArena *arena, const PhHiding *hiding, const PhProfile *profile, PhCodeNames **out)
{
	PH_TRY(PH_NEW(arena, profile->n_regions, out));
	for (uint32_t i = 0; i < profile->n_regions; i++)
	{
		const PhRegion *region = &profile->regions[i];
		PhCodeNames *names = &(*out)[i];

		names->name = ph_profile_string(profile, region->name);
		names->library = ph_profile_string(profile, region->library);
		names->file = ph_profile_string(profile, region->file);
		if (hiding->paths)
			PH_TRY(ph_hide_in_region(arena, hiding->salt, &names->name, &names->library,
									 &names->file));
	}
	return PH_OK;
}

PhStatus
ph_hide_units(PhArena *arena, const PhHiding *hiding, const PhProfile *profile, PhUnitNames **out)
{
	PH_TRY(PH_NEW(arena, profile->n_columns, out));
	for (uint32_t i = 0; i < profile->n_columns; i++)
	{
		PhUnitNames *names = &(*out)[i];

		names->host = ph_profile_string(profile, profile->columns[i].host);
		names->name = ph_profile_string(profile, profile->columns[i].name);
		if (hiding->hosts)
			PH_TRY(ph_hide_host(arena, hiding->salt, &names->host, &names->name));
		if (hiding->paths)
			PH_TRY(ph_hide_paths(arena, hiding->salt, names->name, &names->name));
	}
	return PH_OK;
}
