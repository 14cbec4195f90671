/*
 * source.h - the text of a source file as it was in the commit that a run measured, and which of
 * its lines commits since another run changed.
 *
 * The texts come from git repositories that serve was given (--sources), bare ones or not; without
 * any there are none. What a request names must be a file that the run's profile names, word for
 * word; git is asked for the object that the commit has under it, so no path of a request ever
 * reaches a file system or a command line.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SOURCE_H
#define PH_SOURCE_H

#include <stddef.h>

#include "cli/cli.h"
#include "serve/answer.h"
#include "serve/api.h"
#include "serve/session.h"

typedef struct PhSources
{
	char *git; /* the program; NULL: nothing is shown */
	const char *const *repositories;
	size_t n;
	char *name;		  /* of all of them, for keys of answers; NULL: there are none */
	unsigned seconds; /* that git may take for one question; 0: any number */
} PhSources;

/* For a command: the log says which of them is no repository that git reads. A git that hangs, on a
 * file system that is away perhaps, keeps no worker for longer than seconds (0: for ever). */
PhExit ph_sources_open(PhSources *sources, const char *const *repositories, size_t n,
					   unsigned seconds);

void ph_sources_close(PhSources *sources);

/* Answers with file, path, commit and text. values: of the query "source"; of "changed_lines": with
 * lines, who changed each, and in which commit. */
void ph_source_answer(PhSession *session, const PhSources *sources, const PhApiValues *values,
					  PhAnswer *answer);

#endif
