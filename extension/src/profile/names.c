/*
 * names.c - words for the core's enums and labels made of several fields.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "profile/names.h"

const char *
ph_region_kind_name(uint8 kind)
{
	static const char *const names[PH_KIND_COUNT] = {"function", "region", "loop", "statement",
													 "root"};
	return kind < PH_KIND_COUNT ? names[kind] : "unknown";
}

const char *
ph_column_kind_name(uint8 kind)
{
	static const char *const names[PH_COLUMN_KIND_COUNT] = {"unit", "run",	 "group",
															"pe",	"chare", "mean"};
	return kind < PH_COLUMN_KIND_COUNT ? names[kind] : "unknown";
}

const char *
ph_metric_kind_name(uint8 kind)
{
	static const char *const names[PH_METRIC_KIND_COUNT] = {"flow", "ratio", "value"};
	return kind < PH_METRIC_KIND_COUNT ? names[kind] : "unknown";
}

const char *
ph_node_module(const PhProfile *profile, uint32 node)
{
	const PhRegion *region = ph_profile_region(profile, node);
	if (region->module != 0)
		return ph_profile_string(profile, region->module);
	const char *library = ph_profile_string(profile, region->library);
	const char *slash = strrchr(library, '/');
	return slash != NULL ? slash + 1 : library;
}

char *
ph_source_label(const PhProfile *profile, const PhSource *source)
{
	const char *label = ph_profile_string(profile, source->label);
	if (source->run_id == 0)
		return pstrdup(label[0] != '\0' ? label : "unnamed source");
	if (label[0] == '\0')
		return psprintf("run " INT64_FORMAT, source->run_id);
	return psprintf("run " INT64_FORMAT " (%s)", source->run_id, label);
}
