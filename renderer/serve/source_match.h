/*
 * source_match.h - which file of a commit a profile means by a path: compilers note where the file
 * lay when it was built, "/build/7/src/solver.c", a repository has it as "src/solver.c".
 *
 * A file is taken only when one of both paths is the end of the other, in whole components, so that
 * "/usr/include/vector" is no "lib/vector" of the repository; of several the one with most in
 * common.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SOURCE_MATCH_H
#define PH_SOURCE_MATCH_H

#include <stdbool.h>
#include <stddef.h>

#define PH_OBJECT_SIZE 65 /* a hash in digits */

typedef struct PhSourceMatch
{
	const char *wanted;
	char object[PH_OBJECT_SIZE]; /* of the best one so far; "": there is none */
	char *path;					 /* its path, malloc'ed */
	size_t n_common;			 /* components */
	bool is_whole;				 /* the repository's path is the end of what is wanted */
	bool is_doubtful;			 /* another one is as good */
	bool has_failed;			 /* no memory */
} PhSourceMatch;

void ph_source_match_begin(PhSourceMatch *match, const char *wanted);

/* An entry of "git ls-tree -r -z": mode, type, object and a tab before the path. What is no plain
 * file or no such entry is passed over. */
void ph_source_match_add(PhSourceMatch *match, const char *entry);

void ph_source_match_free(PhSourceMatch *match);

/* Is it the hash of a commit, in digits, perhaps a part of it? */
bool ph_is_commit_hash(const char *text);

#endif
