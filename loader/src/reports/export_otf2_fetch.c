/*
 * export_otf2_fetch.c - locations, regions, communicators and steps of a run, for an archive.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "queries.h"
#include "reports/export_otf2_internal.h"
#include "system/log.h"
#include "system/memory.h"

static const struct
{
	const char *name;
	OTF2_Paradigm paradigm;
} paradigms[] = {{"mpi", OTF2_PARADIGM_MPI},
				 {"user", OTF2_PARADIGM_USER},
				 {"compiler", OTF2_PARADIGM_COMPILER},
				 {"openmp", OTF2_PARADIGM_OPENMP},
				 {"pthread", OTF2_PARADIGM_PTHREAD},
				 {"cuda", OTF2_PARADIGM_CUDA},
				 {"measurement", OTF2_PARADIGM_MEASUREMENT_SYSTEM}};

static OTF2_Paradigm
paradigm_of(const char *name)
{
	for (size_t i = 0; i < sizeof(paradigms) / sizeof(*paradigms); i++)
	{
		if (strcmp(paradigms[i].name, name) == 0)
			return paradigms[i].paradigm;
	}
	return OTF2_PARADIGM_UNKNOWN;
}

/* Room for one more element of a growing array. */
static void *
add(void **items, size_t *n, size_t size)
{
	if ((*n & (*n - 1)) == 0)
		*items = ph_must_resize(*items, *n == 0 ? 1 : 2 * *n, size);
	memset((char *) *items + *n * size, 0, size);
	return (char *) *items + (*n)++ * size;
}

static void
meet_rank(PhOtf2Export *export, int64_t rank)
{
	if (rank >= 0 && rank < INT32_MAX && (uint32_t) rank >= export->n_ranks)
		export->n_ranks = (uint32_t) rank + 1;
}

static bool
take_location(void *user, const PhResult *row)
{
	PhOtf2Export *export = user;
	PhOtf2OutLocation *location =
		add((void **) &export->locations, &export->n_locations, sizeof(*location));

	location->id = ph_result_int(row, 0, 0);
	location->rank = ph_result_int(row, 0, 1);
	location->thread = ph_result_int(row, 0, 2);
	location->name = ph_strdup(ph_result_text(row, 0, 3));
	location->host = ph_strdup(ph_result_text(row, 0, 4));
	meet_rank(export, location->rank);
	return true;
}

static bool
take_region(void *user, const PhResult *row)
{
	PhOtf2Export *export = user;
	PhOtf2OutRegion *region = add((void **) &export->regions, &export->n_regions, sizeof(*region));

	region->name = ph_strdup(ph_result_text(row, 0, 0));
	region->paradigm = paradigm_of(ph_result_text(row, 0, 1));
	region->file = ph_strdup(ph_result_text(row, 0, 2));
	region->line = (uint32_t) ph_result_int(row, 0, 3);
	return true;
}

/* The communicator with this number; those before it that do not exist are without members. */
static PhOtf2OutComm *
find_comm(PhOtf2Export *export, int64_t number)
{
	while ((int64_t) export->n_comms <= number)
		add((void **) &export->comms, &export->n_comms, sizeof(PhOtf2OutComm));
	return &export->comms[number];
}

static bool
take_member(void *user, const PhResult *row)
{
	PhOtf2Export *export = user;
	PhOtf2OutComm *comm = find_comm(export, ph_result_int(row, 0, 0));

	if (comm->name == NULL)
	{
		comm->name = ph_strdup(ph_result_text(row, 0, 1));
		comm->is_mpi = ph_result_bool(row, 0, 2);
		comm->parent = ph_result_int(row, 0, 3);
		comm->members = ph_must_alloc((size_t) ph_result_int(row, 0, 4) + 1, sizeof(uint64_t));
	}
	if (ph_result_is_null(row, 0, 5))
		return true;
	comm->members[comm->n_members++] = (uint64_t) ph_result_int(row, 0, 5);
	meet_rank(export, ph_result_int(row, 0, 5));
	return true;
}

static bool
take_step(void *user, const PhResult *row)
{
	PhOtf2Export *export = user;
	PhOtf2OutStep *step = add((void **) &export->steps, &export->n_steps, sizeof(*step));
	const char *region = ph_result_text(row, 0, 1);

	*step = (PhOtf2OutStep){
		.location = ph_result_int(row, 0, 0),
		.region = region != NULL ? ph_otf2_export_region(export, region) : UINT32_MAX,
		.enter = ph_result_int(row, 0, 2),
		.leave = ph_result_int(row, 0, 3),
		.phase = (uint32_t) ph_result_int(row, 0, 4),
		.step = (uint32_t) ph_result_int(row, 0, 5),
		.lateness = ph_result_int(row, 0, 6),
		.differential = ph_result_int(row, 0, 7),
	};
	return true;
}

static int
compare_region(const void *name, const void *region)
{
	return strcmp(name, ((const PhOtf2OutRegion *) region)->name);
}

uint32_t
ph_otf2_export_region(const PhOtf2Export *export, const char *name)
{
	const PhOtf2OutRegion *found = NULL;

	if (export->n_regions > 0)
		found = bsearch(name, export->regions, export->n_regions, sizeof(*found), compare_region);
	return found == NULL ? UINT32_MAX : (uint32_t) (found - export->regions);
}

static PhExit
no_trace(const PhOtf2Export *export)
{
	ph_log_error("run %" PRId64 " does not exist or has no trace of processes", export->run_id);
	ph_log_hint("\"perfhouse runs\" lists the runs.");
	return PH_EXIT_NOT_FOUND;
}

PhExit
ph_otf2_export_fetch(PhOtf2Export *export)
{
	const struct
	{
		const char *sql;
		bool (*each)(void *user, const PhResult *row);
	} parts[] = {{ph_sql_export_otf2_locations, take_location},
				 {ph_sql_export_otf2_regions, take_region},
				 {ph_sql_export_otf2_communicators, take_member},
				 {ph_sql_export_otf2_steps, take_step}};
	PhParam run_id = ph_param_int(export->run_id);

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
	{
		if (i > 0 && export->n_locations == 0)
			return no_trace(export);
		if (!ph_pq_stream(export->connection, parts[i].sql, &run_id, 1, parts[i].each, export))
			return ph_pq_log_error(export->connection, "export");
	}
	return PH_EXIT_OK;
}

void
ph_otf2_export_free(PhOtf2Export *export)
{
	for (size_t i = 0; i < export->n_locations; i++)
	{
		free(export->locations[i].name);
		free(export->locations[i].host);
	}
	for (size_t i = 0; i < export->n_regions; i++)
	{
		free(export->regions[i].name);
		free(export->regions[i].file);
	}
	for (size_t i = 0; i < export->n_comms; i++)
	{
		free(export->comms[i].name);
		free(export->comms[i].members);
		free(export->comms[i].rank_of);
	}
	free(export->locations);
	free(export->regions);
	free(export->comms);
	free(export->steps);
}
