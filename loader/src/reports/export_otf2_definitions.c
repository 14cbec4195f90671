/*
 * export_otf2_definitions.c - the global definitions of an archive that is written.
 *
 * The reader numbers definitions by their order, so that of the run is kept. Groups: 0 the
 * locations of the processes, then one a communicator.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/export_otf2_internal.h"
#include "system/memory.h"

/*
 * Events keep numbers of strings. What 0.1.0 loaded has none of their texts; it had numbers of
 * programs that begin only, so the text is that of the command.
 */
static void
write_taken_strings(PhOtf2Definer *definer)
{
	PhOtf2Export *export = definer->export;
	const PhOtf2References *references = &export->references;
	char *program = ph_strndup(export->command, strcspn(export->command, " "));

	for (size_t i = 0; i < references->n_texts; i++)
		ph_otf2_export_note(export, OTF2_GlobalDefWriter_WriteString(definer->out,
																	 references->texts[i].number,
																	 references->texts[i].text));
	for (size_t i = 0; i < references->n_strings; i++)
		ph_otf2_export_note(export, OTF2_GlobalDefWriter_WriteString(
										definer->out, references->strings[i], program));
	free(program);
}

static void
write_attributes(PhOtf2Definer *definer)
{
	const struct
	{
		const char *name, *what;
		OTF2_Type type;
	} attributes[] = {
		{"phase", "number of the phase in logical time", OTF2_TYPE_UINT64},
		{"step", "logical time", OTF2_TYPE_UINT64},
		{"lateness", "ns behind the first of phase and step", OTF2_TYPE_INT64},
		{"differential lateness", "ns of lateness that arose here", OTF2_TYPE_INT64},
		{ph_otf2_activity_attributes[PH_OTF2_LAUNCH_LOCATION], "of the call that launched it",
		 OTF2_TYPE_LOCATION},
		{ph_otf2_activity_attributes[PH_OTF2_LAUNCH_RECORD],
		 "of the call's ENTER among those of its location, from 0", OTF2_TYPE_UINT64},
		{ph_otf2_activity_attributes[PH_OTF2_LAUNCH_TIME], "when the call was entered",
		 OTF2_TYPE_UINT64},
		{ph_otf2_activity_attributes[PH_OTF2_BYTES], "copied or set", OTF2_TYPE_UINT64},
		{ph_otf2_activity_attributes[PH_OTF2_CONFIGURATION], "of the kernel's launch",
		 OTF2_TYPE_STRING},
		{ph_otf2_activity_attributes[PH_OTF2_COMMUNICATOR], "of the collective", OTF2_TYPE_COMM},
		{ph_otf2_activity_attributes[PH_OTF2_AWAITED_LOCATION], "of the stream that it waited for",
		 OTF2_TYPE_LOCATION},
		{ph_otf2_activity_attributes[PH_OTF2_AWAITED_BEFORE],
		 "ns before it at which what it waited for had ended", OTF2_TYPE_UINT64},
		{ph_otf2_activity_attributes[PH_OTF2_OPERATION],
		 "1 all_reduce, 2 all_gather, 3 reduce_scatter, 4 all_to_all, 5 broadcast, 6 reduce, 7 "
		 "gather, "
		 "8 scatter, 9 send, 10 recv, 11 send_recv, 12 barrier, 13 coalesced",
		 OTF2_TYPE_UINT64}};

	for (uint32_t i = 0; i < PH_OTF2_ATTRIBUTES; i++)
	{
		if (i >= PH_ATTRIBUTE_ACTIVITY && !definer->export->has_streams)
			break;
		uint32_t name = ph_otf2_export_string(definer, attributes[i].name);
		uint32_t what = ph_otf2_export_string(definer, attributes[i].what);

		ph_otf2_export_note(definer->export, OTF2_GlobalDefWriter_WriteAttribute(
												 definer->out, i, name, what, attributes[i].type));
	}
}

/* ---- code ---- */

