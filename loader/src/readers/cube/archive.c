/*
 * archive.c - members of a .cubex archive, one after the other, through libarchive.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <archive.h>
#include <archive_entry.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "readers/cube/cube.h"
#include "system/memory.h"

static const char damage_hint[] =
	"The file is damaged or was cut off. Score-P 8 writes damaged archives when it compresses "
	"(CUBEW_ZLIB_COMPRESSION): measure again without that setting.";

/* An error of libarchive; a message of its own when it gives none. */
static PhStatus
archive_failed(const PhCube *cube, struct archive *archive, const char *where)
{
	const char *message = archive_error_string(archive);
	return ph_fail_hint(cube->env, PH_ERR_FORMAT, damage_hint, "%s: %s%sbyte %lld: %s",
						cube->input->path, where, where[0] != '\0' ? ": " : "",
						(long long) archive_filter_bytes(archive, -1),
						message != NULL ? message : "the archive cannot be read");
}

PhStatus
ph_cube_fail(const PhCubeMember *member, PhStatus status, uint64_t offset, const char *format, ...)
{
	char message[PH_ERROR_MAX];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	return ph_fail(member->cube->env, status, "%s: %s: offset %llu: %s", member->cube->input->path,
				   member->name, (unsigned long long) offset, message);
}

PhStatus
ph_cube_read(PhCubeMember *member, void *bytes, size_t size, size_t *got)
{
	PhCube *cube = member->cube;
	*got = 0;
	while (*got < size)
	{
		la_ssize_t n = archive_read_data(member->archive, (char *) bytes + *got, size - *got);
		if (n < 0)
			return archive_failed(cube, member->archive, member->name);
		if (n == 0)
			break;
		*got += (size_t) n;
	}
	member->offset += *got;
	ph_input_passed(cube->input, (size_t) archive_filter_bytes(member->archive, -1), cube->options);
	return ph_env_poll(cube->env);
}

PhStatus
ph_cube_read_all(PhCubeMember *member, void *bytes, size_t size)
{
	size_t got;
	uint64_t start = member->offset;
	PH_TRY(ph_cube_read(member, bytes, size, &got));
	if (got == size)
		return PH_OK;
	return ph_cube_fail(member, PH_ERR_FORMAT, member->offset,
						"the member ends here, but %zu bytes are needed from offset %llu on", size,
						(unsigned long long) start);
}

static PhStatus
visit_entry(PhCube *cube, struct archive *archive, struct archive_entry *entry, PhCubeVisit visit)
{
	PhCubeMember member = {.cube = cube, .archive = archive};
	const char *name = archive_entry_pathname(entry);
	if (name == NULL || archive_entry_filetype(entry) != AE_IFREG)
		return PH_OK;
	if (strncmp(name, "./", 2) == 0)
		name += 2;
	if (strlen(name) >= sizeof(member.name))
		return PH_OK;
	snprintf(member.name, sizeof(member.name), "%s", name);
	member.size = archive_entry_size_is_set(entry) ? (uint64_t) archive_entry_size(entry) : 0;
	return visit(&member);
}

static PhStatus
visit_all(PhCube *cube, struct archive *archive, PhCubeVisit visit)
{
	struct archive_entry *entry;
	if (archive_read_open_memory(archive, cube->input->data, cube->input->size) != ARCHIVE_OK)
		return archive_failed(cube, archive, "");
	for (;;)
	{
		int result = archive_read_next_header(archive, &entry);
		if (result == ARCHIVE_EOF)
			return PH_OK;
		if (result != ARCHIVE_OK && result != ARCHIVE_WARN)
			return archive_failed(cube, archive, "");
		PH_TRY(visit_entry(cube, archive, entry, visit));
		PH_TRY(ph_env_poll(cube->env));
	}
}

PhStatus
ph_cube_pass(PhCube *cube, PhCubeVisit visit)
{
	struct archive *archive = archive_read_new();
	if (archive == NULL)
		return ph_fail_memory(cube->env, "libarchive");
	archive_read_support_filter_gzip(archive);
	archive_read_support_format_tar(archive);
	cube->input->dropped = 0;
	PhStatus status = visit_all(cube, archive, visit);
	archive_read_free(archive);
	return status;
}
