/*
 * options_logical.c - what the values of options of logical time mean.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "request/options_internal.h"
#include "system/duration.h"

#define MOST_STEPS 2000000000L

/* A number of up to MOST_STEPS at *text. */
static bool
read_step(const char **text, long *step)
{
	char *end = NULL;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	*step = strtol(*text, &end, 10);
	*text = end;
	return errno == 0 && *step <= MOST_STEPS;
}

/* "A-B", "A", "A-" or "-B", both included; kept as the half-open window of the server. */
bool
ph_option_steps(PhOptionParser *p, const char *name, const char *value)
{
	const char *text = value;
	long from = 0;
	long to = MOST_STEPS;
	bool ok = *text == '-' || read_step(&text, &from);

	if (ok && *text == '\0')
		to = from;
	else
		ok = ok && *text++ == '-' && (*text == '\0' || read_step(&text, &to)) && *text == '\0';
	if (!ok || to < from || strcmp(value, "-") == 0)
		return ph_option_bad_value(p, name, value, "Give steps such as 0-40, 12 or 100-.");
	p->options->step_from = ph_need_format(p->arena, "%ld", from);
	p->options->step_to = ph_need_format(p->arena, "%ld", to + 1);
	return true;
}

bool
ph_option_phase(PhOptionParser *p, const char *name, const char *value)
{
	const char *text = value;
	long phase;

	if (!read_step(&text, &phase) || *text != '\0')
		return ph_option_bad_value(p, name, value,
								   "Give the number of a phase, as perfhouse.phases shows them.");
	p->options->phase = value;
	return true;
}

bool
ph_option_range(PhOptionParser *p, const char *name, const char *value)
{
	int64_t ns;

	if (strcmp(value, "all") == 0 || strcmp(value, "step") == 0)
		p->options->range = value;
	else if (ph_duration_parse(value, &ns) && ns > 0)
		p->options->range = ph_need_format(p->arena, "%lld", (long long) ns);
	else
		return ph_option_bad_value(p, name, value, "Use all, step, or a time such as 5ms.");
	return true;
}

bool
ph_option_aggregates(PhOptionParser *p, const char *name, const char *value)
{
	(void) value;
	p->options->aggregates = strcmp(name, "aggregates") == 0;
	p->options->no_aggregates = !p->options->aggregates;
	return true;
}

bool
ph_option_no_inactive(PhOptionParser *p, const char *name, const char *value)
{
	(void) name;
	(void) value;
	p->options->no_inactive = true;
	return true;
}

bool
ph_option_reorder(PhOptionParser *p, const char *name, const char *value)
{
	(void) name;
	(void) value;
	p->options->reorder = true;
	return true;
}

bool
ph_option_clusters(PhOptionParser *p, const char *name, const char *value)
{
	return ph_option_count(p, name, value, 100, &p->options->clusters);
}

bool
ph_option_radius(PhOptionParser *p, const char *name, const char *value)
{
	return ph_option_count(p, name, value, 1000, &p->options->radius);
}

/* Clusters to unfold, or to fold. */
bool
ph_option_unfold(PhOptionParser *p, const char *name, const char *value)
{
	const char *clusters = ph_ranks_parse(p->arena, value);

	if (clusters == NULL)
		return ph_option_bad_value(p, name, value, "Give numbers of clusters, such as 36,38.");
	if (strcmp(name, "unfold") == 0)
		p->options->unfold = clusters;
	else
		p->options->fold = clusters;
	return true;
}

bool
ph_option_cluster(PhOptionParser *p, const char *name, const char *value)
{
	const char *text = value;
	long cluster;

	if (!read_step(&text, &cluster) || *text != '\0')
		return ph_option_bad_value(p, name, value,
								   "Give the number of a cluster, as perfhouse.step_clusters "
								   "shows them.");
	p->options->cluster = value;
	return true;
}

bool
ph_option_focus(PhOptionParser *p, const char *name, const char *value)
{
	static const char *const allowed[] = {"latest", "centroid", NULL};

	return ph_option_one_of(p, name, value, allowed, &p->options->focus);
}

bool
ph_option_summary(PhOptionParser *p, const char *name, const char *value)
{
	static const char *const allowed[] = {"sum", "max", "mean", NULL};

	return ph_option_one_of(p, name, value, allowed, &p->options->summary);
}
