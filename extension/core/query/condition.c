/*
 * condition.c - parses what a step of a call-path query asks of a node.
 *
 *   condition := xors { OR xors }
 *   xors      := ands { XOR ands }
 *   ands      := unary { AND unary }
 *   unary     := { NOT } primary
 *   primary   := "(" condition ")" | LEAF | ROOT | attribute test
 *              | ANY "(" condition ")" | ALL "(" condition ")"
 *   test      := ( "=" | "!=" | "<" | "<=" | ">" | ">=" ) number
 *              | ( "=" | "!=" | STARTS WITH | ENDS WITH | CONTAINS ) text
 *              | ( "=~" | "!~" ) ( /regex/ | /regex/i | text )
 *              | IS [ NOT ] ( NULL | NAN | INF )
 *   attribute := name | kind | module | library | file                          (texts)
 *              | line | depth | node | n_present                                (numbers)
 *              | ( share | inclusive | exclusive | absorbed ) [ "(" "metric" ")" ]
 *              | host | rank | thread | iteration          (inside ANY and ALL only)
 *
 * Costs are means over columns; inside ANY and ALL, which range over the columns where the node is
 * present, those of one column. Keywords are recognised in either case.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "query/internal.h"

#include <string.h>

typedef struct AttributeName
{
	const char *name;
	PhQueryAttribute attribute;
} AttributeName;

static const AttributeName attribute_names[] = {
	{"name", PH_ATTRIBUTE_NAME},		   {"kind", PH_ATTRIBUTE_KIND},
	{"type", PH_ATTRIBUTE_KIND},		   {"module", PH_ATTRIBUTE_MODULE},
	{"library", PH_ATTRIBUTE_LIBRARY},	   {"file", PH_ATTRIBUTE_FILE},
	{"host", PH_ATTRIBUTE_HOST},		   {"line", PH_ATTRIBUTE_LINE},
	{"depth", PH_ATTRIBUTE_DEPTH},		   {"node", PH_ATTRIBUTE_NODE},
	{"n_present", PH_ATTRIBUTE_N_PRESENT}, {"rank", PH_ATTRIBUTE_RANK},
	{"thread", PH_ATTRIBUTE_THREAD},	   {"iteration", PH_ATTRIBUTE_ITERATION},
	{"share", PH_ATTRIBUTE_SHARE},		   {"inclusive", PH_ATTRIBUTE_INCLUSIVE},
	{"exclusive", PH_ATTRIBUTE_EXCLUSIVE}, {"absorbed", PH_ATTRIBUTE_ABSORBED},
};

typedef struct ComparatorName
{
	const char *symbol;
	PhComparator comparator;
} ComparatorName;

static const ComparatorName comparator_names[] = {
	{"=", PH_COMPARE_EQUAL},
	{"==", PH_COMPARE_EQUAL},
	{"!=", PH_COMPARE_NOT_EQUAL},
	{"<>", PH_COMPARE_NOT_EQUAL},
	{"<", PH_COMPARE_LESS},
	{"<=", PH_COMPARE_LESS_EQUAL},
	{">", PH_COMPARE_GREATER},
	{">=", PH_COMPARE_GREATER_EQUAL},
	{"=~", PH_COMPARE_MATCHES},
	{"!~", PH_COMPARE_MATCHES_NOT},
	{"starts", PH_COMPARE_STARTS},
	{"ends", PH_COMPARE_ENDS},
	{"contains", PH_COMPARE_CONTAINS},
};

static PhStatus parse_unary(PhQueryReader *reader, PhCondition **out);

static PhStatus
new_condition(PhQueryReader *reader, PhConditionOp op, PhCondition *first, PhCondition **out)
{
	PH_TRY(PH_NEW(reader->arena, 1, out));
	(*out)->op = op;
	(*out)->first = first;
	return PH_OK;
}

static bool
is_text(PhQueryAttribute attribute)
{
	return attribute <= PH_ATTRIBUTE_HOST;
}

static bool
of_column(PhQueryAttribute attribute)
{
	return attribute == PH_ATTRIBUTE_HOST || attribute == PH_ATTRIBUTE_RANK ||
		   attribute == PH_ATTRIBUTE_THREAD || attribute == PH_ATTRIBUTE_ITERATION;
}

static PhStatus
compile_regex(PhQueryReader *reader, PhQueryComparison *compare)
{
	PhRegexCase letters = reader->token.ignore_case ? PH_REGEX_IGNORE_CASE : PH_REGEX_EXACT;
	if (reader->token.kind != PH_TOKEN_REGEX && reader->token.kind != PH_TOKEN_STRING)
		return ph_query_expected(reader, "a /regular expression/");
	return ph_regex_compile(reader->arena, reader->token.text, reader->token.length, letters,
							&compare->regex);
}

/* The right side of a comparison must fit what stands on the left. */
static PhStatus
parse_operand(PhQueryReader *reader, PhQueryComparison *compare)
{
	bool matches =
		compare->comparator == PH_COMPARE_MATCHES || compare->comparator == PH_COMPARE_MATCHES_NOT;
	bool ordered =
		compare->comparator >= PH_COMPARE_LESS && compare->comparator <= PH_COMPARE_GREATER_EQUAL;
	bool text = is_text(compare->attribute);
	if (text && ordered)
		return ph_query_expected(reader, "=, !=, =~, !~, starts with, ends with or contains "
										 "before the text");
	if (!text && compare->comparator > PH_COMPARE_GREATER_EQUAL)
		return ph_query_expected(reader, "=, !=, <, <=, > or >= before the number");
	if (matches)
		PH_TRY(compile_regex(reader, compare));
	else if (text && reader->token.kind != PH_TOKEN_STRING)
		return ph_query_expected(reader, "a \"text\"");
	else if (!text && reader->token.kind != PH_TOKEN_NUMBER)
		return ph_query_expected(reader, "a number");
	compare->text = reader->token.text;
	compare->length = reader->token.length;
	compare->number = reader->token.number;
	return ph_query_next(reader);
}

