/*
 * fn_alias.c - regions that count as others: profiles under other names, names by rule, candidates.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "history/match_candidates.h"
#include "history/name_likeness.h"
#include "history/region_alias.h"
#include "profile/node_path.h"
#include "profile/ops.h"
#include "profile/value.h"
#include "server/args.h"
#include "server/compat.h"
#include "server/rowio.h"

/* ---- rules as JSON ---- */

static const struct
{
	const char *key;
	size_t offset;
} texts[] = {
	{"name", offsetof(PhAlias, name)},
	{"library", offsetof(PhAlias, library)},
	{"file", offsetof(PhAlias, file)},
	{"to_name", offsetof(PhAlias, to_name)},
	{"to_library", offsetof(PhAlias, to_library)},
	{"to_file", offsetof(PhAlias, to_file)},
};

static void
refuse_rules(const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("wrong aliases: %s", detail),
			 errhint("Aliases are a JSON array of objects with name, library, file (what they are "
					 "about), is_pattern, to_name, to_library, to_file (what that counts as).")));
}

static void
read_member(const char *key, const JsonbValue *value, PhAlias *alias)
{
	if (strcmp(key, "is_pattern") == 0 && value->type == jbvBool)
	{
		alias->is_pattern = value->val.boolean;
		return;
	}
	for (int i = 0; i < (int) lengthof(texts); i++)
	{
		if (strcmp(texts[i].key, key) != 0)
			continue;
		if (value->type == jbvString)
			*(const char **) ((char *) alias + texts[i].offset) =
				pnstrdup(value->val.string.val, value->val.string.len);
		else if (value->type != jbvNull)
			refuse_rules(psprintf("\"%s\" is not a text", key));
		return;
	}
	refuse_rules(psprintf("there is no \"%s\", or it is no truth value", key));
}

static void
read_rule(const JsonbValue *element, PhAlias *alias)
{
	JsonbValue value;
	if (element->type != jbvBinary || !JsonContainerIsObject(element->val.binary.data))
		refuse_rules("an element is not an object");
	JsonbIterator *iterator = JsonbIteratorInit(element->val.binary.data);
	(void) JsonbIteratorNext(&iterator, &value, true);
	while (JsonbIteratorNext(&iterator, &value, true) == WJB_KEY)
	{
		char *key = pnstrdup(value.val.string.val, value.val.string.len);
		(void) JsonbIteratorNext(&iterator, &value, true);
		read_member(key, &value, alias);
	}
}

static PhAliases *
read_rules(PhScratch *scratch, Jsonb *json)
{
	JsonbContainer *array = &json->root;
	if (!JsonContainerIsArray(array) || JsonContainerIsScalar(array))
		refuse_rules("not an array");
	uint32 n = JsonContainerSize(array);
	PhAlias *rules = palloc0(sizeof(PhAlias) * Max(n, 1));
	PhAliases *aliases = NULL;
	for (uint32 i = 0; i < n; i++)
		read_rule(getIthJsonbValueFromContainer(array, i), &rules[i]);
	PH_CHECK(&scratch->env, ph_aliases_new(&scratch->arena, n, rules, &aliases));
	return aliases;
}

PH_FUNCTION(ph_rename_regions)
{
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	PhScratch *scratch = ph_scratch_begin();
	PhAliases *aliases = read_rules(scratch, PG_GETARG_JSONB_P(1));
	PhValue *out = ph_value_new(PH_VALUE_PROFILE, CurrentMemoryContext);
	PH_CHECK(&out->env, ph_profile_apply_aliases(&out->env, profile, aliases, &out->profile));
	ph_scratch_end(scratch);
	PG_RETURN_PH_VALUE(out);
}

/* ---- regions by rule ---- */

/* Text argument; null is the empty one, as in the core. */
static const char *
arg_name(FunctionCallInfo fcinfo, int argument)
{
	return ph_arg_text_or(fcinfo, argument, "");
}

/* Rules are read once a query: a call for every region of a dictionary has the same ones. All is in
 * the scratch's memory. */
