/*
 * export_otf2.c - see export_otf2.h.
 *
 * Events come ordered by location, so one event writer is open at a time. The archive is written
 * under another name, so a folder of the wanted name is complete.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "reports/export_otf2.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "queries.h"
#include "reports/export_otf2_internal.h"
#include "system/log.h"
#include "system/memory.h"
#include "trace/chunk/model.h"

#define EVENT_CHUNK (1024 * 1024)
#define DEFINITION_CHUNK (4 * 1024 * 1024)

enum EventColumn
{
	LOCATION,
	TIME,
	KIND,
	REGION,
	PEER,
	TAG,
	BYTES,
	COMMUNICATOR,
	REQUEST,
	OPERATION,
	ROOT,
	RECEIVED
};

/* ---- attributes ---- */

static void
set_attributes(PhOtf2Export *export, const PhOtf2OutStep *step)
{
	OTF2_AttributeList *list = export->attributes;

	ph_otf2_export_note(export,
						OTF2_AttributeList_AddUint64(list, PH_ATTRIBUTE_PHASE, step->phase));
	ph_otf2_export_note(export, OTF2_AttributeList_AddUint64(list, PH_ATTRIBUTE_STEP, step->step));
	ph_otf2_export_note(export,
						OTF2_AttributeList_AddInt64(list, PH_ATTRIBUTE_LATENESS, step->lateness));
	ph_otf2_export_note(
		export, OTF2_AttributeList_AddInt64(list, PH_ATTRIBUTE_DIFFERENTIAL, step->differential));
}

/* The event of a call of the region at this time: the first that there is, or the last. */
static const PhOtf2OutStep *
find_step(PhOtf2Export *export, int64_t time, uint32_t region, bool last)
{
	const PhOtf2OutStep *found = NULL;

	while (export->step < export->n_steps &&
		   (export->steps[export->step].location < export->location->id ||
			(export->steps[export->step].location == export->location->id &&
			 export->steps[export->step].leave < time)))
		export->step++;
	for (size_t i = export->step; i < export->n_steps; i++)
	{
		const PhOtf2OutStep *step = &export->steps[i];

		if (step->location != export->location->id || step->enter > time)
			break;
		if (step->region == region && (found == NULL || last))
			found = step;
	}
	return found;
}

/* ---- events ---- */

static void
write_call(PhOtf2Export *export, const PhResult *row, bool is_enter)
{
	const char *name = ph_result_text(row, 0, REGION);
	uint32_t region = name != NULL ? ph_otf2_export_region(export, name) : UINT32_MAX;
	int64_t time = ph_result_int(row, 0, TIME);
	const PhOtf2OutStep *step = find_step(export, time, region, !is_enter);
	OTF2_AttributeList *attributes = step != NULL ? export->attributes : NULL;

	if (step != NULL)
		set_attributes(export, step);
	ph_otf2_export_note(
		export, is_enter
					? OTF2_EvtWriter_Enter(export->writer, attributes, (uint64_t) time, region)
					: OTF2_EvtWriter_Leave(export->writer, attributes, (uint64_t) time, region));
}

/* A world rank's rank in the communicator; of those that every process has for itself, 0. */
static uint32_t
rank_in(PhOtf2Export *export, int64_t number, const PhResult *row, int column, uint32_t otherwise)
{
	int64_t world = ph_result_int(row, 0, (size_t) column);

	if (ph_result_is_null(row, 0, (size_t) column))
		return otherwise;
	if (number < 0 || number >= (int64_t) export->n_comms || world < 0 ||
		world >= (int64_t) export->n_ranks)
		return 0;
	PhOtf2OutComm *comm = &export->comms[number];
	if (comm->rank_of == NULL)
	{
		comm->rank_of = ph_must_alloc((size_t) export->n_ranks + 1, sizeof(uint32_t));
		for (uint32_t i = 0; i < comm->n_members; i++)
		{
			if (comm->members[i] < export->n_ranks)
				comm->rank_of[comm->members[i]] = i;
		}
	}
	return comm->rank_of[world];
}

static uint32_t
operation_of(const char *name)
{
	uint32_t operation = 0;

	while (operation < PH_COLLECTIVE_COUNT && strcmp(ph_collective_name(operation), name) != 0)
		operation++;
	return operation;
}

static OTF2_ErrorCode
write_message(PhOtf2Export *export, const PhResult *row, const char *kind)
{
	OTF2_EvtWriter *out = export->writer;
	uint64_t time = (uint64_t) ph_result_int(row, 0, TIME);
	int64_t number = ph_result_int(row, 0, COMMUNICATOR);
	uint32_t comm = (uint32_t) number;
	uint32_t peer = rank_in(export, number, row, PEER, 0);
	uint32_t tag = (uint32_t) ph_result_int(row, 0, TAG);
	uint64_t bytes = (uint64_t) ph_result_int(row, 0, BYTES);
	uint64_t request = (uint64_t) ph_result_int(row, 0, REQUEST);

	if (strcmp(kind, "MPI_SEND") == 0)
		return OTF2_EvtWriter_MpiSend(out, NULL, time, peer, comm, tag, bytes);
	if (strcmp(kind, "MPI_RECV") == 0)
		return OTF2_EvtWriter_MpiRecv(out, NULL, time, peer, comm, tag, bytes);
	if (strcmp(kind, "MPI_ISEND") == 0)
		return OTF2_EvtWriter_MpiIsend(out, NULL, time, peer, comm, tag, bytes, request);
	return OTF2_EvtWriter_MpiIrecv(out, NULL, time, peer, comm, tag, bytes, request);
}

