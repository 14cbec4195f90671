/*
 * logical_options.c - options of assign_logical_steps by name.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/json.h"

#include "logical_options.h"

/* Switches by name; the other options are strings: mode, phase_function, counter. */
static const struct
{
	const char *name;
	size_t offset;
} switches[] = {
	{"coalesce_isends", offsetof(PhLogicalOptions, coalesce_isends)},
	{"wait_groups", offsetof(PhLogicalOptions, wait_groups)},
	{"waitall_groups", offsetof(PhLogicalOptions, waitall_groups)},
	{"call_tree_merge", offsetof(PhLogicalOptions, call_tree_merge)},
	{"leap_merge", offsetof(PhLogicalOptions, leap_merge)},
	{"leap_skip", offsetof(PhLogicalOptions, leap_skip)},
	{"global_merge", offsetof(PhLogicalOptions, global_merge)},
	{"match_sizes", offsetof(PhLogicalOptions, match_sizes)},
	{"align_sends", offsetof(PhLogicalOptions, align_sends)},
	{"reorder_receives", offsetof(PhLogicalOptions, reorder_receives)},
};

static bool *
switch_at(PhLogicalOptions *options, int index)
{
	return (bool *) ((char *) options + switches[index].offset);
}

static char *
option_names(void)
{
	StringInfoData list;
	initStringInfo(&list);
	appendStringInfoString(&list, "mode (\"default\" or \"compat\"), ");
	for (int i = 0; i < (int) lengthof(switches); i++)
		appendStringInfo(&list, "%s, ", switches[i].name);
	appendStringInfoString(&list,
						   "phase_function (part of a function's name), counter (a metric of "
						   "the trace)");
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
read_mode(const JsonbValue *value, PhLogicalOptions *options)
{
	const char *mode = string_value("mode", value);
	options->compat = mode != NULL && strcmp(mode, "compat") == 0;
	if (mode == NULL || (!options->compat && strcmp(mode, "default") != 0))
		refuse_type("mode", "\"default\" or \"compat\"");
}

static bool
read_switch(const char *name, const JsonbValue *value, PhLogicalOptions *options)
{
	for (int i = 0; i < (int) lengthof(switches); i++)
	{
		if (strcmp(switches[i].name, name) != 0)
			continue;
		if (value->type != jbvBool)
			refuse_type(name, "true or false");
		*switch_at(options, i) = value->val.boolean;
		return true;
	}
	return false;
}

static void
read_option(const char *name, const JsonbValue *value, PhLogicalRequest *out)
{
	if (strcmp(name, "mode") == 0)
		read_mode(value, &out->options);
	else if (strcmp(name, "phase_function") == 0)
		out->options.phase_function = string_value(name, value);
	else if (strcmp(name, "counter") == 0)
		out->counter = string_value(name, value);
	else if (!read_switch(name, value, &out->options))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("logical time has no option \"%s\"", name),
						errhint("Options are %s.", option_names())));
}

void
ph_logical_request_read(Jsonb *given, PhLogicalRequest *out)
{
	JsonbIterator *iterator = JsonbIteratorInit(&given->root);
	JsonbValue value;
	JsonbIteratorToken token = JsonbIteratorNext(&iterator, &value, true);
	memset(out, 0, sizeof(*out));
	ph_logical_options_default(&out->options);
	if (token != WJB_BEGIN_OBJECT)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("options of logical time must be a JSON object"),
						errhint("Options are %s.", option_names())));
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
	StringInfoData list;
	PhLogicalOptions options = request->options;
	initStringInfo(&list);
	appendStringInfoChar(&list, '{');
	put_string(&list, "mode", options.compat ? "compat" : "default");
	put_string(&list, "phase_function", options.phase_function);
	put_string(&list, "counter", request->counter);
	for (int i = 0; i < (int) lengthof(switches); i++)
		appendStringInfo(&list, "%s\"%s\": %s", i > 0 ? ", " : "", switches[i].name,
						 *switch_at(&options, i) ? "true" : "false");
	appendStringInfoChar(&list, '}');
	return list.data;
}