typedef struct KnownRules
{
	Jsonb *json;
	PhScratch *scratch;
	PhAliases *aliases;
} KnownRules;

static const PhAliases *
known_rules(FunctionCallInfo fcinfo, Jsonb *json)
{
	KnownRules *known = fcinfo->flinfo->fn_extra;
	if (known != NULL && VARSIZE(known->json) == VARSIZE(json) &&
		memcmp(known->json, json, VARSIZE(json)) == 0)
		return known->aliases;
	fcinfo->flinfo->fn_extra = NULL;
	if (known != NULL)
		ph_scratch_end(known->scratch);
	MemoryContext old = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
	PhScratch *scratch = ph_scratch_begin();
	MemoryContextSwitchTo(scratch->context);
	known = palloc(sizeof(KnownRules));
	known->json = (Jsonb *) memcpy(palloc(VARSIZE(json)), json, VARSIZE(json));
	known->scratch = scratch;
	known->aliases = read_rules(scratch, known->json);
	fcinfo->flinfo->fn_extra = known;
	MemoryContextSwitchTo(old);
	return known->aliases;
}

static Datum
text_or_null(const char *name, bool *is_null)
{
	*is_null = name[0] == '\0';
	return *is_null ? (Datum) 0 : CStringGetTextDatum(name);
}

PH_FUNCTION(ph_alias_target)
{
	TupleDesc descriptor;
	Datum values[4];
	bool nulls[4] = {false, false, false, false};
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
		PG_RETURN_NULL();
	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	PhRegionNames names = {arg_name(fcinfo, 2), arg_name(fcinfo, 3), arg_name(fcinfo, 4)};
	int32 line = PG_ARGISNULL(5) ? PH_NO_NUMBER : PG_GETARG_INT32(5);
	int16 kind = PG_GETARG_INT16(1);
	const PhAliases *aliases = known_rules(fcinfo, PG_GETARG_JSONB_P(0));
	PhScratch *scratch = ph_scratch_begin();
	PH_CHECK(&scratch->env, ph_aliases_apply(&scratch->env, aliases, &names));
	ph_scratch_end(scratch);
	values[0] = Int64GetDatum(
		(int64) ph_hash_region((PhRegionKind) kind, names.name, names.library, names.file, line));
	values[1] = CStringGetTextDatum(names.name);
	values[2] = text_or_null(names.library, &nulls[2]);
	values[3] = text_or_null(names.file, &nulls[3]);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls)));
}

PH_FUNCTION(ph_callpath_hash)
{
	uint64 parent = PG_ARGISNULL(0) ? 0 : (uint64) PG_GETARG_INT64(0);
	if (PG_ARGISNULL(1))
		PG_RETURN_NULL();
	PG_RETURN_INT64((int64) ph_hash_callpath(parent, (uint64) PG_GETARG_INT64(1)));
}

/* ---- candidates ---- */

/* What speaks for a pair, in words. */
static const char **
reasons(const PhCandidate *pair, int *n)
{
	const struct
	{
		const char *word;
		double value;
	} evidence[] = {{"name", pair->name},
					{"caller", pair->parent},
					{"callees", pair->children},
					{"cost", pair->cost},
					{"place", pair->place}};
	const char **list = palloc(sizeof(char *) * lengthof(evidence));
	*n = 0;
	for (int i = 0; i < (int) lengthof(evidence); i++)
		if (evidence[i].value == 1)
			list[(*n)++] = psprintf("same %s", evidence[i].word);
		else if (evidence[i].value > 0)
			list[(*n)++] = psprintf("%s %.2f", evidence[i].word, evidence[i].value);
	return list;
}

static void
put_region(PhRows *rows, const char *name, const char *path_name, const PhProfile *profile,
		   uint32 node)
{
	const PhRegion *region = ph_profile_region(profile, node);
	StringInfoData path;
	initStringInfo(&path);
	ph_rows_name(rows, name, ph_profile_string(profile, region->name));
	ph_rows_text(rows, path_name, ph_node_path(profile, node, &path));
	pfree(path.data);
}

