/*
 * paths.c - where things are.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "system/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SMALL_FILE_MAX ((size_t) 1024 * 1024)
#define READ_AT_ONCE ((size_t) 16 * 1024)

bool
ph_path_exists(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0;
}

bool
ph_path_is_folder(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

char *
ph_path_executable_folder(void)
{
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *slash;

	if (length <= 0)
		return NULL;
	path[length] = '\0';
	slash = strrchr(path, '/');
	if (slash == NULL)
		return NULL;
	*(slash == path ? slash + 1 : slash) = '\0';
	return ph_strdup(path);
}

/* FOLDER/NAME when there is such a thing that this process may use as mode says. */
static char *
usable(const char *folder, const char *name, int mode)
{
	char *path = ph_format("%s/%s", folder, name);

	if (access(path, mode) == 0)
		return path;
	free(path);
	return NULL;
}

char *
ph_path_find_program(const char *name)
{
	const char *path = getenv("PATH");
	char *copy = ph_strdup(path != NULL ? path : "/usr/local/bin:/usr/bin:/bin");
	char *found = NULL;
	char *position = NULL;

	for (char *folder = strtok_r(copy, ":", &position); folder != NULL && found == NULL;
		 folder = strtok_r(NULL, ":", &position))
		found = usable(folder, name, X_OK);
	free(copy);
	return found;
}

char *
ph_path_sibling_program(const char *name)
{
	char *folder = ph_path_executable_folder();
	char *path = folder == NULL ? NULL : usable(folder, name, X_OK);

	free(folder);
	return path != NULL ? path : ph_path_find_program(name);
}

/* EXECUTABLE_FOLDER/suffix when it is a folder. */
static char *
beside_executable(const char *suffix)
{
	char *folder = ph_path_executable_folder();
	char *path;
	char *resolved = NULL;

	if (folder == NULL)
		return NULL;
	path = ph_format("%s/%s", folder, suffix);
	if (ph_path_is_folder(path))
		resolved = realpath(path, NULL);
	free(path);
	free(folder);
	return resolved;
}

char *
ph_path_stage(void)
{
	return beside_executable("../stage");
}

/* The user's own folder, from HOME or the password database. */
static const char *
user_folder(void)
{
	const char *home = getenv("HOME");
	const struct passwd *entry;

	if (home != NULL && *home == '/')
		return home;
	entry = getpwuid(getuid());
	return entry != NULL && entry->pw_dir != NULL ? entry->pw_dir : "/";
}

/* Absolute: PERFHOUSE_HOME may be relative to the working folder. */
static char *
absolute(const char *path)
{
	char folder[PATH_MAX];

	if (*path == '/' || getcwd(folder, sizeof(folder)) == NULL)
		return ph_strdup(path);
	return ph_format("%s/%s", folder, path);
}

char *
ph_path_home(void)
{
	const char *home = getenv("PERFHOUSE_HOME");
	const char *data = getenv("XDG_DATA_HOME");

	if (home != NULL && *home != '\0')
		return absolute(home);
	if (data != NULL && *data == '/')
		return ph_format("%s/perfhouse", data);
	return ph_format("%s/.local/share/perfhouse", user_folder());
}

char *
ph_path_settings(void)
{
	const char *folder = getenv("XDG_CONFIG_HOME");

	if (folder != NULL && *folder == '/')
		return ph_format("%s/perfhouse/perfhouse.conf", folder);
	return ph_format("%s/.config/perfhouse/perfhouse.conf", user_folder());
}

const char *
ph_path_temporary(void)
{
	const char *folder = getenv("TMPDIR");

	return folder != NULL && *folder != '\0' ? folder : "/tmp";
}

/* Keeps mkdir's reason. */
static bool
make_folder(const char *path, unsigned mode)
{
	int error;

	if (mkdir(path, mode) == 0)
		return true;
	error = errno;
	if (ph_path_is_folder(path))
		return true;
	errno = error;
	return false;
}

bool
ph_path_make_folders(const char *path, unsigned mode)
{
	char *copy = ph_strdup(path);
	bool ok = true;

	for (char *slash = strchr(copy + 1, '/'); slash != NULL && ok; slash = strchr(slash + 1, '/'))
	{
		*slash = '\0';
		ok = make_folder(copy, mode);
		*slash = '/';
	}
	ok = ok && make_folder(copy, mode);
	free(copy);
	return ok;
}

static int
remove_entry(const char *path, const struct stat *info, int type, struct FTW *position)
{
	(void) info;
	(void) type;
	(void) position;
	return remove(path);
}

void
ph_path_remove_folder(const char *path)
{
	if (ph_path_exists(path))
		nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

char *
ph_path_read_text(const char *path)
{
	return ph_path_read_long_text(path, SMALL_FILE_MAX);
}

/* Reads on until there is more than that, or no more; the bytes, with room for one behind them. */
static char *
read_stream(FILE *file, size_t most, size_t *size)
{
	char *text = NULL;
	size_t room = 0;

	*size = 0;
	do
	{
		room += room + READ_AT_ONCE;
		text = ph_must_resize(text, room + 1, 1);
		*size += fread(text + *size, 1, room - *size, file);
	} while (*size == room && *size <= most);
	return text;
}

char *
ph_path_read_long_text(const char *path, size_t most)
{
	FILE *file = fopen(path, "re");
	char *text;
	size_t size;
	int error;

	if (file == NULL)
		return NULL;
	text = read_stream(file, most, &size);
	error = ferror(file) ? errno : size > most ? EFBIG : 0;
	fclose(file);
	if (error == 0)
	{
		text[size] = '\0';
		return ph_must_resize(text, size + 1, 1);
	}
	free(text);
	errno = error;
	return NULL;
}

static bool
write_all(int file, const char *text, size_t size)
{
	while (size > 0)
	{
		ssize_t written = write(file, text, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return false;
		text += written;
		size -= (size_t) written;
	}
	return fsync(file) == 0;
}

bool
ph_path_write_text(const char *path, const char *text, unsigned mode)
{
	char *temporary = ph_format("%s.new", path);
	int file;
	bool ok;

	unlink(temporary);
	file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	ok = file >= 0 && write_all(file, text, strlen(text));
	if (file >= 0)
		ok = close(file) == 0 && ok;
	ok = ok && rename(temporary, path) == 0;
	if (!ok)
	{
		int error = errno;

		unlink(temporary);
		errno = error;
	}
	free(temporary);
	return ok;
}
