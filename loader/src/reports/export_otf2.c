/*
 * export_otf2.c - see export_otf2.h.
 *
 * The archive is written under another name, so a folder of the wanted name is complete.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "reports/export_otf2.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "readers/otf2/words.h"
#include "reports/export_otf2_internal.h"
#include "system/log.h"
#include "system/memory.h"

#define EVENT_CHUNK (1024 * 1024)
#define DEFINITION_CHUNK (4 * 1024 * 1024)

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

/* Each location has a file of definitions of its own, empty ones here. */
static void
write_local_definitions(PhOtf2Export *export)
{
	ph_otf2_export_note(export, OTF2_Archive_OpenDefFiles(export->archive));
	for (size_t i = 0; i < export->n_locations; i++)
	{
		OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(export->archive, (uint64_t) i);

		ph_otf2_export_note(export, OTF2_Archive_CloseDefWriter(export->archive, writer));
	}
	ph_otf2_export_note(export, OTF2_Archive_CloseDefFiles(export->archive));
}

/* What the archive says of itself. */
static void
write_anchor(PhOtf2Export *export)
{
	char ranks[24];

	ph_otf2_export_note(export, OTF2_Archive_SetCreator(export->archive, "perfhouse " PH_VERSION));
	ph_otf2_export_note(export, OTF2_Archive_SetProperty(export->archive, PH_OTF2_CLOCK_PROPERTY,
														 export->clock, true));
	snprintf(ranks, sizeof(ranks), "%" PRId64, export->n_run_ranks);
	ph_otf2_export_note(
		export, OTF2_Archive_SetProperty(export->archive, PH_OTF2_RANKS_PROPERTY, ranks, true));
	if (export->machine[0] != '\0')
		ph_otf2_export_note(export, OTF2_Archive_SetMachineName(export->archive, export->machine));
	if (export->description[0] != '\0')
		ph_otf2_export_note(export,
							OTF2_Archive_SetDescription(export->archive, export->description));
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
	write_anchor(export);
	code = ph_otf2_export_events(export);
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
		if (code == PH_EXIT_OK && export.n_unknown > 0)
			ph_log_warning("%s: %" PRIu64 " records whose kind nobody knows are left out", folder,
						   export.n_unknown);
		if (code != PH_EXIT_OK)
			remove_archive(temporary);
	}
	ph_otf2_export_free(&export);
	free(temporary);
	return code;
}
