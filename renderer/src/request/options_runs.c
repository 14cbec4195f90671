/*
 * options_runs.c - what the values of options of many runs, and of call trees, mean.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "request/options_internal.h"

/* Views that choose their runs take "ensemble", too: the others of the runs chosen. */
bool
ph_option_vs(PhOptionParser *p, const char *name, const char *value)
{
	if (strcmp(value, "ensemble") == 0 && ph_option_among(p->accepted, "application"))
	{
		p->options->vs = value;
		return true;
	}
	return ph_option_run(p, name, value, &p->options->vs);
}

bool
ph_option_application(PhOptionParser *p, const char *name, const char *value)
{
	(void) name;
	p->options->application = value;
	return true;
}

bool
ph_option_runs(PhOptionParser *p, const char *name, const char *value)
{
	p->options->runs = ph_ranks_parse(p->arena, value);
	if (p->options->runs == NULL)
		return ph_option_bad_value(p, name, value, "Give runs and ranges, such as 1,2,5-9.");
	return true;
}

/* A share, or in views that choose their runs a condition on them; no condition is a number. */
bool
ph_option_filter(PhOptionParser *p, const char *name, const char *value)
{
	char *end = NULL;

	(void) strtod(value, &end);
	if ((end != value && *end == '\0') || !ph_option_among(p->accepted, "application"))
		return ph_option_number(p, name, value, 0, 1, &p->options->filter);
	p->options->run_filter = value;
	return true;
}

bool
ph_option_guides(PhOptionParser *p, const char *name, const char *value)
{
	static const char *const allowed[] = {"none", "summary", "detailed", NULL};

	return ph_option_one_of(p, name, value, allowed, &p->options->guides);
}

bool
ph_option_layout(PhOptionParser *p, const char *name, const char *value)
{
	static const char *const allowed[] = {"tree", "radial", NULL};

	return ph_option_one_of(p, name, value, allowed, &p->options->layout);
}

bool
ph_option_highlight(PhOptionParser *p, const char *name, const char *value)
{
	(void) name;
	p->options->highlight = value;
	return true;
}

bool
ph_option_color_metric(PhOptionParser *p, const char *name, const char *value)
{
	(void) name;
	p->options->color_metric = value;
	return true;
}

/* "LOW:HIGH"; either may be missing: from the data. */
bool
ph_option_color_range(PhOptionParser *p, const char *name, const char *value)
{
	double low = NAN;
	double high = NAN;
	char *end = NULL;

	if (*value != ':')
		low = strtod(value, &end);
	else
		end = ph_need_copy(p->arena, value);
	if (*end == ':' && end[1] != '\0')
		high = strtod(end + 1, &end);
	else if (*end == ':')
		end++;
	if (*end != '\0' || (isnan(low) && isnan(high)) || isinf(low) || isinf(high) || low >= high)
		return ph_option_bad_value(p, name, value, "Give LOW:HIGH, such as 0:2.5, 1: or :10.");
	p->options->color_low = low;
	p->options->color_high = high;
	return true;
}

bool
ph_option_aliases(PhOptionParser *p, const char *name, const char *value)
{
	(void) name;
	(void) value;
	p->options->aliases = true;
	return true;
}
