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

/* Is nothing left out? */
static bool
is_whole(const Writer *writer)
{
	const char *share = literal(writer, "filter");

	return share != NULL && strtod(share, NULL) == 0 &&
		   !(takes(writer, "levels") && ph_option_given(writer->options, "levels"));
}

/* What of a profile, or of the run of a number, can be read: of a profile with all that it
 * measured. */
static const char *
legible(const Writer *writer, const char *of, const char *arguments)
{
	const char *share = literal(writer, "filter");

	return ph_need_format(writer->arena, "perfhouse.legible(%s%s%s%s%s)", of,
						  share != NULL ? ", share => " : "", share != NULL ? share : "", arguments,
						  graph_arguments(writer));
}

/* Has the picture iterations across? */
static bool
is_by_iteration(const Writer *writer)
{
	return writer->view->by_iteration ||
		   (takes(writer, "order") && ph_option_is(writer->options, "order", "iteration"));
}

/* The profile of a run: whole, or what of it can be read. */
static const char *
profile_of(const Writer *writer, const char *run, bool is_filtered)
{
	PhArena *arena = writer->arena;
	const char *metric = argument(writer, "metric");
	const char *ranks = argument(writer, "ranks");

	if (!is_filtered || is_whole(writer))
		return ph_need_format(arena, "perfhouse.profile(%s%s%s%s)", run,
							  *metric == '\0' && (*ranks != '\0' || is_by_iteration(writer))
								  ? ", metric => NULL::text"
								  : metric,
							  ranks, is_by_iteration(writer) ? ", iterations => true" : "");
	return legible(writer, run, ph_need_format(arena, "%s%s", metric, ranks));
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

/* The super graph of a profile, refined as the options say. */
static const char *
graph_of(const Writer *writer, const char *value)
{
	const char *map = literal(writer, "module_map");
	const char *steps = literal(writer, "refinement");
	const char *graph = ph_need_format(writer->arena, "perfhouse.supergraph(%s, %s%s%s)", value,
									   literal(writer, "group_by"), map != NULL ? ", " : "",
									   map != NULL ? map : "");

	if (steps != NULL && strcmp(steps, "'[]'") != 0)
		graph = ph_need_format(writer->arena, "perfhouse.refine(%s, %s)", graph, steps);
	return graph;
}

static const char *
supergraph(const Writer *writer)
{
	return ph_need_format(writer->arena, "SELECT %s",
						  graph_of(writer, profile_of(writer, run_of(writer, "run"), true)));
}

/* "NULL" for what is not given. */
static const char *
literal_or_null(const Writer *writer, const char *name)
{
	const char *value = literal(writer, name);

	return value != NULL ? value : "NULL";
}

/* The super graph of the runs that are chosen, and of one that is compared with them. */
static const char *
supergraph_of_runs(const Writer *writer)
{
	PhArena *arena = writer->arena;
	const char *run = run_of(writer, "run");
	const char *value = legible(writer, "p", argument(writer, "metric"));

	return ph_need_format(
		arena,
		"SELECT %s FROM (SELECT perfhouse.ensemble(%s, run_id::text ORDER BY n_ranks, run_id) AS p "
		"FROM perfhouse.run_overview WHERE run_id IN (SELECT run_id FROM "
		"perfhouse.chosen_runs(%s, %s, %s))%s%s) runs",
		graph_of(writer, is_whole(writer) ? "p" : value), profile_of(writer, "run_id", false),
		literal_or_null(writer, "application"), literal_or_null(writer, "run_filter"),
		literal_or_null(writer, "runs"), run != NULL ? " OR run_id = " : "",
		run != NULL ? run : "");
}

/* The profile of a run with two metrics. */
static const char *
profile_of_two(const Writer *writer)
{
	PhArena *arena = writer->arena;
	const char *run = run_of(writer, "run");
	const char *metric = literal(writer, "metric");
	const char *value;

	if (metric == NULL)
		metric = ph_need_format(
			arena, "(SELECT metrics[1] FROM perfhouse.run_overview WHERE run_id = %s)", run);
	value = ph_need_format(arena, "perfhouse.profile(%s, ARRAY[%s, %s]%s)", run, metric,
						   literal(writer, "metric_y"), argument(writer, "ranks"));
	return is_whole(writer) ? value : legible(writer, value, "");
}

/* The points of `scatter`, a row each: two metrics, or inclusive and exclusive of one. */
static const char *
points(const Writer *writer)
{
	PhArena *arena = writer->arena;
	const char *y = literal(writer, "metric_y");
	const char *node = literal(writer, "node");
	bool is_exclusive = ph_option_is(writer->options, "cost", "exclusive");

	if (node == NULL)
		node = "(SELECT node FROM perfhouse.supernodes(g) ORDER BY exclusive DESC, node LIMIT 1)";
	return ph_need_format(
		arena,
		"SELECT x.%s%s, y.%s%s, NULL::text AS series, x.name FROM (SELECT %s AS g OFFSET 0) "
		"graph, LATERAL (SELECT %s AS node OFFSET 0) chosen, perfhouse.supernode_values(g, "
		"chosen.node) x JOIN perfhouse.supernode_values(g, chosen.node, %s) y USING (location) "
		"ORDER BY location",
		y != NULL && is_exclusive ? "exclusive" : "inclusive", y != NULL ? " AS first" : "",
		y == NULL || is_exclusive ? "exclusive" : "inclusive", y != NULL ? " AS second" : "",
		graph_of(writer, y != NULL ? profile_of_two(writer)
								   : profile_of(writer, run_of(writer, "run"), true)),
		node, y != NULL ? y : "NULL");
}

/* The pairs of `comm-matrix`, a row each. */
static const char *
pairs(const Writer *writer)
{
	PhArena *arena = writer->arena;
	const char *from = literal(writer, "from");
	const char *to = literal(writer, "to");
	const char *ranks = literal(writer, "ranks");

	return ph_need_format(
		arena,
		"SELECT sender, receiver, messages, bytes FROM perfhouse.comm_matrix(%s%s%s%s%s)%s%s%s%s%s",
		run_of(writer, "run"), from != NULL ? ", t_from => " : "", from != NULL ? from : "",
		to != NULL ? ", t_to => " : "", to != NULL ? to : "",
		ranks != NULL ? " WHERE sender = ANY (" : "", ranks != NULL ? ranks : "",
		ranks != NULL ? ") AND receiver = ANY (" : "", ranks != NULL ? ranks : "",
		ranks != NULL ? ")" : "");
}

const char *
ph_expression(const PhView *view, const PhOptions *options)
{
	const Writer writer = {options->arena, view, options};

	if (view->given == NULL)
		return shown(&writer, view->query);
	if (view->given->kind == PH_GIVEN_SUPERGRAPH)
		return view->many_runs ? supergraph_of_runs(&writer) : supergraph(&writer);
	if (view->given->kind == PH_GIVEN_PROFILE)
		return view->given[1].name != NULL ? two_profiles(&writer) : profile(&writer);
	if (view->given->kind == PH_GIVEN_NUMBER)
		return pairs(&writer);
	return takes(&writer, "metric-y") ? points(&writer) : shown(&writer, view->query);
}
