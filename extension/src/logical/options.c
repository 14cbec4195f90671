/*
 * options.c - options of assign_logical_steps by name.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/json.h"

#include "logical/options.h"

/* Switches by name; the other options are strings. */
typedef struct Switch
{
	const char *name;
	size_t offset; /* in PhLogicalRequest */
} Switch;

#define OF_PROCESSES(name)                                                                         \
	{                                                                                              \
#name, offsetof(PhLogicalRequest, options.name)                                            \
	}
#define OF_TASKS(name)                                                                             \
	{                                                                                              \
#name, offsetof(PhLogicalRequest, tasks.name)                                              \
	}

static const Switch process_switches[] = {
	OF_PROCESSES(coalesce_isends),	OF_PROCESSES(wait_groups), OF_PROCESSES(waitall_groups),
	OF_PROCESSES(call_tree_merge),	OF_PROCESSES(leap_merge),  OF_PROCESSES(leap_skip),
	OF_PROCESSES(global_merge),		OF_PROCESSES(match_sizes), OF_PROCESSES(align_sends),
	OF_PROCESSES(reorder_receives), OF_PROCESSES(super_phases)};

static const Switch task_switches[] = {
	OF_TASKS(reorder),		 OF_TASKS(by_coordinates), OF_TASKS(absorb_when),
	OF_TASKS(order_serials), OF_TASKS(repair_blocks),  OF_TASKS(merge_serials),
	OF_TASKS(leap_merge),	 OF_TASKS(use_edges),	   OF_TASKS(infer_dependencies)};

static const Switch *
switches_of(const PhLogicalRequest *request, int *n)
{
	*n = request->of_tasks ? (int) lengthof(task_switches) : (int) lengthof(process_switches);
	return request->of_tasks ? task_switches : process_switches;
}

static bool *
switch_at(PhLogicalRequest *request, const Switch *which)
{
	return (bool *) ((char *) request + which->offset);
}

static char *
option_names(const PhLogicalRequest *request)
{
	int n;
	StringInfoData list;
	const Switch *switches = switches_of(request, &n);
	initStringInfo(&list);
	appendStringInfoString(&list, "mode (\"default\" or \"compat\"), ");
	for (int i = 0; i < n; i++)
		appendStringInfo(&list, "%s, ", switches[i].name);
	appendStringInfoString(
		&list, request->of_tasks
				   ? "break_functions (beginnings of entry methods' names, separated by commas)"
				   : "phase_function (part of a function's name), counter (a metric of the trace)");
	return list.data;
}

static void
refuse_type(const char *name, const char *type)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("option \"%s\" of logical time must be %s", name, type)));
}

/* A string; null and the empty one are NULL. */
static const char *
string_value(const char *name, const JsonbValue *value)
{
	if (value->type == jbvNull)
		return NULL;
	if (value->type != jbvString)
		refuse_type(name, "a string");
	return value->val.string.len > 0 ? pnstrdup(value->val.string.val, value->val.string.len)
									 : NULL;
}

static void
read_mode(const JsonbValue *value, PhLogicalRequest *out)
{
	const char *mode = string_value("mode", value);
	bool compat = mode != NULL && strcmp(mode, "compat") == 0;
	if (mode == NULL || (!compat && strcmp(mode, "default") != 0))
		refuse_type("mode", "\"default\" or \"compat\"");
	out->options.compat = out->tasks.compat = compat;
}

static bool
read_switch(const char *name, const JsonbValue *value, PhLogicalRequest *out)
{
	int n;
	const Switch *switches = switches_of(out, &n);
	for (int i = 0; i < n; i++)
	{
		if (strcmp(switches[i].name, name) != 0)
			continue;
		if (value->type != jbvBool)
			refuse_type(name, "true or false");
		*switch_at(out, &switches[i]) = value->val.boolean;
		return true;
	}
	return false;
}

static bool
read_text(const char *name, const JsonbValue *value, PhLogicalRequest *out)
{
	const char **place = NULL;
	if (out->of_tasks && strcmp(name, "break_functions") == 0)
		place = &out->tasks.break_functions;
	else if (!out->of_tasks && strcmp(name, "phase_function") == 0)
		place = &out->options.phase_function;
	else if (!out->of_tasks && strcmp(name, "counter") == 0)
		place = &out->counter;
	if (place != NULL)
		*place = string_value(name, value);
	return place != NULL;
}

static void
read_option(const char *name, const JsonbValue *value, PhLogicalRequest *out)
{
	if (strcmp(name, "mode") == 0)
		read_mode(value, out);
	else if (!read_text(name, value, out) && !read_switch(name, value, out))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("logical time has no option \"%s\"", name),
						errhint("Options are %s.", option_names(out))));
}

void
ph_logical_request_read(Jsonb *given, bool of_tasks, PhLogicalRequest *out)
{
	JsonbIterator *iterator = JsonbIteratorInit(&given->root);
	JsonbValue value;
	JsonbIteratorToken token = JsonbIteratorNext(&iterator, &value, true);
	memset(out, 0, sizeof(*out));
	out->of_tasks = of_tasks;
	ph_logical_options_default(&out->options);
	ph_task_options_default(&out->tasks);
	if (token != WJB_BEGIN_OBJECT)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("options of logical time must be a JSON object"),
						errhint("Options are %s.", option_names(out))));
	while (JsonbIteratorNext(&iterator, &value, true) == WJB_KEY)
	{
		char *name = pnstrdup(value.val.string.val, value.val.string.len);
		(void) JsonbIteratorNext(&iterator, &value, true);
		read_option(name, &value, out);
	}
}

static void
put_string(StringInfo list, const char *name, const char *value)
{
	appendStringInfo(list, "\"%s\": ", name);
	if (value == NULL)
		appendStringInfoString(list, "null");
	else
		escape_json(list, value);
	appendStringInfoString(list, ", ");
}

char *
ph_logical_request_text(const PhLogicalRequest *request)
{
	int n;
	StringInfoData list;
	PhLogicalRequest copy = *request;
	const Switch *switches = switches_of(request, &n);
	initStringInfo(&list);
	appendStringInfoChar(&list, '{');
	put_string(&list, "mode", request->options.compat ? "compat" : "default");
	if (request->of_tasks)
		put_string(&list, "break_functions", request->tasks.break_functions);
	else
	{
		put_string(&list, "phase_function", request->options.phase_function);
		put_string(&list, "counter", request->counter);
	}
	for (int i = 0; i < n; i++)
		appendStringInfo(&list, "%s\"%s\": %s", i > 0 ? ", " : "", switches[i].name,
						 *switch_at(&copy, &switches[i]) ? "true" : "false");
	appendStringInfoChar(&list, '}');
	return list.data;
}
