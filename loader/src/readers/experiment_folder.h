/*
 * experiment_folder.h - which files of a folder make an experiment: what all readers list them
 * with.
 *
 * Names come in byte order, so that an experiment is the same whatever the file system's order. A
 * link to a file counts as the file. What is named like a file of the experiment, but is none, is
 * listed all the same: ph_input_open refuses it by name, which is better than a run that lacks it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_EXPERIMENT_FOLDER_H
#define PH_READERS_EXPERIMENT_FOLDER_H

#include <dirent.h>
#include <sys/types.h>

#include "readers/source.h"

/* Non-zero for an entry that is wanted, as scandir takes it. */
typedef int (*PhFolderFilter)(const struct dirent *entry);

/* Entries of a folder in byte order of their names. */
typedef struct PhFolder
{
	struct dirent **entries;
	int n;
} PhFolder;

/* The entries that are wanted; NULL: all but hidden ones. False: errno says why not; *out is empty.
 */
bool ph_folder_list(const char *path, PhFolderFilter wanted, PhFolder *out);

/* The same with an error that names the folder. */
PhStatus ph_folder_open(PhEnv *env, const char *path, PhFolderFilter wanted,
						PhFolder *out) PH_MUST_CHECK;
void ph_folder_close(PhFolder *folder);

/* Is just one entry wanted? */
bool ph_folder_has_only(const char *path, PhFolderFilter wanted);

/*
 * The anchor that path is, or that is the only one in the folder path; to be freed.
 * PH_ERR_NOT_FOUND when the folder has none any more; what: "archive has".
 */
PhStatus ph_folder_anchor(PhEnv *env, const char *path, PhFolderFilter wanted, const char *what,
						  char **anchor) PH_MUST_CHECK;

/* Is there such a regular file? directory: with its final '/', or "". */
bool ph_folder_has_file(const char *directory, const char *name);

/* The first bytes of a file, at most size, without waiting for the writer of a pipe; -1: errno. */
ssize_t ph_file_head(const char *path, uint8_t *head, size_t size);

/* Does it end so, with something before it? */
bool ph_has_suffix(const char *text, const char *suffix);

/* Append a path to the experiment's files. */
PhStatus ph_experiment_add(PhExperiment *experiment, const char *format, ...)
	PH_PRINTF(2, 3) PH_MUST_CHECK;

/* Append the entries that are wanted. */
PhStatus ph_experiment_add_all(PhEnv *env, PhExperiment *experiment, const char *folder,
							   PhFolderFilter wanted) PH_MUST_CHECK;

/* Bring its files into byte order. */
void ph_experiment_sort(PhExperiment *experiment);

#endif
