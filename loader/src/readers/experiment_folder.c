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

#include "base/vector.h"
#include "readers/input.h"
#include "system/memory.h"

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

	if (ph_folder_list(path, wanted, &folder) && folder.n == 1)
		only = ph_format("%s/%s", path, folder.entries[0]->d_name);
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

	*anchor = is_folder ? only_entry(path, wanted) : ph_strdup(path);
	return *anchor != NULL ? PH_OK : ph_fail(env, PH_ERR_NOT_FOUND, "%s: its %s gone", path, what);
}

bool
ph_folder_has_file(const char *directory, const char *name)
{
	struct stat status;
	char *path = ph_format("%s%s", directory, name);
	bool found;

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
	ssize_t n, mark;

	if (fd < 0)
		return -1;
	n = read_up_to(fd, head, size);
	close(fd);
	mark = n > 0 ? (ssize_t) ph_order_mark(head, (size_t) n) : 0;
	if (mark > 0)
		memmove(head, head + mark, (size_t) (n - mark));
	return n - mark;
}

bool
ph_has_suffix(const char *text, const char *suffix)
{
	size_t length = strlen(text);
	size_t end = strlen(suffix);

	return length > end && strcmp(text + length - end, suffix) == 0;
}

PhStatus
ph_experiment_add(PhExperiment *experiment, const char *format, ...)
{
	va_list arguments;
	char *path;
	PhStatus status;

	PH_TRY(
		PH_GROW(experiment->arena, &experiment->files, experiment->n_files, &experiment->capacity));
	va_start(arguments, format);
	path = ph_format_list(format, arguments);
	va_end(arguments);
	status = ph_arena_strndup(experiment->arena, path, strlen(path),
							  &experiment->files[experiment->n_files]);
	free(path);
	experiment->n_files += status == PH_OK;
	return status;
}

PhStatus
ph_experiment_add_all(PhEnv *env, PhExperiment *experiment, const char *path, PhFolderFilter wanted)
{
	PhFolder folder;
	PhStatus status;

	PH_TRY(ph_folder_open(env, path, wanted, &folder));
	status = PH_OK;
	for (int i = 0; i < folder.n && status == PH_OK; i++)
		status = ph_experiment_add(experiment, "%s/%s", path, folder.entries[i]->d_name);
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