/* The program's region has the command as its canonical name: the loader knows it by that. */
static char *
canonical_of(const PhOtf2Export *export, const PhOtf2OutRegion *region)
{
	bool is_program = region->paradigm == OTF2_PARADIGM_MEASUREMENT_SYSTEM &&
					  region->role == OTF2_REGION_ROLE_ARTIFICIAL;

	if (!is_program || region->library[0] == '\0')
		return ph_strdup(region->name);
	return export->command[0] != '\0' ? ph_strdup(export->command)
									  : ph_format("./%s", region->library);
}

/* Words for which OTF2 has no numbers are the region's description. */
static uint32_t
description_of(PhOtf2Definer *definer, const PhOtf2OutRegion *region)
{
	char *text;
	uint32_t number;

	if (region->words == NULL)
		return 0;
	text = ph_format(PH_OTF2_REGION_WORDS "%s", region->words);
	number = ph_otf2_export_string(definer, text);
	free(text);
	return number;
}

static void
write_region(PhOtf2Definer *definer, const PhOtf2OutRegion *region, uint32_t number)
{
	char *canonical = canonical_of(definer->export, region);
	const char *source = region->file[0] != '\0' ? region->file : region->library;
	uint32_t name = ph_otf2_export_string(definer, region->name);
	uint32_t full =
		strcmp(canonical, region->name) == 0 ? name : ph_otf2_export_string(definer, canonical);
	uint32_t file = ph_otf2_export_string(definer, full == name ? source : region->file);

	ph_otf2_export_note(definer->export,
						OTF2_GlobalDefWriter_WriteRegion(
							definer->out, number, name, full, description_of(definer, region),
							(OTF2_RegionRole) region->role, (OTF2_Paradigm) region->paradigm,
							OTF2_REGION_FLAG_NONE, file, region->line, 0));
	free(canonical);
}

/* A region that no call uses: the warehouse keeps only its number. */
static void
write_unused_region(PhOtf2Definer *definer, int64_t number, uint32_t reference)
{
	char *text = ph_format("region %" PRId64, number);
	uint32_t name = ph_otf2_export_string(definer, text);

	ph_otf2_export_note(definer->export,
						OTF2_GlobalDefWriter_WriteRegion(
							definer->out, reference, name, name, 0, OTF2_REGION_ROLE_UNKNOWN,
							OTF2_PARADIGM_UNKNOWN, OTF2_REGION_FLAG_NONE, 0, 0, 0));
	free(text);
}

/*
 * Calling contexts stand for regions by their number, used or not: then the unused ones are
 * defined, too. Contexts have the numbers of their regions.
 */
static void
write_regions_of_contexts(PhOtf2Definer *definer)
{
	PhOtf2Export *export = definer->export;
	uint32_t n_contexts = export->references.n_contexts;
	uint32_t unused = (uint32_t) export->n_regions;
	size_t at = 0;

	for (int64_t number = 0; number < n_contexts || at < export->n_regions; number++)
	{
		bool is_used = at < export->n_regions && export->regions[at].number == number;
		uint32_t region = is_used ? (uint32_t) at++ : unused++;

		if (is_used)
			write_region(definer, &export->regions[region], region);
		else
			write_unused_region(definer, number, region);
		if (number < n_contexts)
			ph_otf2_export_note(export, OTF2_GlobalDefWriter_WriteCallingContext(
											definer->out, (uint32_t) number, region,
											OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
											OTF2_UNDEFINED_CALLING_CONTEXT));
	}
}

static void
write_regions(PhOtf2Definer *definer)
{
	if (definer->export->references.n_contexts > 0)
	{
		write_regions_of_contexts(definer);
		return;
	}
	for (uint32_t i = 0; i < definer->export->n_regions; i++)
		write_region(definer, &definer->export->regions[i], i);
}

/* ---- metrics and parameters ---- */

/* A scale is a power of two or of ten. */
static OTF2_Base
base_of(double scale, int64_t *exponent)
{
	int power;

	if (scale != 1 && frexp(scale, &power) == 0.5)
	{
		*exponent = power - 1;
		return OTF2_BASE_BINARY;
	}
	*exponent = scale > 0 ? lround(log10(scale)) : 0;
	return OTF2_BASE_DECIMAL;
}

