/*
 * git_log.c - git's output as records of NUL-terminated fields.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "commands/git_log.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/log.h"
#include "system/memory.h"
#include "system/paths.h"
#include "system/process.h"
#include "system/utf8_text.h"

#define MOST_FIELDS 8

/* Gets the fields of one record, valid UTF-8; false stops. */
typedef bool (*RecordFunction)(void *user, char **fields);

PhExit
ph_git_open(const char *path, PhGitRepository *out)
{
	*out = (PhGitRepository){.git = ph_path_find_program("git"), .path = ph_strdup(path)};
	if (out->git == NULL)
	{
		ph_log_error("git is not installed, or not on PATH");
		return PH_EXIT_NOT_FOUND;
	}
	const char *argv[] = {out->git, "-C", path, "rev-parse", "--git-dir", NULL};
	char *folder = ph_process_line(argv);
	if (folder == NULL)
	{
		ph_log_error("%s: not a git repository, or git refuses to read it", path);
		ph_log_hint("git -C %s status says why.", path);
		return PH_EXIT_NOT_FOUND;
	}
	free(folder);
	return PH_EXIT_OK;
}

void
ph_git_close(PhGitRepository *repository)
{
	free(repository->git);
	free(repository->path);
}

char *
ph_git_resolve(const PhGitRepository *repository, const char *revision)
{
	char *commit = ph_format("%s^{commit}", revision);
	const char *argv[] = {repository->git, "-C",	   repository->path,
						  "rev-parse",	   "--verify", "--end-of-options",
						  commit,		   NULL};
	char *hash = ph_process_line(argv);
	free(commit);
	return hash;
}

static void
make_valid(char **fields, size_t n)
{
	for (size_t i = 0; i < n; i++)
	{
		char *valid = ph_text_valid(fields[i]);
		free(fields[i]);
		fields[i] = valid;
	}
}

/* One NUL-terminated field; false at the end of the stream. */
static bool
read_field(FILE *stream, char **out)
{
	size_t room = 0;
	*out = NULL;
	if (getdelim(out, &room, '\0', stream) > 0)
		return true;
	free(*out);
	*out = NULL;
	return false;
}

/* Line ends stand between records. */
static void
skip_line_ends(FILE *stream)
{
	int c = fgetc(stream);
	while (c == '\n')
		c = fgetc(stream);
	if (c != EOF)
		ungetc(c, stream);
}

/* True when the stream ended between two records, or each() stopped (*stopped). */
static bool
read_records(FILE *stream, size_t n_fields, RecordFunction each, void *user, bool *stopped)
{
	bool whole = true;
	*stopped = false;
	while (whole && !*stopped)
	{
		char *fields[MOST_FIELDS] = {NULL};
		size_t n = 0;
		skip_line_ends(stream);
		while (n < n_fields && read_field(stream, &fields[n]))
			n++;
		if (n == n_fields)
		{
			make_valid(fields, n);
			*stopped = !each(user, fields);
		}
		for (size_t i = 0; i < n; i++)
			free(fields[i]);
		if (n == 0)
			return true;
		whole = n == n_fields;
	}
	return whole;
}

static PhExit
run_git(const PhGitRepository *repository, const char *const *argv, size_t n_fields,
		RecordFunction each, void *user)
{
	pid_t child;
	bool stopped;
	FILE *stream = ph_process_open(argv, &child);
	if (stream == NULL)
	{
		ph_log_error("%s: cannot be started", argv[0]);
		return PH_EXIT_ERROR;
	}
	bool whole = read_records(stream, n_fields, each, user, &stopped);
	int status = ph_process_close(stream, child);
	if (stopped)
		return PH_EXIT_ERROR;
	if (status == 0 && whole)
		return PH_EXIT_OK;
	ph_log_error("%s: git %s failed with status %d", repository->path, argv[3], status);
	return PH_EXIT_INPUT;
}

typedef struct CommitReader
{
	PhCommitFunction each;
	void *user;
} CommitReader;

static bool
give_commit(void *user, char **fields)
{
	const CommitReader *reader = user;
	return reader->each(reader->user, fields);
}

PhExit
ph_git_commits(const PhGitRepository *repository, const char *const *known, size_t n_known,
			   PhCommitFunction each, void *user)
{
	CommitReader reader = {each, user};
	const char *const own[] = {repository->git,
							   "-C",
							   repository->path,
							   "log",
							   "--all",
							   "--date-order",
							   "--reverse",
							   "--no-show-signature",
							   "--no-color",
							   "--encoding=UTF-8",
							   "--format=tformat:%H%x00%P%x00%an%x00%aI%x00%cI%x00%s%x00",
							   "--ignore-missing",
							   "HEAD"};
	size_t n = sizeof(own) / sizeof(own[0]);
	const char **argv = ph_must_alloc(n + n_known + 3, sizeof(*argv));
	memcpy(argv, own, sizeof(own));
	if (n_known > 0)
		argv[n++] = "--not";
	for (size_t i = 0; i < n_known; i++)
		argv[n++] = known[i];
	argv[n++] = "--";
	PhExit code = run_git(repository, argv, PH_COMMIT_N_FIELDS, give_commit, &reader);
	free(argv);
	return code;
}

typedef struct RefReader
{
	PhRefFunction each;
	void *user;
} RefReader;

/* Full name, kind of object, kind of peeled object, hash, peeled hash. */
static bool
give_ref(void *user, char **fields)
{
	static const struct
	{
		const char *prefix;
		const char *kind;
	} kinds[] = {{"refs/heads/", "branch"}, {"refs/remotes/", "remote"}, {"refs/tags/", "tag"}};
	const RefReader *reader = user;
	bool is_peeled = fields[2][0] != '\0';
	if (strcmp(is_peeled ? fields[2] : fields[1], "commit") != 0)
		return true;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
	{
		size_t length = strlen(kinds[i].prefix);
		if (strncmp(fields[0], kinds[i].prefix, length) != 0)
			continue;
		char *const ref[PH_REF_N_FIELDS] = {fields[0] + length, (char *) (uintptr_t) kinds[i].kind,
											is_peeled ? fields[4] : fields[3]};
		return reader->each(reader->user, ref);
	}
	return true;
}

PhExit
ph_git_refs(const PhGitRepository *repository, PhRefFunction each, void *user)
{
	RefReader reader = {each, user};
	const char *argv[] = {repository->git,
						  "-C",
						  repository->path,
						  "for-each-ref",
						  "--format=%(refname)%00%(objecttype)%00%(*objecttype)%00%(objectname)%00"
						  "%(*objectname)%00",
						  "refs/heads",
						  "refs/remotes",
						  "refs/tags",
						  NULL};
	return run_git(repository, argv, 5, give_ref, &reader);
}
