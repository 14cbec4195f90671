/*
 * source_blame.h - what "git blame --line-porcelain" says, a line at a time.
 *
 * Of each line of a file git writes the commit and the number, then what it knows of the commit, a
 * word and a text each, then a tab and the line itself.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SOURCE_BLAME_H
#define PH_SOURCE_BLAME_H

#include <stdbool.h>
#include <stdint.h>

#include "serve/source_match.h"

#define PH_BLAME_TEXT_SIZE 256 /* of names and subjects; longer ones are cut */

typedef struct PhSourceBlame
{
	char commit[PH_OBJECT_SIZE]; /* "": nothing is known of the line that comes */
	char author[PH_BLAME_TEXT_SIZE];
	char subject[PH_BLAME_TEXT_SIZE];
	int64_t time; /* seconds of the author's clock since 1970 */
	int64_t line;
	bool is_old; /* it was there before the commits that were asked for */
} PhSourceBlame;

/* Reads a line of git's without its end. Not NULL: the text of a line of the file, which is
 * complete then and as the rest of blame says; it lies in said. Lines that are none of git's are
 * passed over. */
const char *ph_blame_read(PhSourceBlame *blame, const char *said);

#endif
