/*
 * bundle.c - see bundle.h.
 *
 * What is in an archive comes from strangers: a member is written only below the new folder, where
 * nothing but this makes anything, and no link is made that a later member could go through.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/bundle.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "profile/flat.h"
#include "readers/input.h"
#include "system/memory.h"
#include "system/paths.h"

#define MOST_MEMBERS 100000
#define MOST_BYTES ((uint64_t) 8 << 30)
#define BLOCK_SIZE ((size_t) 64 << 10)

typedef struct Unpacking
{
	PhEnv *env;
	const char *path;	/* of the bundle */
	const char *folder; /* where it goes */
	struct archive *archive;
	uint64_t n_members, n_bytes;
} Unpacking;

bool
ph_is_bundle(const char *path)
{
	static const char *const ends[] = {".zip",	  ".tar",	 ".tgz",	 ".txz",
									   ".tar.gz", ".tar.xz", ".tar.bz2", ".tar.zst"};
	size_t length = strlen(path);

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
	{
		size_t size = strlen(ends[i]);

		if (length > size && strcasecmp(path + length - size, ends[i]) == 0)
			return true;
	}
	return false;
}

static PhStatus
fail_archive(const Unpacking *unpacking)
{
	const char *message = archive_error_string(unpacking->archive);

	return ph_fail(unpacking->env, PH_ERR_FORMAT, "%s: byte %lld: %s", unpacking->path,
				   (long long) archive_filter_bytes(unpacking->archive, -1),
				   message != NULL ? message : "the archive cannot be read");
}

/* Running out of disk is of this machine, not of the bundle. */
static PhStatus
fail_write(const Unpacking *unpacking, const char *file)
{
	return ph_fail(unpacking->env, PH_ERR_UNREADABLE, "%s: unpacking to %s: %s", unpacking->path,
				   file, strerror(errno));
}

/* Relative, and without a step up. */
static bool
stays_below(const char *name)
{
	while (*name != '\0')
	{
		size_t length = strcspn(name, "/");

		if (length == 0 || (length == 2 && strncmp(name, "..", 2) == 0))
			return false;
		name += length;
		name += *name == '/';
	}
	return true;
}

static PhStatus
copy_data(Unpacking *unpacking, int fd, const char *file)
{
	char block[BLOCK_SIZE];
	la_ssize_t n;

	while ((n = archive_read_data(unpacking->archive, block, sizeof(block))) > 0)
	{
		unpacking->n_bytes += (uint64_t) n;
		if (unpacking->n_bytes > MOST_BYTES)
			return ph_fail(unpacking->env, PH_ERR_LIMIT, "%s: more than %d GB when unpacked",
						   unpacking->path, (int) (MOST_BYTES >> 30));
		for (la_ssize_t done = 0; done < n;)
		{
			ssize_t written = write(fd, block + done, (size_t) (n - done));

			if (written < 0 && errno != EINTR)
				return fail_write(unpacking, file);
			done += written > 0 ? written : 0;
		}
		PH_TRY(ph_env_poll_now(unpacking->env));
	}
	return n < 0 ? fail_archive(unpacking) : PH_OK;
}

static PhStatus
write_member(Unpacking *unpacking, const char *file)
{
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	PhStatus status;

	if (fd < 0)
		return fail_write(unpacking, file);
	status = copy_data(unpacking, fd, file);
	if (close(fd) != 0 && status == PH_OK)
		status = fail_write(unpacking, file);
	return status;
}

static PhStatus
unpack_member(Unpacking *unpacking, struct archive_entry *entry)
{
	const char *name = archive_entry_pathname(entry);
	char *file, *slash;
	PhStatus status;

	if (name != NULL && strncmp(name, "./", 2) == 0)
		name += 2;
	if (++unpacking->n_members > MOST_MEMBERS)
		return ph_fail(unpacking->env, PH_ERR_LIMIT, "%s: more than %d members", unpacking->path,
					   MOST_MEMBERS);
	if (name == NULL || archive_entry_filetype(entry) != AE_IFREG)
		return PH_OK;
	if (!stays_below(name))
		return ph_fail(unpacking->env, PH_ERR_FORMAT, "%s: the member \"%.200s\" is not below it",
					   unpacking->path, name);
	file = ph_format("%s/%s", unpacking->folder, name);
	slash = strrchr(file, '/');
	*slash = '\0';
	status = ph_path_make_folders(file, 0700) ? PH_OK : fail_write(unpacking, file);
	*slash = '/';
	if (status == PH_OK)
		status = write_member(unpacking, file);
	free(file);
	return status;
}

static PhStatus
unpack_all(Unpacking *unpacking)
{
	struct archive_entry *entry;

	if (archive_read_open_filename(unpacking->archive, unpacking->path, BLOCK_SIZE) != ARCHIVE_OK)
		return fail_archive(unpacking);
	for (;;)
	{
		int result = archive_read_next_header(unpacking->archive, &entry);

		if (result == ARCHIVE_EOF)
			return PH_OK;
		if (result != ARCHIVE_OK && result != ARCHIVE_WARN)
			return fail_archive(unpacking);
		PH_TRY(unpack_member(unpacking, entry));
	}
}

static PhStatus
unpack_into(PhEnv *env, const char *path, const char *folder)
{
	Unpacking unpacking = {env, path, folder, archive_read_new(), 0, 0};
	PhStatus status;

	if (unpacking.archive == NULL)
		return ph_fail_memory(env, "libarchive");
	archive_read_support_filter_all(unpacking.archive);
	archive_read_support_format_tar(unpacking.archive);
	archive_read_support_format_zip(unpacking.archive);
	status = unpack_all(&unpacking);
	archive_read_free(unpacking.archive);
	return status;
}

PhStatus
ph_bundle_unpack(PhEnv *env, const char *path, char **folder)
{
	char *made = ph_format("%s/perfhouse-XXXXXX", ph_path_temporary());
	PhStatus status;

	if (mkdtemp(made) == NULL)
		status = ph_fail(env, PH_ERR_UNREADABLE, "%s: %s", made, strerror(errno));
	else
	{
		status = unpack_into(env, path, made);
		if (status != PH_OK)
			ph_path_remove_folder(made);
	}
	if (status == PH_OK)
		*folder = made;
	else
		free(made);
	return status;
}

PhStatus
ph_bundled_profile_read(PhEnv *env, const char *path, PhProfile **out)
{
	PhInput input;
	PhStatus status;

	PH_TRY(ph_input_open(env, path, &input));
	status = ph_profile_unflatten(env, input.data, input.size, out);
	if (status != PH_OK)
	{
		char *why = ph_strdup(env->error.message);

		status = ph_fail(env, status, "%s: %s", path, why);
		free(why);
	}
	ph_input_close(&input);
	return status;
}