static OTF2_ErrorCode
write_request(PhOtf2Export *export, const PhResult *row, const char *kind)
{
	OTF2_EvtWriter *out = export->writer;
	uint64_t time = (uint64_t) ph_result_int(row, 0, TIME);
	uint64_t request = (uint64_t) ph_result_int(row, 0, REQUEST);

	if (strcmp(kind, "MPI_ISEND_COMPLETE") == 0)
		return OTF2_EvtWriter_MpiIsendComplete(out, NULL, time, request);
	if (strcmp(kind, "MPI_IRECV_REQUEST") == 0)
		return OTF2_EvtWriter_MpiIrecvRequest(out, NULL, time, request);
	if (strcmp(kind, "MPI_REQUEST_TEST") == 0)
		return OTF2_EvtWriter_MpiRequestTest(out, NULL, time, request);
	if (strcmp(kind, "MPI_REQUEST_CANCELLED") == 0)
		return OTF2_EvtWriter_MpiRequestCancelled(out, NULL, time, request);
	return OTF2_EvtWriter_NonBlockingCollectiveRequest(out, NULL, time, request);
}

static OTF2_ErrorCode
write_collective(PhOtf2Export *export, const PhResult *row, const char *kind)
{
	OTF2_EvtWriter *out = export->writer;
	uint64_t time = (uint64_t) ph_result_int(row, 0, TIME);
	const char *name = ph_result_text(row, 0, OPERATION);
	OTF2_CollectiveOp operation = (OTF2_CollectiveOp) operation_of(name != NULL ? name : "");
	int64_t number = ph_result_int(row, 0, COMMUNICATOR);
	uint32_t comm = (uint32_t) number;
	uint32_t root = rank_in(export, number, row, ROOT, OTF2_COLLECTIVE_ROOT_NONE);
	uint64_t sent = (uint64_t) ph_result_int(row, 0, BYTES);
	uint64_t received = (uint64_t) ph_result_int(row, 0, RECEIVED);

	if (strcmp(kind, "MPI_COLLECTIVE_BEGIN") == 0)
		return OTF2_EvtWriter_MpiCollectiveBegin(out, NULL, time);
	if (strcmp(kind, "MPI_COLLECTIVE_END") == 0)
		return OTF2_EvtWriter_MpiCollectiveEnd(out, NULL, time, operation, comm, root, sent,
											   received);
	return OTF2_EvtWriter_NonBlockingCollectiveComplete(out, NULL, time, operation, comm, root,
														sent, received,
														(uint64_t) ph_result_int(row, 0, REQUEST));
}

static void
write_event(PhOtf2Export *export, const PhResult *row)
{
	static const char *const messages[] = {"MPI_SEND", "MPI_RECV", "MPI_ISEND", "MPI_IRECV"};
	const char *kind = ph_result_text(row, 0, KIND);

	if (strcmp(kind, "ENTER") == 0 || strcmp(kind, "LEAVE") == 0)
	{
		write_call(export, row, kind[0] == 'E');
		return;
	}
	for (size_t i = 0; i < sizeof(messages) / sizeof(*messages); i++)
	{
		if (strcmp(kind, messages[i]) == 0)
		{
			ph_otf2_export_note(export, write_message(export, row, kind));
			return;
		}
	}
	ph_otf2_export_note(export, strstr(kind, "COLLECTIVE") != NULL &&
										strcmp(kind, "NON_BLOCKING_COLLECTIVE_REQUEST") != 0
									? write_collective(export, row, kind)
									: write_request(export, row, kind));
}

static void
end_location(PhOtf2Export *export)
{
	if (export->writer == NULL)
		return;
	ph_otf2_export_note(
		export, OTF2_EvtWriter_GetNumberOfEvents(export->writer, &export->location->n_events));
	ph_otf2_export_note(export, OTF2_Archive_CloseEvtWriter(export->archive, export->writer));
	export->writer = NULL;
}

static int
compare_location(const void *id, const void *location)
{
	int64_t x = *(const int64_t *) id, y = ((const PhOtf2OutLocation *) location)->id;

	return x < y ? -1 : x > y;
}

static bool
take_event(void *user, const PhResult *row)
{
	PhOtf2Export *export = user;
	int64_t id = ph_result_int(row, 0, LOCATION);

	if (export->location == NULL || export->location->id != id)
	{
		end_location(export);
		export->location = bsearch(&id, export->locations, export->n_locations,
								   sizeof(*export->locations), compare_location);
		if (export->location == NULL)
			return true;
		export->writer = OTF2_Archive_GetEvtWriter(export->archive, (uint64_t) id);
		if (export->writer == NULL)
			ph_otf2_export_note(export, OTF2_ERROR_INVALID);
	}
	if (export->writer != NULL)
		write_event(export, row);
	if (ph_result_int(row, 0, TIME) > export->last_time)
		export->last_time = ph_result_int(row, 0, TIME);
	return export->error == OTF2_SUCCESS;
}

