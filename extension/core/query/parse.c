/*
 * parse.c - parses the patterns of a call-path query.
 *
 *   query      := xors { OR xors }
 *   xors       := ands { XOR ands }
 *   ands       := unary { AND unary }
 *   unary      := { NOT } ( "(" query ")" | path )
 *   path       := step { [ "->" ] step }
 *   step       := quantifier [ test ] | test
 *   quantifier := "." (one node) | "*" (any number) | "+" (one or more) | n
 *               | "{" m "}" | "{" m "," "}" | "{" m "," n "}" | "{" "," n "}"
 *   test       := "[" condition "]" | "name" | /regular expression on the name/
 *
 * A test belongs to the quantifier before it: "* [leaf]" is any number of leaves; "* . [leaf]" and
 * "* -> [leaf]" are two steps. A test without a quantifier is one node. A path runs from any node
 * downwards through children. AND, OR, XOR and NOT of whole patterns are set operations on the
 * nodes that they match. The grammar of conditions is in query/condition.c.
 *
 *   * . [name =~ /^MPI_/]                        MPI calls and everything above them
 *   . [name = "main"] * [exclusive > 0.1]        main and chains of dear nodes below it
 *   . [name = "main"] * . [any(exclusive > 5)]   dear on some rank, with the way from main
 *   NOT (* [library =~ /libmpi/] +)              all but chains that begin in an MPI library
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "query/internal.h"

#include <string.h>

static PhStatus parse_query(PhQueryReader *reader, PhQueryOp op, PhQuery **out);

static PhStatus
new_query(PhQueryReader *reader, PhQueryOp op, PhQuery *first, PhQuery **out)
{
	PH_TRY(PH_NEW(reader->arena, 1, out));
	(*out)->op = op;
	(*out)->first = first;
	return PH_OK;
}

/* A whole number up to the limit of states. */
static PhStatus
parse_count(PhQueryReader *reader, uint32_t *out)
{
	double number = reader->token.number;
	if (reader->token.kind != PH_TOKEN_NUMBER || number < 0 || number > PH_QUERY_MAX_STATES ||
		number != (double) (uint32_t) number)
		return ph_query_expected(reader, "a whole number of nodes from 0 to 1024");
	*out = (uint32_t) number;
	return ph_query_next(reader);
}

/* {m}, {m,}, {m,n}, {,n}; the brace has been read. */
static PhStatus
parse_bounds(PhQueryReader *reader, PhQueryStep *step)
{
	bool comma = ph_query_is(reader, ",");
	step->least = 0;
	if (!comma)
		PH_TRY(parse_count(reader, &step->least));
	step->most = step->least;
	PH_TRY(ph_query_take(reader, ",", &comma));
	if (comma && ph_query_is(reader, "}"))
		step->most = PH_QUERY_MANY;
	else if (comma)
		PH_TRY(parse_count(reader, &step->most));
	if (step->most < step->least)
		return ph_query_expected(reader, "a largest count that is not below the least");
	return ph_query_expect(reader, "}");
}

/* *there: whether the current token begins a quantifier. */
static PhStatus
parse_quantifier(PhQueryReader *reader, PhQueryStep *step, bool *there)
{
	*there = true;
	step->least = 1;
	step->most = 1;
	if (reader->token.kind == PH_TOKEN_NUMBER)
	{
		PH_TRY(parse_count(reader, &step->least));
		step->most = step->least;
		return PH_OK;
	}
	bool taken;
	PH_TRY(ph_query_take(reader, "{", &taken));
	if (taken)
		return parse_bounds(reader, step);
	if (ph_query_is(reader, "*"))
		step->least = 0;
	if (ph_query_is(reader, "*") || ph_query_is(reader, "+"))
		step->most = PH_QUERY_MANY;
	else if (!ph_query_is(reader, "."))
		*there = false;
	return *there ? ph_query_next(reader) : PH_OK;
}

static PhStatus
parse_test(PhQueryReader *reader, PhQueryStep *step, bool *there)
{
	*there = true;
	if (reader->token.kind == PH_TOKEN_STRING || reader->token.kind == PH_TOKEN_REGEX)
		return ph_query_name_condition(reader, &step->condition);
	PH_TRY(ph_query_take(reader, "[", there));
	if (!*there)
		return PH_OK;
	PH_TRY(ph_query_enter(reader));
	PH_TRY(ph_query_parse_condition(reader, &step->condition));
	reader->nesting--;
	return ph_query_expect(reader, "]");
}

