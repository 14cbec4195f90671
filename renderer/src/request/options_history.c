/*
 * options_history.c - what the values of options of series along the history and of scaling mean.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "drawing/arena_must.h"
#include "request/options_internal.h"

bool
ph_option_path(PhOptionParser *p, const char *name, const char *value)
{
	PhOptions *options = p->options;

	if (*value == '\0')
		return ph_option_bad_value(p, name, value,
								   "Give names from the root joined by /, or a function.");
	if (options->n_paths == PH_MAX_PATHS)
		return ph_option_fail(p, "too many call paths in one picture", "Use at most 64.");
	options->paths[options->n_paths++] = value;
	return true;
}

bool
ph_option_by(PhOptionParser *p, const char *name, const char *value)
{
	static const char *const allowed[] = {"path", "function", "module", "total", NULL};

	return ph_option_one_of(p, name, value, allowed, &p->options->by);
}

bool
ph_option_mode(PhOptionParser *p, const char *name, const char *value)
{
	static const char *const allowed[] = {"default", "otava", NULL};

	return ph_option_one_of(p, name, value, allowed, &p->options->mode);
}

bool
ph_option_parameter(PhOptionParser *p, const char *name, const char *value)
{
	(void) name;
	p->options->parameter = value;
	return true;
}

bool
ph_option_scaling(PhOptionParser *p, const char *name, const char *value)
{
	static const char *const allowed[] = {"strong", "weak", NULL};

	return ph_option_one_of(p, name, value, allowed, &p->options->scaling);
}
