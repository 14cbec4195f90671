/*
 * fuzz_folder.c - whatever a folder holds: which files are experiments, and each of them by its
 * reader. The input is the folder's files (members.h); "/" in a name is a folder within it.
 *
 * Archives of OTF2 are only found: libotf2 itself does not bear damaged files.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>

#include "pipeline/trace/read.h"
#include "readers/experiment_folder.h"
#include "readers/input.h"

#include "members.h"
#include "options.h"
#include "private_folder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* No name leads out of the folder: one that has ".." is no file. */
static void
write_member(const TarMember *member)
{
	char path[sizeof(folder) + NAME_SIZE + 8];
	int file;

	if (strstr(member->name, "..") != NULL)
		return;
	snprintf(path, sizeof(path), "%s/run/%s", folder, member->name);
	for (char *slash = path + sizeof(folder) + 4; (slash = strchr(slash, '/')) != NULL; slash++)
	{
		*slash = '\0';
		(void) mkdir(path, 0700);
		*slash = '/';
	}
	file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (file < 0)
		return;
	if (write(file, member->bytes, member->size) != (ssize_t) member->size)
		abort();
	close(file);
}

static int
remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void) status;
	(void) type;
	(void) walk;
	return remove(path);
}

static void
check_trace(PhEnv *env, PhTraceSource *source)
{
	PhTraceReadOptions options = {.source = source, .n_threads = 1};
	const PhConnection *refused;
	PhTraceRead read;

	if (ph_trace_read(env, &options, &read, &refused) == PH_OK)
	{
		if (ph_trace_read_match(&read, source) != PH_OK)
			abort();
	}
	else if (env->error.message[0] == '\0')
		abort(); /* a failure says why */
	ph_trace_read_free(&read);
}

static void
read_experiment(PhArena *arena, const PhExperiment *experiment, const PhReadOptions *options)
{
	const PhReader *reader = experiment->reader;
	PhEnv env;
	PhRunInput run;
	PhFileJob job;

	if (reader == &ph_reader_otf2)
		return;
	if (reader->find_job != NULL)
		(void) reader->find_job(arena, experiment->files[0], &job);
	ph_env_init_malloc(&env);
	env.byte_limit = (size_t) 256 << 20;
	if (ph_experiment_read(&env, experiment, options, &run) == PH_OK)
	{
		if (run.profile != NULL && ph_profile_check(&env, run.profile) != PH_OK)
			abort();
		if (run.trace != NULL)
			check_trace(&env, run.trace);
		ph_run_input_free(&env, &run);
	}
	else if (env.error.message[0] == '\0')
		abort();
	if (env.bytes != 0)
		abort(); /* something was not given back */
}

/* All of one format may be one run, each of another rank. */
static void
join_experiments(PhArena *arena, const PhExperiment *list, size_t n, const PhReadOptions *options)
{
	PhExperiment all;

	if (n < 2 || list[0].reader->find_job == NULL)
		return;
	all = list[0];
	for (size_t i = 1; i < n; i++)
		if (list[i].reader != all.reader || ph_experiment_add(&all, "%s", list[i].path) != PH_OK)
			return;
	read_experiment(arena, &all, options);
}

static void
read_folder(const char *path, const PhReadOptions *options)
{
	PhEnv env;
	PhArena arena;
	PhExperiment *list;
	PhUnreadList unread;
	size_t n;

	ph_env_init_malloc(&env);
	env.byte_limit = (size_t) 64 << 20;
	ph_arena_init(&arena, &env);
	if (ph_source_expand(&arena, path, NULL, &list, &n, &unread) == PH_OK)
	{
		for (size_t i = 0; i < n; i++)
			read_experiment(&arena, &list[i], options);
		join_experiments(&arena, list, n, options);
	}
	else if (env.error.message[0] == '\0')
		abort();
	ph_arena_drop(&arena);
	if (env.bytes != 0)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	TarMember members[MAX_MEMBERS];
	char names[MAX_MEMBERS][NAME_SIZE];
	char path[sizeof(folder) + 8];
	size_t n = has_members(data, size) ? cut_members(data, size, members, names) : 0;
	PhReadOptions options = fuzz_options(size);

	snprintf(path, sizeof(path), "%s/run", folder);
	if (mkdir(path, 0700) != 0)
		abort();
	for (size_t i = 0; i < n; i++)
		write_member(&members[i]);
	read_folder(path, &options);
	(void) nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return 0;
}
