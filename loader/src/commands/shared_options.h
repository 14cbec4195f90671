/*
 * shared_options.h - options that several commands take, each declared once.
 *
 * Members of their tables: of which runs, what is said of them, of which part, and how the answer
 * is written.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_COMMANDS_SHARED_OPTIONS_H
#define PH_COMMANDS_SHARED_OPTIONS_H

#include "cli/parameter.h"

#define PH_DEFAULT_MARGIN 2.0 /* per cent */

/* ---- which runs ---- */

#define PH_OPTION_APPLICATION                                                                      \
	{                                                                                              \
		.name = "application", .letter = 'a', .type = PH_PARAMETER_TEXT, .value = "NAME",          \
		.offer = PH_OFFER_APPLICATIONS, .help = "of the commits' runs, those of this one"          \
	}

#define PH_OPTION_N_RANKS                                                                          \
	{                                                                                              \
		.name = "n-ranks", .type = PH_PARAMETER_INTEGER, .value = "N",                             \
		.help = "of the commits' runs, those with this many ranks"                                 \
	}

#define PH_OPTION_RUN_FILTER                                                                       \
	{                                                                                              \
		.name = "filter", .type = PH_PARAMETER_TEXT, .value = "FILTER",                            \
		.help =                                                                                    \
			"of the commits' runs, those that match, such as 'problem = large' (see runs --help)"  \
	}

/* ---- what is said of runs that are loaded ---- */

#define PH_OPTION_SET                                                                              \
	{                                                                                              \
		.name = "set", .letter = 's', .type = PH_PARAMETER_TEXT, .repeats = true,                  \
		.value = "KEY=VALUE", .help = "metadata of these runs; wins over what the files say"       \
	}

#define PH_OPTION_COMMIT                                                                           \
	{                                                                                              \
		.name = "commit", .letter = 'c', .type = PH_PARAMETER_TEXT, .value = "HASH|auto",          \
		.environment = "PERFHOUSE_COMMIT", .offer = PH_OFFER_COMMITS,                              \
		.help = "commit that was measured; auto: the one checked out in the working directory"     \
	}

#define PH_OPTION_TAG                                                                              \
	{                                                                                              \
		.name = "tag", .letter = 't', .type = PH_PARAMETER_TEXT, .repeats = true, .value = "TAG",  \
		.offer = PH_OFFER_TAGS, .help = "tag these runs"                                           \
	}

/* ---- what is hidden of them (commands/redact.h) ---- */

#define PH_OPTION_REDACT(variable)                                                                 \
	{                                                                                              \
		.name = "redact", .type = PH_PARAMETER_TEXT, .value = "LIST", .environment = (variable),   \
		.help = "hide users, hosts, paths, commands or all, parted by commas"                      \
	}

#define PH_OPTION_SALT                                                                             \
	{                                                                                              \
		.name = "salt", .type = PH_PARAMETER_TEXT, .value = "TEXT",                                \
		.environment = "PERFHOUSE_SALT",                                                           \
		.help = "what makes pseudonyms: known to nobody, they cannot be guessed"                   \
	}

/* ---- how they are judged ---- */

#define PH_OPTION_MARGIN                                                                           \
	{                                                                                              \
		.name = "margin", .type = PH_PARAMETER_NUMBER, .value = "PERCENT", .least = 0, .most = 99, \
		.help = "changes of the whole below this are the same (default 2)"                         \
	}

/* ---- which part of them ---- */

#define PH_OPTION_METRIC(text)                                                                     \
	{                                                                                              \
		.name = "metric", .letter = 'm', .type = PH_PARAMETER_TEXT, .value = "NAME",               \
		.offer = PH_OFFER_METRICS, .help = text                                                    \
	}

#define PH_OPTION_WITHIN(text)                                                                     \
	{                                                                                              \
		.name = "within", .type = PH_PARAMETER_TEXT, .value = "REGION", .help = text               \
	}

#define PH_OPTION_RANKS(text)                                                                      \
	{                                                                                              \
		.name = "ranks", .type = PH_PARAMETER_INTEGERS, .value = "LIST",                           \
		.hint = "Give ranks and ranges, such as 0-3,8.", .help = text                              \
	}

#define PH_OPTION_TIME(option, text)                                                               \
	{                                                                                              \
		.name = option, .type = PH_PARAMETER_DURATION, .value = "TIME",                            \
		.hint = "Give a time since the run's first event, such as 0.1s, 250us or 5000 (ns).",      \
		.help = text                                                                               \
	}

/* Of a stored profile: ph_option_part reads them. */
#define PH_OPTIONS_PART                                                                            \
	PH_OPTION_WITHIN("what is below this call path, or the one that ends with this function"),     \
		PH_OPTION_RANKS("these ranks only, such as 0-3,8"),                                        \
		PH_OPTION_TIME("from", "of a run with a trace: from this time since its first event on, "  \
							   "such as 0.1s or 250us"),                                           \
		PH_OPTION_TIME("to", "of a run with a trace: up to this time")

/* ---- how the answer is written ---- */

#define PH_OPTION_FORMAT(names, text)                                                              \
	{                                                                                              \
		.name = "format", .letter = 'f', .type = PH_PARAMETER_TEXT, .value = "FORMAT",             \
		.choices = names, .help = text                                                             \
	}

#define PH_OPTION_OUTPUT                                                                           \
	{                                                                                              \
		.name = "output", .letter = 'o', .type = PH_PARAMETER_TEXT, .value = "FILE",               \
		.offer = PH_OFFER_FILES,                                                                   \
		.help = "write that into FILE (.html: as html), and the text to standard output"           \
	}

#endif
