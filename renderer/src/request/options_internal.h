/*
 * options_internal.h - what the table of options and the parser of command lines share.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REQUEST_OPTIONS_INTERNAL_H
#define PH_REQUEST_OPTIONS_INTERNAL_H

#include "request/options.h"

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
/* By its long name, of this length; NULL when there is none. */
const PhRenderOption *ph_option_find(const char *name, size_t length);
/* Before any option is given. */
void ph_options_default(PhOptions *options, PhArena *arena);

/* Sets message and hint; returns false. */
bool ph_option_fail(PhOptionParser *parser, const char *message, const char *hint);
/* The same for a value that is none of the option's. */
bool ph_option_bad_value(PhOptionParser *parser, const char *name, const char *value,
						 const char *hint);
bool ph_option_one_of(PhOptionParser *parser, const char *name, const char *value,
					  const char *const *allowed, const char **out);
bool ph_option_number(PhOptionParser *parser, const char *name, const char *value, double low,
					  double high, double *out);
bool ph_option_run(PhOptionParser *parser, const char *name, const char *value, const char **out);
bool ph_option_count(PhOptionParser *parser, const char *name, const char *value, double high,
					 uint32_t *out);

/* Setters of options of logical time. */
bool ph_option_steps(PhOptionParser *parser, const char *name, const char *value);
bool ph_option_phase(PhOptionParser *parser, const char *name, const char *value);
bool ph_option_range(PhOptionParser *parser, const char *name, const char *value);
bool ph_option_aggregates(PhOptionParser *parser, const char *name, const char *value);
bool ph_option_no_inactive(PhOptionParser *parser, const char *name, const char *value);
bool ph_option_aliases(PhOptionParser *parser, const char *name, const char *value);
bool ph_option_reorder(PhOptionParser *parser, const char *name, const char *value);
bool ph_option_clusters(PhOptionParser *parser, const char *name, const char *value);
bool ph_option_unfold(PhOptionParser *parser, const char *name, const char *value);
bool ph_option_cluster(PhOptionParser *parser, const char *name, const char *value);
bool ph_option_focus(PhOptionParser *parser, const char *name, const char *value);
bool ph_option_radius(PhOptionParser *parser, const char *name, const char *value);
bool ph_option_summary(PhOptionParser *parser, const char *name, const char *value);

/* Setters of options of views of many runs, and of call trees. */
bool ph_option_vs(PhOptionParser *parser, const char *name, const char *value);
bool ph_option_application(PhOptionParser *parser, const char *name, const char *value);
bool ph_option_runs(PhOptionParser *parser, const char *name, const char *value);
bool ph_option_filter(PhOptionParser *parser, const char *name, const char *value);
bool ph_option_guides(PhOptionParser *parser, const char *name, const char *value);
bool ph_option_layout(PhOptionParser *parser, const char *name, const char *value);
bool ph_option_highlight(PhOptionParser *parser, const char *name, const char *value);
bool ph_option_color_metric(PhOptionParser *parser, const char *name, const char *value);
bool ph_option_color_range(PhOptionParser *parser, const char *name, const char *value);

/* Setters of options of series along the history and of scaling. */
bool ph_option_path(PhOptionParser *parser, const char *name, const char *value);
bool ph_option_by(PhOptionParser *parser, const char *name, const char *value);
bool ph_option_mode(PhOptionParser *parser, const char *name, const char *value);
bool ph_option_parameter(PhOptionParser *parser, const char *name, const char *value);
bool ph_option_scaling(PhOptionParser *parser, const char *name, const char *value);

#endif
