/*
 * activities.c - see caliper.h: what rows of CUDA's and ROCm's activities say.
 *
 * Caliper's services cupti and roctracer (rocprofiler) write a row for what a device did, or for
 * many that agree: the call path of the launching call, and beside it what it was, as attributes
 * that are not nested.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/caliper/caliper.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

PhCaliperPart
ph_caliper_part(const char *attribute)
{
	static const struct
	{
		const char *name;
		PhCaliperPart part;
	} known[] = {{"cupti.activity.kind", PH_CALIPER_ACTIVITY},
				 {"rocm.activity", PH_CALIPER_ACTIVITY},
				 {"cupti.kernel.name", PH_CALIPER_KERNEL},
				 {"rocm.kernel.name", PH_CALIPER_KERNEL},
				 {"cupti.memcpy.kind", PH_CALIPER_DIRECTION}};

	for (size_t i = 0; i < COUNT(known); i++)
		if (strcmp(attribute, known[i].name) == 0)
			return known[i].part;
	return PH_CALIPER_NO_PART;
}

static bool
is_kernel(const char *activity)
{
	return strcmp(activity, "kernel") == 0 || strcmp(activity, "KernelExecution") == 0 ||
		   strncmp(activity, "KERNEL_DISPATCH", 15) == 0;
}

/* "CopyHostToDevice", "MEMORY_COPY_HOST_TO_DEVICE", "HtoD" */
static const char *
name_copy(const char *direction)
{
	static const char *const known[][4] = {
		{"HtoD", "HostToDevice", "HOST_TO_DEVICE", "memcpy HtoD"},
		{"DtoH", "DeviceToHost", "DEVICE_TO_HOST", "memcpy DtoH"},
		{"DtoD", "DeviceToDevice", "DEVICE_TO_DEVICE", "memcpy DtoD"},
		{"HtoH", "HostToHost", "HOST_TO_HOST", "memcpy HtoH"},
		{"PtoP", "PeerToPeer", "PEER_TO_PEER", "memcpy PtoP"}};

	for (size_t i = 0; i < COUNT(known); i++)
		for (size_t k = 0; k < 3; k++)
			if (strstr(direction, known[i][k]) != NULL)
				return known[i][3];
	return "memcpy";
}

static bool
is_copy(const char *activity)
{
	return strcmp(activity, "memcpy") == 0 || strncmp(activity, "Copy", 4) == 0 ||
		   strncmp(activity, "MEMORY_COPY", 11) == 0;
}

bool
ph_caliper_is_kernel(const PhCaliperParts *parts)
{
	const char *activity = parts->text[PH_CALIPER_ACTIVITY];

	return activity == NULL ? parts->text[PH_CALIPER_KERNEL] != NULL : is_kernel(activity);
}

/* False: the row is of no activity, or of a kernel without a name. */
static bool
describe(const PhCaliperParts *parts, PhRegionSpec *out)
{
	const char *activity = parts->text[PH_CALIPER_ACTIVITY];
	const char *direction = parts->text[PH_CALIPER_DIRECTION];

	*out = (PhRegionSpec){.kind = PH_KIND_FUNCTION, .line = PH_NO_NUMBER};
	if (ph_caliper_is_kernel(parts))
		out->name = parts->text[PH_CALIPER_KERNEL];
	else if (activity != NULL && is_copy(activity))
		out->name = name_copy(direction != NULL ? direction : activity);
	else if (activity != NULL)
		out->name = strcmp(activity, "FillBuffer") == 0 ? "memset" : activity;
	return out->name != NULL && out->name[0] != '\0';
}

PhStatus
ph_caliper_add_activity(PhProfileBuilder *builder, const PhCaliperParts *parts, uint32_t *path)
{
	PhRegionSpec spec;
	uint32_t region;

	if (!describe(parts, &spec))
		return PH_OK;
	PH_TRY(ph_builder_add_region(builder, &spec, &region));
	return ph_builder_child(builder, *path, region, path);
}
