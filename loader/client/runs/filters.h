/*
 * filters.h - run filters on a command line.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_RUNS_FILTERS_H
#define PH_RUNS_FILTERS_H

#include "cli/cli.h"

/* A word of digits alone. */
bool ph_is_run_number(const char *word);

/* One filter, malloc'ed: a word that compares nothing is a text to look for. What is no filter is
 * logged: PH_EXIT_USAGE. */
PhExit ph_filter_of_word(const char *word, char **out);

/*
 * The arguments but those that skip takes (NULL: all), each in parentheses, joined by AND; *out is
 * malloc'ed, NULL without any. One that is no filter is logged: PH_EXIT_USAGE.
 */
PhExit ph_join_filters(const PhArguments *arguments, bool (*skip)(const char *word), char **out);

#endif