static void
write_member(PhOtf2Definer *definer, const PhOtf2OutMetric *metric, uint32_t number)
{
	int64_t exponent;
	OTF2_Base base = base_of(metric->scale, &exponent);
	uint32_t name = ph_otf2_export_string(definer, metric->name);
	uint32_t unit = ph_otf2_export_string(definer, metric->unit);

	ph_otf2_export_note(definer->export, OTF2_GlobalDefWriter_WriteMetricMember(
											 definer->out, number, name, 0, OTF2_METRIC_TYPE_OTHER,
											 metric->is_accumulated ? OTF2_METRIC_ACCUMULATED_START
																	: OTF2_METRIC_ABSOLUTE_POINT,
											 metric->type, base, exponent, unit));
}

static void
write_metrics(PhOtf2Definer *definer)
{
	PhOtf2Export *export = definer->export;
	OTF2_MetricMemberRef members[UINT8_MAX];

	for (uint32_t i = 0; i < export->n_metrics; i++)
		write_member(definer, &export->metrics[i], i);
	for (uint32_t c = 0; c < export->n_classes; c++)
	{
		size_t n = export->classes[c + 1] - export->classes[c];

		for (size_t i = 0; i < n && i < UINT8_MAX; i++)
			members[i] = (OTF2_MetricMemberRef) (export->classes[c] + i);
		ph_otf2_export_note(export,
							OTF2_GlobalDefWriter_WriteMetricClass(
								definer->out, c, (uint8_t) (n < UINT8_MAX ? n : UINT8_MAX), members,
								OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_ABSTRACT));
	}
}

static void
write_parameters(PhOtf2Definer *definer)
{
	const PhOtf2Export *export = definer->export;

	for (uint32_t i = 0; i < export->references.n_parameters || i < export->n_parameters; i++)
	{
		const PhOtf2OutParameter none = {.name = NULL};
		const PhOtf2OutParameter *parameter =
			i < export->n_parameters ? &export->parameters[i] : &none;
		uint32_t name =
			ph_otf2_export_string(definer, parameter->name != NULL ? parameter->name : "");
		OTF2_ParameterType type = parameter->type == OTF2_TYPE_STRING  ? OTF2_PARAMETER_TYPE_STRING
								  : parameter->type == OTF2_TYPE_INT64 ? OTF2_PARAMETER_TYPE_INT64
																	   : OTF2_PARAMETER_TYPE_UINT64;

		ph_otf2_export_note(definer->export,
							OTF2_GlobalDefWriter_WriteParameter(definer->out, i, name, type));
	}
}

/* ---- communicators ---- */

static bool
knows_members(const PhOtf2OutComm *comm)
{
	for (uint32_t i = 0; i < comm->n_members; i++)
	{
		if (comm->members[i] < 0)
			return false;
	}
	return true;
}

/*
 * Processes by their rank. Threads, which the warehouse keeps as the ranks they are of, by
 * location; so are members of unknown rank.
 */
static void
write_group(PhOtf2Definer *definer, const PhOtf2OutComm *comm, uint32_t number, uint32_t name)
{
	PhOtf2Export *export = definer->export;
	bool is_global = !knows_members(comm);
	bool is_self = comm->is_mpi && comm->n_members == 0;
	uint64_t *members = ph_must_alloc((size_t) comm->n_members + 1, sizeof(*members));

	for (uint32_t i = 0; i < comm->n_members; i++)
	{
		int64_t rank = comm->members[i];

		members[i] = !is_global							   ? (uint64_t) rank
					 : rank < 0 || rank >= export->n_ranks ? OTF2_UNDEFINED_LOCATION
														   : export->rank_locations[rank];
	}
	ph_otf2_export_note(export,
						OTF2_GlobalDefWriter_WriteGroup(
							definer->out, number, name,
							is_self ? OTF2_GROUP_TYPE_COMM_SELF : OTF2_GROUP_TYPE_COMM_GROUP,
							comm->is_mpi ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_OPENMP,
							is_global ? OTF2_GROUP_FLAG_GLOBAL_MEMBERS : OTF2_GROUP_FLAG_NONE,
							comm->n_members, members));
	free(members);
}