static void
put_candidate(PhRows *rows, const PhProfile *a, const PhProfile *b, const uint32 *partner,
			  const PhMatchOptions *options, const PhCandidate *pair)
{
	int n;
	const char **list = reasons(pair, &n);
	uint32 above = a->parent[pair->node];
	const PhRegion *x = ph_profile_region(a, pair->node),
				   *y = ph_profile_region(b, pair->candidate);
	ph_rows_int(rows, "node", (int32) pair->node);
	put_region(rows, "name", "path", a, pair->node);
	ph_rows_int(rows, "rank", (int32) pair->rank);
	ph_rows_int(rows, "candidate", (int32) pair->candidate);
	put_region(rows, "candidate_name", "candidate_path", b, pair->candidate);
	ph_rows_number(rows, "score", pair->score);
	ph_rows_texts(rows, "reasons", list, n);
	ph_rows_bool(rows, "is_top", above == PH_NONE || partner[above] != PH_NONE);
	ph_rows_number(rows, "cost",
				   ph_profile_mean(a, options->metric_a, pair->node, PH_COST_INCLUSIVE));
	ph_rows_number(rows, "candidate_cost",
				   ph_profile_mean(b, options->metric_b, pair->candidate, PH_COST_INCLUSIVE));
	ph_rows_text(rows, "kind", ph_kind_name(x->kind));
	ph_rows_name(rows, "library", ph_profile_string(a, x->library));
	ph_rows_name(rows, "file", ph_profile_string(a, x->file));
	ph_rows_name(rows, "candidate_library", ph_profile_string(b, y->library));
	ph_rows_name(rows, "candidate_file", ph_profile_string(b, y->file));
	ph_rows_put(rows);
}

static void
put_candidates(PhRows *rows, PhScratch *scratch, const PhProfile *a, const PhProfile *b,
			   const PhMatchOptions *options)
{
	PhCandidate *pairs = NULL;
	uint32 n = 0, only_a = 0, *partner = NULL;
	PH_CHECK(&scratch->env, PH_NEW(&scratch->arena, a->n_nodes, &partner));
	PH_CHECK(&scratch->env, ph_profile_pair_nodes(&scratch->env, a, b, partner));
	PH_CHECK(&scratch->env,
			 ph_match_candidates(&scratch->arena, a, b, options, &pairs, &n, &only_a));
	for (uint32 i = 0; i < n; i++)
		put_candidate(rows, a, b, partner, options, &pairs[i]);
}

PH_FUNCTION(ph_match_candidate_rows)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	const PhProfile *a = ph_arg_profile(fcinfo, 0), *b = ph_arg_profile(fcinfo, 1);
	PhMatchOptions options = {.min_score = PG_ARGISNULL(2) ? 0.5 : PG_GETARG_FLOAT8(2)};
	int32 most = PG_ARGISNULL(3) ? 3 : PG_GETARG_INT32(3);
	options.most = most < 0 ? 0 : (uint32) most;
	options.metric_a = ph_arg_metric(fcinfo, 4, a);
	options.metric_b = ph_arg_metric(fcinfo, 4, b);
	PhScratch *scratch = ph_scratch_begin();
	put_candidates(&rows, scratch, a, b, &options);
	ph_scratch_end(scratch);
	return (Datum) 0;
}

/* ---- likeness of names ---- */

PG_FUNCTION_INFO_V1(ph_name_likeness_value);
Datum
ph_name_likeness_value(PG_FUNCTION_ARGS)
{
	const char *a = text_to_cstring(PG_GETARG_TEXT_PP(0));
	const char *b = text_to_cstring(PG_GETARG_TEXT_PP(1));
	PhCoreName core_a;
	PhCoreName core_b;
	ph_core_name(a, &core_a);
	ph_core_name(b, &core_b);
	PG_RETURN_FLOAT8(ph_name_likeness(a, &core_a, b, &core_b));
}