/* *out stays NULL when no step begins here. */
static PhStatus
parse_step(PhQueryReader *reader, PhQueryStep **out)
{
	PhQueryStep *step;
	bool quantified, tested;
	PH_TRY(PH_NEW(reader->arena, 1, &step));
	PH_TRY(parse_quantifier(reader, step, &quantified));
	PH_TRY(parse_test(reader, step, &tested));
	*out = quantified || tested ? step : NULL;
	return PH_OK;
}

/* Positions of a step when its counts are written out: "{2,}" is two and a third that repeats. */
static uint32_t
step_states(const PhQueryStep *step)
{
	if (step->most != PH_QUERY_MANY)
		return step->most;
	return step->least > 0 ? step->least : 1;
}

static PhStatus
check_states(const PhQueryReader *reader, uint32_t states)
{
	if (states > PH_QUERY_MAX_STATES)
		return ph_fail_hint(reader->arena->env, PH_ERR_LIMIT, "Use smaller counts or fewer steps.",
							"call-path query is longer than %d nodes", PH_QUERY_MAX_STATES);
	return PH_OK;
}

static PhStatus
parse_path(PhQueryReader *reader, PhQuery **out)
{
	PhQuery *path;
	PH_TRY(new_query(reader, PH_QUERY_PATH, NULL, &path));
	PhQueryStep **last = &path->steps;
	uint32_t states = 0;
	bool arrow = false;
	for (;;)
	{
		PH_TRY(parse_step(reader, last));
		if (*last == NULL)
			break;
		path->n_steps++;
		states += step_states(*last);
		PH_TRY(check_states(reader, states));
		last = &(*last)->next;
		PH_TRY(ph_query_take(reader, "->", &arrow));
	}
	if (path->n_steps == 0 || arrow)
		return ph_query_expected(reader, "a step such as *, . [name = \"main\"] or \"main\"");
	*out = path;
	return PH_OK;
}

static PhStatus
parse_unary(PhQueryReader *reader, PhQuery **out)
{
	bool negate = false, taken = true;
	while (taken)
	{
		PH_TRY(ph_query_take(reader, "not", &taken));
		negate = negate != taken;
	}
	PH_TRY(ph_query_take(reader, "(", &taken));
	if (taken)
	{
		PH_TRY(ph_query_enter(reader));
		PH_TRY(parse_query(reader, PH_QUERY_OR, out));
		PH_TRY(ph_query_expect(reader, ")"));
		reader->nesting--;
	}
	else
		PH_TRY(parse_path(reader, out));
	if (negate)
		return new_query(reader, PH_QUERY_NOT, *out, out);
	return PH_OK;
}

/* One level of precedence: op and what binds tighter. */
static PhStatus
parse_query(PhQueryReader *reader, PhQueryOp op, PhQuery **out)
{
	static const char *const words[] = {"or", "xor", "and"};
	PhQuery *first, **last = &first;
	bool more = true;
	uint32_t count = 0;
	for (; more; count++)
	{
		if (op == PH_QUERY_AND)
			PH_TRY(parse_unary(reader, last));
		else
			PH_TRY(parse_query(reader, op + 1, last));
		last = &(*last)->next;
		PH_TRY(ph_query_take(reader, words[op], &more));
	}
	if (count > 1)
		return new_query(reader, op, first, out);
	*out = first;
	return PH_OK;
}

PhStatus
ph_query_parse(PhArena *arena, const char *text, PhQuery **out)
{
	PhQueryReader reader = {.arena = arena, .text = text, .length = strlen(text)};
	if (reader.length > PH_QUERY_MAX_LENGTH)
		return ph_fail(arena->env, PH_ERR_LIMIT, "call-path query is longer than %d bytes",
					   PH_QUERY_MAX_LENGTH);
	PhQuery *query;
	PH_TRY(ph_query_next(&reader));
	PH_TRY(parse_query(&reader, PH_QUERY_OR, &query));
	if (reader.token.kind != PH_TOKEN_END)
		return ph_query_expected(&reader, "a step, and, or, xor or the end");
	query->n_comparisons = reader.n_comparisons;
	*out = query;
	return PH_OK;
}