/* A communicator and its group, or a window: those follow the communicators,
 * and have the ranks of theirs. */
static void
write_comm(PhOtf2Definer *definer, uint32_t number)
{
	PhOtf2Export *export = definer->export;
	const PhOtf2OutComm *comm = &export->comms[number];
	uint32_t name = ph_otf2_export_string(definer, comm->name != NULL ? comm->name : "");
	bool has_parent = comm->parent >= 0 && comm->parent < (int64_t) export->n_comms;

	if (number >= export->first_window)
	{
		ph_otf2_export_note(
			export, OTF2_GlobalDefWriter_WriteRmaWin(definer->out, number - export->first_window,
													 name, has_parent ? (uint32_t) comm->parent : 0,
													 OTF2_RMA_WIN_FLAG_NONE));
		return;
	}
	uint32_t group = definer->n_groups++;
	write_group(definer, comm, group, name);
	ph_otf2_export_note(export, OTF2_GlobalDefWriter_WriteComm(definer->out, number, name, group,
															   has_parent ? (uint32_t) comm->parent
																		  : OTF2_UNDEFINED_COMM,
															   OTF2_COMM_FLAG_NONE));
}

/* All ranks, for messages that name no communicator. */
static void
write_world(PhOtf2Definer *definer)
{
	PhOtf2Export *export = definer->export;
	PhOtf2OutComm world = {.is_mpi = true, .n_members = export->n_ranks};
	uint32_t number = (uint32_t) export->n_comms;
	uint32_t group = definer->n_groups++;

	world.members = ph_must_alloc((size_t) export->n_ranks + 1, sizeof(*world.members));
	for (uint32_t rank = 0; rank < export->n_ranks; rank++)
		world.members[rank] = rank;
	write_group(definer, &world, group, 0);
	ph_otf2_export_note(export,
						OTF2_GlobalDefWriter_WriteComm(definer->out, number, 0, group,
													   OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
	free(world.members);
}

/* The locations that teams of threads count; the warehouse keeps the ranks that they are of. */
static void
write_team_locations(PhOtf2Definer *definer)
{
	PhOtf2Export *export = definer->export;

	if (export->first_group > 1)
		ph_otf2_export_note(
			export, OTF2_GlobalDefWriter_WriteGroup(definer->out, definer->n_groups++, 0,
													OTF2_GROUP_TYPE_COMM_LOCATIONS,
													OTF2_PARADIGM_OPENMP, OTF2_GROUP_FLAG_NONE,
													export->n_ranks, export->rank_locations));
}

static void
write_comms(PhOtf2Definer *definer)
{
	write_team_locations(definer);
	for (uint32_t i = 0; i < definer->export->n_comms; i++)
		write_comm(definer, i);
	if (definer->export->needs_world)
		write_world(definer);
}

/* ---- all of them ---- */

void
ph_otf2_export_definitions(PhOtf2Export *export)
{
	PhOtf2Definer definer = {.export = export,
							 .out = OTF2_Archive_GetGlobalDefWriter(export->archive)};

	if (definer.out == NULL)
	{
		ph_otf2_export_note(export, OTF2_ERROR_INVALID);
		return;
	}
	ph_otf2_export_note(
		export, OTF2_GlobalDefWriter_WriteClockProperties(
					definer.out, 1000000000, 0, (uint64_t) export->last_time + 1, export->epoch));
	write_taken_strings(&definer);
	ph_otf2_export_string(&definer, "");
	write_attributes(&definer);
	write_regions(&definer);
	ph_otf2_export_places(&definer);
	write_comms(&definer);
	write_metrics(&definer);
	write_parameters(&definer);
	ph_otf2_export_note(export, OTF2_Archive_CloseGlobalDefWriter(export->archive, definer.out));
}
