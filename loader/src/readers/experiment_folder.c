/*
 * experiment_folder.c - see experiment_folder.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/experiment_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "readers/input.h"

static int
is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int
by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

bool
ph_folder_list(const char *path, PhFolderFilter wanted, PhFolder *out)
{
	*out = (PhFolder){NULL, 0};
	out->n = scandir(path, &out->entries, wanted != NULL ? wanted : is_visible, by_bytes);
	if (out->n >= 0)
		return true;
	out->n = 0;
	return false;
}

PhStatus
ph_folder_open(PhEnv *env, const char *path, PhFolderFilter wanted, PhFolder *out)
{
	if (ph_folder_list(path, wanted, out))
		return PH_OK;
	return ph_fail_hint(env, ph_input_errno_status(errno),
						"Check the path and that this user may read it.",
						"%s: cannot list the directory: %s", path, strerror(errno));
}

void
ph_folder_close(PhFolder *folder)
{
	for (int i = 0; i < folder->n; i++)
		free(folder->entries[i]);
	free(folder->entries);
	*folder = (PhFolder){NULL, 0};
}

/* Path of the only entry that is wanted; NULL: there is none or several. */
static char *
only_entry(const char *path, PhFolderFilter wanted)
{
	PhFolder folder;
	char *only = NULL;

	if (ph_folder_list(path, wanted, &folder) && folder.n == 1 &&
		asprintf(&only, "%s/%s", path, folder.entries[0]->d_name) < 0)
		only = NULL;
	ph_folder_close(&folder);
	return only;
}

bool
ph_folder_has_only(const char *path, PhFolderFilter wanted)
{
	char *only = only_entry(path, wanted);
	bool found = only != NULL;

	free(only);
	return found;
}

PhStatus
ph_folder_anchor(PhEnv *env, const char *path, PhFolderFilter wanted, const char *what,
				 char **anchor)
{
	struct stat status;
	bool is_folder = stat(path, &status) == 0 && S_ISDIR(status.st_mode);

	*anchor = is_folder ? only_entry(path, wanted) : strdup(path);
	if (*anchor != NULL)
		return PH_OK;
	return is_folder ? ph_fail(env, PH_ERR_NOT_FOUND, "%s: its %s gone", path, what)
					 : ph_fail(env, PH_ERR_MEMORY, "out of memory");
}

bool
ph_folder_has_file(const char *directory, const char *name)
{
	struct stat status;
	char *path;
	bool found;

	if (asprintf(&path, "%s%s", directory, name) < 0)
		return false;
	found = stat(path, &status) == 0 && S_ISREG(status.st_mode);
	free(path);
	return found;
}

static ssize_t
read_up_to(int fd, uint8_t *bytes, size_t size)
{
	size_t done = 0;

	while (done < size)
	{
		ssize_t n = read(fd, bytes + done, size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		done += (size_t) n;
	}
	return (ssize_t) done;
}

ssize_t
ph_file_head(const char *path, uint8_t *head, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read_up_to(fd, head, size);
	close(fd);
	return n;
}

bool
ph_has_suffix(const char *text, const char *suffix)
{
	size_t length = strlen(text);
	size_t end = strlen(suffix);

	return length > end && strcmp(text + length - end, suffix) == 0;
}

/* The list has room for as many files as the next power of two says. */
static bool
make_room(PhExperiment *experiment)
{
	size_t n = experiment->n_files;
	char **files;

	if ((n & (n - 1)) != 0)
		return true;
	files = realloc(experiment->files, (n == 0 ? 1 : 2 * n) * sizeof(*files));
	if (files == NULL)
		return false;
	experiment->files = files;
	return true;
}

PhStatus
ph_experiment_add(PhEnv *env, PhExperiment *experiment, const char *format, ...)
{
	va_list arguments;
	char *path;
	int length;

	va_start(arguments, format);
	length = vasprintf(&path, format, arguments);
	va_end(arguments);
	if (length >= 0 && make_room(experiment))
	{
		experiment->files[experiment->n_files++] = path;
		return PH_OK;
	}
	if (length >= 0)
		free(path);
	return ph_fail(env, PH_ERR_MEMORY, "out of memory while listing \"%s\"", experiment->path);
}

PhStatus
ph_experiment_add_all(PhEnv *env, PhExperiment *experiment, const char *path, PhFolderFilter wanted)
{
	PhFolder folder;
	PhStatus status;

	PH_TRY(ph_folder_open(env, path, wanted, &folder));
	status = PH_OK;
	for (int i = 0; i < folder.n && status == PH_OK; i++)
		status = ph_experiment_add(env, experiment, "%s/%s", path, folder.entries[i]->d_name);
	ph_folder_close(&folder);
	return status;
}

static int
compare_paths(const void *a, const void *b)
{
	return strcmp(*(char *const *) a, *(char *const *) b);
}

void
ph_experiment_sort(PhExperiment *experiment)
{
	qsort(experiment->files, experiment->n_files, sizeof(char *), compare_paths);
}