/* ---- the archive ---- */

static OTF2_FlushType
before_flush(void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
	(void) user;
	(void) type;
	(void) location;
	(void) caller;
	(void) final;
	return OTF2_FLUSH;
}

static PhExit
archive_failed(const PhOtf2Export *export, const char *folder)
{
	ph_log_error("%s: cannot write the archive: %s", folder,
				 OTF2_Error_GetDescription(export->error));
	return PH_EXIT_UNREADABLE;
}

static PhExit
write_events(PhOtf2Export *export)
{
	PhParam run_id = ph_param_int(export->run_id);

	ph_otf2_export_note(export, OTF2_Archive_OpenEvtFiles(export->archive));
	export->attributes = OTF2_AttributeList_New();
	bool streamed =
		ph_pq_stream(export->connection, ph_sql_export_otf2_events, &run_id, 1, take_event, export);
	end_location(export);
	OTF2_AttributeList_Delete(export->attributes);
	ph_otf2_export_note(export, OTF2_Archive_CloseEvtFiles(export->archive));
	if (!streamed && export->connection->error.code != PH_EXIT_OK)
		return ph_pq_log_error(export->connection, "export");
	return PH_EXIT_OK;
}

/* Each location has a file of definitions of its own, empty ones here. */
static void
write_local_definitions(PhOtf2Export *export)
{
	ph_otf2_export_note(export, OTF2_Archive_OpenDefFiles(export->archive));
	for (size_t i = 0; i < export->n_locations; i++)
	{
		OTF2_DefWriter *writer =
			OTF2_Archive_GetDefWriter(export->archive, (uint64_t) export->locations[i].id);

		ph_otf2_export_note(export, OTF2_Archive_CloseDefWriter(export->archive, writer));
	}
	ph_otf2_export_note(export, OTF2_Archive_CloseDefFiles(export->archive));
}

static PhExit
write_archive(PhOtf2Export *export, const char *folder)
{
	static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = before_flush};
	PhExit code;

	export->archive =
		OTF2_Archive_Open(folder, "traces", OTF2_FILEMODE_WRITE, EVENT_CHUNK, DEFINITION_CHUNK,
						  OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	if (export->archive == NULL)
	{
		export->error = OTF2_ERROR_INVALID;
		return archive_failed(export, folder);
	}
	ph_otf2_export_note(export, OTF2_Archive_SetFlushCallbacks(export->archive, &flush, NULL));
	ph_otf2_export_note(export, OTF2_Archive_SetSerialCollectiveCallbacks(export->archive));
	ph_otf2_export_note(export, OTF2_Archive_SetCreator(export->archive, "perfhouse " PH_VERSION));
	code = write_events(export);
	if (code == PH_EXIT_OK)
	{
		ph_otf2_export_definitions(export);
		write_local_definitions(export);
	}
	ph_otf2_export_note(export, OTF2_Archive_Close(export->archive));
	return code == PH_EXIT_OK && export->error != OTF2_SUCCESS ? archive_failed(export, folder)
															   : code;
}

/* ---- the folder ---- */

/* Files of a folder; folders in it stay. */
static void
remove_files(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir != NULL && (entry = readdir(dir)) != NULL)
	{
		char *path = ph_format("%s/%s", folder, entry->d_name);

		unlink(path);
		free(path);
	}
	if (dir != NULL)
		closedir(dir);
	rmdir(folder);
}

static void
remove_archive(const char *folder)
{
	char *events = ph_format("%s/traces", folder);

	remove_files(events);
	remove_files(folder);
	free(events);
}

static PhExit
put_in_place(const char *temporary, const char *folder)
{
	if (rename(temporary, folder) == 0)
		return PH_EXIT_OK;
	ph_log_write_error(folder, errno);
	return ph_exit_from_errno(errno);
}

PhExit
ph_export_otf2(PhConnection *connection, int64_t run_id, const char *folder)
{
	PhOtf2Export export = {.connection = connection, .run_id = run_id, .folder = folder};
	char *temporary = ph_format("%s.part", folder);
	struct stat there;
	PhExit code;

	if (stat(folder, &there) == 0)
	{
		ph_log_error("%s: there is something already", folder);
		ph_log_hint("Name a folder that does not exist.");
		code = PH_EXIT_USAGE;
	}
	else
		code = ph_otf2_export_fetch(&export);
	if (code == PH_EXIT_OK)
	{
		remove_archive(temporary);
		code = write_archive(&export, temporary);
		if (code == PH_EXIT_OK)
			code = put_in_place(temporary, folder);
		if (code != PH_EXIT_OK)
			remove_archive(temporary);
	}
	ph_otf2_export_free(&export);
	free(temporary);
	return code;
}
