/*
 * options_internal.h - what the table of options and the parser of command lines share.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_OPTIONS_INTERNAL_H
#define PH_OPTIONS_INTERNAL_H

#include "options.h"

typedef struct PhOptionParser
{
	PhOptions *options;
	PhArena *arena;
	const char *accepted;
	const char *message, *hint;
} PhOptionParser;

/* Takes a value over into the options; false when it is bad (parser->message). */
typedef bool (*PhOptionSetter)(PhOptionParser *parser, const char *name, const char *value);

typedef struct PhRenderOption
{
	const char *name;
	char letter;
	const char *argument; /* NULL: takes none */
	PhOptionSetter set;
	const char *help;
} PhRenderOption;

/* Ended by one without a name. */
extern const PhRenderOption ph_render_options[];

/* Sets message and hint; returns false. */
bool ph_option_fail(PhOptionParser *parser, const char *message, const char *hint);

#endif
