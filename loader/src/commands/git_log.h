/*
 * git_log.h - commits, branches and tags of a git repository, read from git's own output.
 *
 * git runs without a shell; everything that comes from a repository is data. Bytes that are not
 * UTF-8 become U+FFFD.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_COMMANDS_GIT_LOG_H
#define PH_COMMANDS_GIT_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "system/exit_codes.h"

typedef enum PhCommitField
{
	PH_COMMIT_HASH,
	PH_COMMIT_PARENTS, /* hashes, one space between them */
	PH_COMMIT_AUTHOR,
	PH_COMMIT_AUTHORED,	 /* ISO 8601 with offset */
	PH_COMMIT_COMMITTED, /* the same */
	PH_COMMIT_SUBJECT,
	PH_COMMIT_N_FIELDS
} PhCommitField;

/* Gets one commit; false stops the reading. */
typedef bool (*PhCommitFunction)(void *user, char *const fields[PH_COMMIT_N_FIELDS]);

typedef struct PhGitRepository
{
	char *git;	/* the program */
	char *path; /* as the user gave it */
} PhGitRepository;

/* Find git and see that the path is a repository. Logs its own errors. */
PhExit ph_git_open(const char *path, PhGitRepository *out);
void ph_git_close(PhGitRepository *repository);

/* Full hash of a revision; malloc'ed, NULL when there is none. */
char *ph_git_resolve(const PhGitRepository *repository, const char *revision);

/*
 * All commits that branches and tags reach, parents before children, else by date; without those
 * that the known ones contain. Logs its own errors; PH_EXIT_ERROR when each() stopped it.
 */
PhExit ph_git_commits(const PhGitRepository *repository, const char *const *known, size_t n_known,
					  PhCommitFunction each, void *user);

typedef enum PhRefField
{
	PH_REF_NAME, /* short */
	PH_REF_KIND, /* branch, remote, tag */
	PH_REF_HASH, /* of the commit; tags are peeled */
	PH_REF_N_FIELDS
} PhRefField;

typedef bool (*PhRefFunction)(void *user, char *const fields[PH_REF_N_FIELDS]);

/* Branches, remote branches and tags of commits. Logs its own errors. */
PhExit ph_git_refs(const PhGitRepository *repository, PhRefFunction each, void *user);

#endif