static PhStatus
parse_is(PhQueryReader *reader, PhQueryComparison *compare, bool *negated)
{
	bool text = is_text(compare->attribute);
	PH_TRY(ph_query_take(reader, "not", negated));
	if (ph_query_is(reader, "null") || ph_query_is(reader, "none"))
		compare->comparator = PH_COMPARE_IS_NULL;
	else if (ph_query_is(reader, "nan") && !text)
		compare->comparator = PH_COMPARE_IS_NAN;
	else if (ph_query_is(reader, "inf") && !text)
		compare->comparator = PH_COMPARE_IS_INF;
	else
		return ph_query_expected(reader, text ? "null" : "null, nan or inf");
	return ph_query_next(reader);
}

static PhStatus
parse_test(PhQueryReader *reader, PhQueryComparison *compare, bool *negated)
{
	bool taken;
	*negated = false;
	PH_TRY(ph_query_take(reader, "is", &taken));
	if (taken)
		return parse_is(reader, compare, negated);
	size_t n = sizeof(comparator_names) / sizeof(comparator_names[0]);
	size_t i = 0;
	while (i < n && !ph_query_is(reader, comparator_names[i].symbol))
		i++;
	if (i == n)
		return ph_query_expected(reader, "a comparison");
	compare->comparator = comparator_names[i].comparator;
	PH_TRY(ph_query_next(reader));
	if (compare->comparator == PH_COMPARE_STARTS || compare->comparator == PH_COMPARE_ENDS)
		PH_TRY(ph_query_expect(reader, "with"));
	return parse_operand(reader, compare);
}

/* ("metric") behind a cost. */
static PhStatus
parse_metric(PhQueryReader *reader, PhQueryComparison *compare)
{
	bool taken = false;
	if (compare->attribute >= PH_ATTRIBUTE_SHARE)
		PH_TRY(ph_query_take(reader, "(", &taken));
	if (!taken)
		return PH_OK;
	if (reader->token.kind != PH_TOKEN_STRING)
		return ph_query_expected(reader, "a metric's name in quotes");
	char *name;
	PH_TRY(ph_arena_strndup(reader->arena, reader->token.text, reader->token.length, &name));
	compare->metric = name;
	PH_TRY(ph_query_next(reader));
	return ph_query_expect(reader, ")");
}

static PhStatus
new_comparison(PhQueryReader *reader, PhQueryAttribute attribute, PhCondition **out)
{
	if (reader->n_comparisons == PH_QUERY_MAX_COMPARISONS)
		return ph_fail_hint(
			reader->arena->env, PH_ERR_LIMIT, "Use one regular expression for many names.",
			"call-path query has more than %d comparisons", PH_QUERY_MAX_COMPARISONS);
	PH_TRY(new_condition(reader, PH_CONDITION_COMPARE, NULL, out));
	PH_TRY(PH_NEW(reader->arena, 1, &(*out)->compare));
	(*out)->compare->attribute = attribute;
	(*out)->compare->index = reader->n_comparisons++;
	return PH_OK;
}

