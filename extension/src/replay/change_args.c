/*
 * change_args.c - see change_args.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/float.h"

#include "replay/change_args.h"

/* One change as it was written; NULL: not said. */
typedef struct ChangeText
{
	const char *kind, *name, *ranks, *factor, *order;
} ChangeText;

typedef struct Context
{
	PhTraceRun *trace;
	PhSpans *spans;
} Context;

static _Noreturn void
refuse_change(const char *message, const char *what, const char *hint)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg(message, what == NULL ? "" : what), errhint("%s", hint)));
	pg_unreachable();
}

/* ---- kinds ---- */

static void
want_path(const Context *context, const ChangeText *given, PhChange *change)
{
	bool found;
	if (given->name == NULL)
		refuse_change("the change \"%s\" names no function", given->kind,
					  "Write {\"scale\": {\"region\": \"solve\", \"by\": 0.5}}, or for orders "
					  "\"path\".");
	PH_CHECK(&context->trace->scratch->env,
			 ph_spans_want_path(context->spans, given->name, &change->target, &found));
	if (!found)
		ph_replay_no_function(context->trace, given->name);
}

static void
take_scale(const Context *context, const ChangeText *given, PhChange *change)
{
	change->kind = PH_CHANGE_SCALE;
	want_path(context, given, change);
	change->by =
		given->factor == NULL
			? NAN
			: DatumGetFloat8(DirectFunctionCall1(float8in, CStringGetDatum(given->factor)));
	if (!(change->by >= 0 && change->by <= 1e6))
		refuse_change("\"%s\" is no factor", given->factor, "Write \"by\": 0 to 1000000.");
}

static void
take_order(const Context *context, const ChangeText *given, PhChange *change)
{
	static const struct
	{
		const char *name;
		PhChangeKind kind;
		PhSendOrder sends;
	} orders[] = {{"first receive", PH_CHANGE_RECEIVE_FIRST, 0},
				  {"first send", PH_CHANGE_SEND_FIRST, 0},
				  {"sends partner", PH_CHANGE_SORT_SENDS, PH_SENDS_BY_PARTNER},
				  {"sends ascending partner", PH_CHANGE_SORT_SENDS, PH_SENDS_BY_PARTNER},
				  {"sends descending partner", PH_CHANGE_SORT_SENDS, PH_SENDS_BY_PARTNER_DOWN},
				  {"sends ascending distance", PH_CHANGE_SORT_SENDS, PH_SENDS_BY_DISTANCE},
				  {"sends descending distance", PH_CHANGE_SORT_SENDS, PH_SENDS_BY_DISTANCE_DOWN}};
	for (int i = 0; i < (int) lengthof(orders); i++)
	{
		if (given->order == NULL || strcmp(orders[i].name, given->order) != 0)
			continue;
		change->kind = orders[i].kind;
		change->sends = orders[i].sends;
		want_path(context, given, change);
		return;
	}
	refuse_change("the order \"%s\" is not known", given->order,
				  "Write \"first\": \"receive\" or \"send\", or \"sends\": \"ascending\" or "
				  "\"descending\" and \"partner\" or \"distance\".");
}

static void
take_rank(const Context *context, const ChangeText *given, PhChange *change)
{
	const PhTraceModel *model = &context->trace->model;
	char *end = NULL;
	unsigned long rank = given->name == NULL ? PH_NONE : strtoul(given->name, &end, 10);
	change->kind = PH_CHANGE_RANK_TO_MEAN;
	if (given->name == NULL || *given->name < '0' || *given->name > '9' || *end != '\0')
		refuse_change("\"%s\" is no rank", given->name, "Write {\"rank_to_mean\": 17}.");
	if (rank >= model->n_ranks || model->rank_location[rank] == PH_NONE)
		ereport(ERROR,
				(errcode(PH_ERRCODE_NOT_FOUND), errmsg("run " INT64_FORMAT " has no rank %s",
													   context->trace->run_id, given->name)));
	change->rank = (uint32) rank;
}

static void
take_change(const Context *context, const ChangeText *given, PhChange *change)
{
	if (strcmp(given->kind, "balance") == 0)
		want_path(context, given, change);
	else if (strcmp(given->kind, "scale") == 0)
		take_scale(context, given, change);
	else if (strcmp(given->kind, "order") == 0)
		take_order(context, given, change);
	else if (strcmp(given->kind, "rank_to_mean") == 0)
		take_rank(context, given, change);
	else if (strcmp(given->kind, "nonblocking") == 0)
	{
		change->kind = PH_CHANGE_POST;
		change->regions =
			given->name == NULL ? NULL : ph_replay_regions(context->trace, given->name);
		if (change->regions == NULL)
			ph_replay_no_function(context->trace, given->name == NULL ? "" : given->name);
	}
	else if (strcmp(given->kind, "network") == 0)
	{
		change->kind = PH_CHANGE_IDEAL_NETWORK;
		if (given->name == NULL || strcmp(given->name, "ideal") != 0)
			refuse_change("the network \"%s\" is not known", given->name, "Write \"ideal\".");
	}
	else
		refuse_change("the change \"%s\" is not known", given->kind,
					  "Changes are balance, scale, network, nonblocking, rank_to_mean and order.");
}

/* ---- arrays ---- */

static const char **
take_texts(FunctionCallInfo fcinfo, int argument, int *count)
{
	Datum *values;
	bool *nulls;
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(argument);
	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &values, &nulls, count);
	const char **texts = palloc0(sizeof(char *) * (size_t) Max(*count, 1));
	for (int i = 0; i < *count; i++)
		texts[i] = nulls[i] ? NULL : TextDatumGetCString(values[i]);
	return texts;
}

/* A rank set that nobody can read is refused before anything is read. */
static void
check_ranks(PhTraceRun *trace, const char *ranks)
{
	bool is;
	PH_CHECK(&trace->scratch->env, ph_rank_is_one_of(&trace->scratch->env, ranks, 0, 1, &is));
}

PhChange *
ph_arg_changes(FunctionCallInfo fcinfo, int first, PhTraceRun *trace, PhSpans *spans, int *count)
{
	Context context = {trace, spans};
	const char **columns[5];
	PhChange *changes;
	MemoryContext before = MemoryContextSwitchTo(trace->scratch->context);
	for (int i = 0; i < 5; i++)
	{
		int n;
		columns[i] = take_texts(fcinfo, first + i, &n);
		if (i > 0 && n != *count)
			refuse_change("changes of different %s", "lengths", "Call what_if.");
		*count = n;
	}
	changes = palloc0(sizeof(PhChange) * (size_t) Max(*count, 1));
	for (int i = 0; i < *count; i++)
	{
		ChangeText given = {columns[0][i], columns[1][i], columns[2][i], columns[3][i],
							columns[4][i]};
		if (given.kind == NULL)
			refuse_change("a change %s", "is null", "Call what_if.");
		changes[i].ranks = given.ranks;
		check_ranks(trace, given.ranks);
		take_change(&context, &given, &changes[i]);
	}
	MemoryContextSwitchTo(before);
	return changes;
}
