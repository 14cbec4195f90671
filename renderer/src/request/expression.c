/*
 * expression.c - see expression.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "request/expression.h"

#include <stdlib.h>
#include <string.h>

#include "database/asked_query.h"
#include "drawing/arena_must.h"
#include "request/bind.h"

typedef struct Writer
{
	PhArena *arena;
	const PhView *view;
	const PhOptions *options;
} Writer;

/* A query with the view's values in it. */
static const char *
shown(const Writer *writer, const PhQuery *query)
{
	PhParam params[PH_PQ_MAX_PARAMS];
	int n = ph_bind(query, writer->view, writer->options, params);
	char *text = ph_asked_shown(query->sql, params, n);
	const char *copy;

	ph_need_memory(text != NULL);
	ph_need_hold(text, free);
	copy = ph_need_copy(writer->arena, text);
	ph_need_let_go();
	return copy;
}

/* The value that the view's query has for a name, as a literal; NULL: null. */
static const char *
literal(const Writer *writer, const char *name)
{
	const char *const names[] = {name, NULL};
	const PhQuery query = {"$1", names};
	const char *text = shown(writer, &query);

	return strcmp(text, "NULL") == 0 ? NULL : text;
}

/* The number of a run: a quoted one would be a text to functions that take several types. */
static const char *
run_of(const Writer *writer, const char *option)
{
	return ph_option_text(writer->options, option);
}

static bool
takes(const Writer *writer, const char *name)
{
	return ph_option_taken(writer->options, name);
}

/* ", name => value" of what is given. */
static const char *
argument(const Writer *writer, const char *name)
{
	const char *value = takes(writer, name) ? literal(writer, name) : NULL;
	char *spelt = ph_need_copy(writer->arena, name);

	for (char *p = spelt; *p != '\0'; p++)
		*p = *p == '-' ? '_' : *p;
	return value != NULL ? ph_need_format(writer->arena, ", %s => %s", spelt, value) : "";
}

/* What is chosen when nobody says, as perfhouse_internal.graph_levels() has it. */
#define USUAL_LEVELS "13"

/* Of super graphs: the grouping by which a share is chosen, and how many levels they may have. */
static const char *
graph_arguments(const Writer *writer)
{
	const char *levels = literal(writer, "levels");

	if (!takes(writer, "group-by"))
		return "";
	return ph_need_format(writer->arena, ", group_by => %s%s, levels => %s",
						  literal(writer, "group_by"), argument(writer, "module_map"),
						  levels != NULL ? levels : USUAL_LEVELS);
}

/* The profile of a run: whole, or what of it can be read. */
static const char *
profile_of(const Writer *writer, const char *run, bool is_filtered)
{
	PhArena *arena = writer->arena;
	const char *share = is_filtered ? literal(writer, "filter") : NULL;
	const char *metric = argument(writer, "metric");
	const char *ranks = argument(writer, "ranks");

	bool is_whole = share != NULL && strtod(share, NULL) == 0 &&
					!(takes(writer, "levels") && ph_option_given(writer->options, "levels"));

	if (!is_filtered || is_whole)
		return ph_need_format(arena, "perfhouse.profile(%s%s%s%s)", run,
							  *metric == '\0' && (*ranks != '\0' || writer->view->by_iteration)
								  ? ", metric => NULL::text"
								  : metric,
							  ranks, writer->view->by_iteration ? ", iterations => true" : "");
	if (share != NULL)
		share = ph_need_format(arena, ", share => %s", share);
	return ph_need_format(arena, "perfhouse.legible(%s%s%s%s%s)", run, share != NULL ? share : "",
						  metric, ranks, graph_arguments(writer));
}

static const char *
profile(const Writer *writer)
{
	const char *value = profile_of(writer, run_of(writer, "run"), takes(writer, "filter"));

	if (takes(writer, "inverted") && ph_option_flag(writer->options, "inverted"))
		value = ph_need_format(writer->arena, "perfhouse.invert(%s)", value);
	return ph_need_format(writer->arena, "SELECT %s", value);
}

/* Under the names that aliases give, if these are asked for. */
static const char *
side(const Writer *writer, const char *run)
{
	const char *value = profile_of(writer, run_of(writer, run), false);

	return ph_option_flag(writer->options, "aliases")
			   ? ph_need_format(writer->arena, "perfhouse.apply_aliases(%s)", value)
			   : value;
}

static const char *
two_profiles(const Writer *writer)
{
	return ph_need_format(writer->arena, "SELECT %s, %s", side(writer, "run"), side(writer, "vs"));
}

static const char *
supergraph(const Writer *writer)
{
	const char *map = literal(writer, "module_map");
	const char *steps = literal(writer, "refinement");
	const char *value =
		ph_need_format(writer->arena, "perfhouse.supergraph(%s, %s%s%s)",
					   profile_of(writer, run_of(writer, "run"), true), literal(writer, "group_by"),
					   map != NULL ? ", " : "", map != NULL ? map : "");

	if (steps != NULL && strcmp(steps, "'[]'") != 0)
		value = ph_need_format(writer->arena, "perfhouse.refine(%s, %s)", value, steps);
	return ph_need_format(writer->arena, "SELECT %s", value);
}

const char *
ph_expression(const PhView *view, const PhOptions *options)
{
	const Writer writer = {options->arena, view, options};

	if (view->given == NULL || view->many_runs)
		return shown(&writer, view->query);
	if (view->given->kind == PH_GIVEN_SUPERGRAPH)
		return supergraph(&writer);
	if (view->given->kind == PH_GIVEN_PROFILE)
		return view->given[1].name != NULL ? two_profiles(&writer) : profile(&writer);
	return shown(&writer, view->query);
}