static PhStatus
parse_comparison(PhQueryReader *reader, PhCondition **out)
{
	size_t n = sizeof(attribute_names) / sizeof(attribute_names[0]);
	size_t i = 0;
	while (i < n &&
		   (reader->token.kind != PH_TOKEN_WORD || !ph_query_is(reader, attribute_names[i].name)))
		i++;
	if (i == n)
		return ph_query_expected(reader, "a condition such as name = \"main\", inclusive > 0.1, "
										 "leaf, any(...) or all(...)");
	if (of_column(attribute_names[i].attribute) && !reader->in_columns)
		return ph_query_expected(reader, "host, rank, thread and iteration inside any(...) or "
										 "all(...) only");
	PhCondition *condition;
	PH_TRY(new_comparison(reader, attribute_names[i].attribute, &condition));
	PH_TRY(ph_query_next(reader));
	PH_TRY(parse_metric(reader, condition->compare));
	bool negated;
	PH_TRY(parse_test(reader, condition->compare, &negated));
	if (negated)
		return new_condition(reader, PH_CONDITION_NOT, condition, out);
	*out = condition;
	return PH_OK;
}

PhStatus
ph_query_name_condition(PhQueryReader *reader, PhCondition **out)
{
	PH_TRY(new_comparison(reader, PH_ATTRIBUTE_NAME, out));
	(*out)->compare->comparator =
		reader->token.kind == PH_TOKEN_REGEX ? PH_COMPARE_MATCHES : PH_COMPARE_EQUAL;
	return parse_operand(reader, (*out)->compare);
}

/* "(" condition ")" */
static PhStatus
parse_bracket(PhQueryReader *reader, PhCondition **out)
{
	PH_TRY(ph_query_enter(reader));
	PH_TRY(ph_query_expect(reader, "("));
	PH_TRY(ph_query_parse_condition(reader, out));
	PH_TRY(ph_query_expect(reader, ")"));
	reader->nesting--;
	return PH_OK;
}

/* any(...) and all(...): one level, or the cost would multiply with every further one. */
static PhStatus
parse_over_columns(PhQueryReader *reader, PhConditionOp op, PhCondition **out)
{
	PhCondition *inner;
	if (reader->in_columns)
		return ph_query_expected(reader, "no any or all within any or all");
	PH_TRY(ph_query_next(reader));
	reader->in_columns = true;
	PH_TRY(parse_bracket(reader, &inner));
	reader->in_columns = false;
	return new_condition(reader, op, inner, out);
}

static PhStatus
parse_primary(PhQueryReader *reader, PhCondition **out)
{
	if (ph_query_is(reader, "any"))
		return parse_over_columns(reader, PH_CONDITION_ANY, out);
	if (ph_query_is(reader, "all"))
		return parse_over_columns(reader, PH_CONDITION_ALL, out);
	bool leaf = ph_query_is(reader, "leaf");
	if (leaf || ph_query_is(reader, "root"))
	{
		PH_TRY(ph_query_next(reader));
		return new_condition(reader, leaf ? PH_CONDITION_LEAF : PH_CONDITION_ROOT, NULL, out);
	}
	if (ph_query_is(reader, "("))
		return parse_bracket(reader, out);
	return parse_comparison(reader, out);
}

static PhStatus
parse_unary(PhQueryReader *reader, PhCondition **out)
{
	bool negate = false;
	for (bool taken = true; taken;)
	{
		PH_TRY(ph_query_take(reader, "not", &taken));
		negate = negate != taken;
	}
	PH_TRY(parse_primary(reader, out));
	if (negate)
		return new_condition(reader, PH_CONDITION_NOT, *out, out);
	return PH_OK;
}

/* level 0: OR, 1: XOR, 2: AND; below that unary. */
static PhStatus
parse_level(PhQueryReader *reader, PhConditionOp op, PhCondition **out)
{
	static const char *const words[] = {"or", "xor", "and"};
	PhCondition *first, **last = &first;
	bool more = true;
	uint32_t count = 0;
	for (; more; count++)
	{
		if (op == PH_CONDITION_AND)
			PH_TRY(parse_unary(reader, last));
		else
			PH_TRY(parse_level(reader, op + 1, last));
		last = &(*last)->next;
		PH_TRY(ph_query_take(reader, words[op], &more));
	}
	if (count > 1)
		return new_condition(reader, op, first, out);
	*out = first;
	return PH_OK;
}

PhStatus
ph_query_parse_condition(PhQueryReader *reader, PhCondition **out)
{
	return parse_level(reader, PH_CONDITION_OR, out);
}
