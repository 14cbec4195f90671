/*
 * devices.c - accelerators of an archive: which locations are streams, of which device, and the
 * regions of their copies.
 *
 * Since OTF2 3.0 a device, or a context of it, is a location group that names the process that
 * created it; before, streams stood among the threads of their process.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <string.h>

#include "readers/otf2/making.h"
#include "readers/otf2/words.h"
#include "trace/chunk/device_records.h"

static const PhDefGroup *
group_of(const PhOtf2Making *making, const PhDefLocation *location, uint32_t *position)
{
	*position = ph_otf2_find(&making->definitions->group_ids, location->group);
	return &making->definitions->groups.items[*position];
}

bool
ph_otf2_is_stream(const PhOtf2Making *making, const PhDefLocation *location)
{
	uint32_t position;
	const PhDefGroup *group = group_of(making, location, &position);

	if (making->group_ranks[position] == PH_NO_NUMBER)
		return false;
	return location->type == OTF2_LOCATION_TYPE_ACCELERATOR_STREAM ||
		   (group->type == OTF2_LOCATION_GROUP_TYPE_ACCELERATOR &&
			location->type != OTF2_LOCATION_TYPE_METRIC);
}

/* "CUDA[0:7]", "HIP[1:2]": device and stream; "GPU 0 stream 7" */
static bool
read_name(const char *name, PhDeviceStream *out)
{
	const char *bracket = strchr(name, '[');
	int device;
	long long stream;

	if ((bracket == NULL || sscanf(bracket, "[%9d:%18lld]", &device, &stream) != 2) &&
		sscanf(name, "GPU %9d stream %18lld", &device, &stream) != 2)
		return false;
	*out = (PhDeviceStream){.device = device, .stream = stream};
	return device >= 0 && stream >= 0;
}

/* What an export of ours says; false: it is none. */
static bool
read_properties(const PhOtf2Making *making, const PhDefLocation *location, PhDeviceStream *out)
{
	const PhDefinitions *definitions = making->definitions;
	uint32_t i = ph_otf2_first_property(definitions, location->id);
	uint32_t n = 0;

	for (; i < definitions->location_properties.n; i++)
	{
		const PhDefPlace *property = &definitions->location_properties.items[i];
		const char *name = ph_otf2_string(definitions, property->name);
		int64_t value = property->value;

		if (property->location != location->id)
			break;
		n++;
		if (strcmp(name, PH_OTF2_STREAM_CONTEXT) == 0)
			out->context = value;
		else if (strcmp(name, PH_OTF2_STREAM_NUMBER) == 0)
			out->stream = value;
		else if (value < 0 || value > INT32_MAX)
			n--;
		else if (strcmp(name, PH_OTF2_STREAM_DEVICE) == 0)
			out->device = (int32_t) value;
		else if (strcmp(name, PH_OTF2_STREAM_LANE) == 0)
			out->lane = (int32_t) value;
		else
			n--;
	}
	return n == 4;
}

/* The context is the group that the stream is of: numbers of streams repeat in others. */
PhDeviceStream
ph_otf2_stream(const PhOtf2Making *making, const PhDefLocation *location)
{
	uint32_t position;
	const PhDefGroup *group = group_of(making, location, &position);
	PhDeviceStream stream = {.device = making->group_devices[position],
							 .stream = (int64_t) (location->id & INT64_MAX)};

	if (read_properties(making, location, &stream))
		return stream;
	(void) read_name(ph_otf2_string(making->definitions, location->name), &stream);
	if (group->type == OTF2_LOCATION_GROUP_TYPE_ACCELERATOR)
		stream.context = making->group_devices[position];
	return stream;
}

PhStatus
ph_otf2_make_copies(PhOtf2Making *making)
{
	static const char *const names[PH_OTF2_COPIES] = {[PH_OTF2_FROM_HOST] = "memcpy HtoD",
													  [PH_OTF2_TO_HOST] = "memcpy DtoH",
													  [PH_OTF2_ON_DEVICES] = "memcpy DtoD"};
	PhTraceModel *model = making->model;

	for (int i = 0; i < PH_OTF2_COPIES; i++)
	{
		making->archive->copy_regions[i] = PH_NONE;
		if (!making->has_streams || making->definitions->windows.n == 0)
			continue;
		making->archive->copy_regions[i] = model->n_regions;
		model->regions[model->n_regions++] = (PhTraceRegion){.kind = PH_KIND_FUNCTION,
															 .name = names[i],
															 .file = "",
															 .library = "",
															 .line = PH_NO_NUMBER,
															 .paradigm = "",
															 .role = PH_ROLE_COPY};
	}
	return PH_OK;
}
