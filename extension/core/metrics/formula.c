/*
 * formula.c - see formula.h: operator precedence with two stacks, over fractions of linear forms.
 *
 * Every operand is a fraction whose numerator and denominator are a constant and a coefficient for
 * each metric. Sums, products and quotients of such fractions are ones again only where no two
 * forms that hold metrics are multiplied; anything else is refused, as its value for a whole is not
 * what its parts tell.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "metrics/formula.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"

/* constant + sum of coefficient[i] * metric i */
typedef struct Form
{
	double constant;
	double coefficient[PH_FORMULA_NAMES];
} Form;

typedef struct Fraction
{
	Form over, under;
} Fraction;

typedef struct Parser
{
	PhArena *arena;
	const char *text;
	size_t at;
	PhStrings names; /* index - 1 is the metric */
	Fraction *operands;
	uint32_t n_operands;
	struct
	{
		char op; /* + - * / (, and n: the minus of one operand */
		size_t at;
	} * operators;
	uint32_t n_operators;
} Parser;

static PhStatus
fail_at(Parser *parser, size_t at, const char *what)
{
	return ph_fail(parser->arena->env, PH_ERR_VALUE, "formula, byte %u: %s", (unsigned) (at + 1),
				   what);
}

static PhStatus
not_additive(Parser *parser, size_t at, const char *what)
{
	return ph_fail_hint(parser->arena->env, PH_ERR_VALUE,
						"A formula is a sum of multiples of metrics, or the quotient of two such "
						"sums: only those can be evaluated after aggregation.",
						"formula, byte %u: %s", (unsigned) (at + 1), what);
}

/* ---- forms ---- */

static bool
is_constant(const Form *form)
{
	for (int i = 0; i < PH_FORMULA_NAMES; i++)
		if (form->coefficient[i] != 0)
			return false;
	return true;
}

/* to = to * x + y * with */
static void
combine_forms(Form *to, double x, const Form *y, double with)
{
	to->constant = to->constant * x + y->constant * with;
	for (int i = 0; i < PH_FORMULA_NAMES; i++)
		to->coefficient[i] = to->coefficient[i] * x + y->coefficient[i] * with;
}

/* a * b, one of which must be constant. */
static bool
multiply_forms(const Form *a, const Form *b, Form *out)
{
	Form none = {0};
	if (!is_constant(a) && !is_constant(b))
		return false;
	*out = is_constant(a) ? *b : *a;
	combine_forms(out, is_constant(a) ? a->constant : b->constant, &none, 0);
	return true;
}

static bool
same_form(const Form *a, const Form *b)
{
	bool same = a->constant == b->constant;
	for (int i = 0; i < PH_FORMULA_NAMES; i++)
		same &= a->coefficient[i] == b->coefficient[i];
	return same;
}

static bool
add_fractions(const Fraction *a, const Fraction *b, double sign, Fraction *out)
{
	Fraction sum = {.under = a->under};
	Form left, right;
	if (same_form(&a->under, &b->under))
	{
		left = a->over;
		right = b->over;
	}
	else if (!multiply_forms(&a->over, &b->under, &left) ||
			 !multiply_forms(&b->over, &a->under, &right) ||
			 !multiply_forms(&a->under, &b->under, &sum.under))
		return false;
	combine_forms(&left, 1, &right, sign);
	sum.over = left;
	*out = sum;
	return true;
}

static bool
multiply_fractions(const Fraction *a, const Form *over, const Form *under, Fraction *out)
{
	Fraction product;
	if (!multiply_forms(&a->over, over, &product.over) ||
		!multiply_forms(&a->under, under, &product.under))
		return false;
	*out = product;
	return true;
}

/* ---- operators ---- */

static int
precedence(char op)
{
	switch (op)
	{
		case '(':
			return 0;
		case '+':
		case '-':
			return 1;
		case '*':
		case '/':
			return 2;
		default:
			return 3;
	}
}

/* Apply the operator on top of the stack to the operands on top of theirs. */
static PhStatus
apply(Parser *parser)
{
	char op = parser->operators[--parser->n_operators].op;
	size_t at = parser->operators[parser->n_operators].at;
	Fraction *b = &parser->operands[parser->n_operands - 1];
	Fraction *a = b - 1;
	bool done = true;
	if (op == '(')
		return fail_at(parser, at, "a parenthesis that is not closed");
	if (op == 'n')
	{
		Form none = {0};
		combine_forms(&b->over, -1, &none, 0);
		return PH_OK;
	}
	parser->n_operands--;
	if (op == '+' || op == '-')
		done = add_fractions(a, b, op == '+' ? 1 : -1, a);
	else if (op == '*')
		done = multiply_fractions(a, &b->over, &b->under, a);
	else
		done = multiply_fractions(a, &b->under, &b->over, a);
	return done ? PH_OK : not_additive(parser, at, "metrics are multiplied with metrics");
}

static PhStatus
push_operator(Parser *parser, char op)
{
	while (op != '(' && op != 'n' && parser->n_operators > 0 &&
		   precedence(parser->operators[parser->n_operators - 1].op) >= precedence(op))
		PH_TRY(apply(parser));
	if (parser->n_operators == PH_FORMULA_DEPTH)
		return fail_at(parser, parser->at, "too deep");
	parser->operators[parser->n_operators].op = op;
	parser->operators[parser->n_operators++].at = parser->at;
	return PH_OK;
}

/* ---- operands ---- */

static PhStatus
push_operand(Parser *parser, double constant, uint32_t name)
{
	if (parser->n_operands == PH_FORMULA_DEPTH)
		return fail_at(parser, parser->at, "too deep");
	Fraction *operand = &parser->operands[parser->n_operands++];
	*operand = (Fraction){.over = {.constant = constant}, .under = {.constant = 1}};
	if (name != PH_NONE)
		operand->over.coefficient[name] = 1;
	return PH_OK;
}

static PhStatus
push_name(Parser *parser, const char *name, size_t size)
{
	uint32_t index;
	if (size == 0)
		return fail_at(parser, parser->at, "an empty name");
	PH_TRY(ph_strings_intern_n(&parser->names, name, size, &index));
	if (index > PH_FORMULA_NAMES)
		return fail_at(parser, parser->at, "more than 64 different metrics");
	return push_operand(parser, 0, index - 1);
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
begins_name(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || (c & 0x80) != 0;
}

static bool
goes_on(char c)
{
	return begins_name(c) || is_digit(c) || (c != '\0' && strchr(".:#", c) != NULL);
}

/* Digits, a point, an exponent; strtod alone would take "inf" and hexadecimal ones. */
static PhStatus
read_number(Parser *parser)
{
	const char *start = parser->text + parser->at;
	char *end;
	double value = strtod(start, &end);
	if (end == start || !isfinite(value) || start[1] == 'x' || start[1] == 'X')
		return fail_at(parser, parser->at, "not a number");
	PH_TRY(push_operand(parser, value, PH_NONE));
	parser->at += (size_t) (end - start);
	return PH_OK;
}

static PhStatus
read_quoted(Parser *parser)
{
	size_t start = parser->at++, size = 0;
	char name[PH_FORMULA_MAX];
	for (;; parser->at++)
	{
		char c = parser->text[parser->at];
		if (c == '\0')
			return fail_at(parser, start, "a name that does not end");
		if (c == '"' && parser->text[++parser->at] != '"')
			return push_name(parser, name, size);
		name[size++] = c;
	}
}

static PhStatus
read_operand(Parser *parser)
{
	char c = parser->text[parser->at];
	if (is_digit(c) || c == '.')
		return read_number(parser);
	if (c == '"')
		return read_quoted(parser);
	if (!begins_name(c))
		return fail_at(parser, parser->at, "a number or the name of a metric is wanted");
	size_t start = parser->at;
	while (goes_on(parser->text[parser->at]))
		parser->at++;
	return push_name(parser, parser->text + start, parser->at - start);
}

/* ---- the whole ---- */

static PhStatus
close_parenthesis(Parser *parser)
{
	while (parser->n_operators > 0 && parser->operators[parser->n_operators - 1].op != '(')
		PH_TRY(apply(parser));
	if (parser->n_operators == 0)
		return fail_at(parser, parser->at, "a parenthesis that was not opened");
	parser->n_operators--;
	parser->at++;
	return PH_OK;
}

/* One token; *wants: whether an operand must come next. */
static PhStatus
read_token(Parser *parser, bool *wants)
{
	char c = parser->text[parser->at];
	if (*wants && (c == '(' || c == '-' || c == '+'))
	{
		if (c != '+')
			PH_TRY(push_operator(parser, c == '(' ? '(' : 'n'));
		parser->at++;
		return PH_OK;
	}
	if (*wants)
	{
		*wants = false;
		return read_operand(parser);
	}
	if (c == ')')
		return close_parenthesis(parser);
	if (strchr("+-*/", c) == NULL)
		return fail_at(parser, parser->at, "an operator is wanted: + - * /");
	PH_TRY(push_operator(parser, c));
	*wants = true;
	parser->at++;
	return PH_OK;
}

static PhStatus
read_all(Parser *parser)
{
	bool wants = true;
	while (parser->text[parser->at] != '\0')
	{
		if (strchr(" \t\r\n", parser->text[parser->at]) != NULL)
		{
			parser->at++;
			continue;
		}
		PH_TRY(read_token(parser, &wants));
	}
	if (wants)
		return fail_at(parser, parser->at, "the formula ends where an operand is wanted");
	while (parser->n_operators > 0)
		PH_TRY(apply(parser));
	return PH_OK;
}

static PhStatus
finish(Parser *parser, PhFormula *out)
{
	const Fraction *whole = &parser->operands[0];
	uint32_t n = parser->names.count - 1;
	bool is_ratio = !is_constant(&whole->under);
	if (is_constant(&whole->over))
		return not_additive(parser, 0, "there is no metric to sum up");
	if (whole->over.constant != 0 || (is_ratio && whole->under.constant != 0))
		return not_additive(parser, 0, "a number is added to a metric");
	if (!is_ratio && whole->under.constant == 0)
		return fail_at(parser, 0, "a division by 0");
	PH_TRY(PH_NEW(parser->arena, n, &out->names));
	PH_TRY(PH_NEW(parser->arena, n, &out->over));
	PH_TRY(PH_NEW(parser->arena, n, &out->under));
	out->n_names = n;
	out->is_ratio = is_ratio;
	out->constant = whole->under.constant;
	for (uint32_t i = 0; i < n; i++)
	{
		out->names[i] = parser->names.text[i + 1];
		out->over[i] = whole->over.coefficient[i];
		out->under[i] = whole->under.coefficient[i];
		if (!isfinite(out->over[i]) || !isfinite(out->under[i]))
			return fail_at(parser, 0, "its numbers are too large");
	}
	return PH_OK;
}

PhStatus
ph_formula_parse(PhArena *arena, const char *text, PhFormula *out)
{
	Parser parser = {.arena = arena, .text = text};
	memset(out, 0, sizeof(*out));
	if (strlen(text) >= PH_FORMULA_MAX)
		return ph_fail(arena->env, PH_ERR_LIMIT, "a formula of more than %d bytes", PH_FORMULA_MAX);
	PH_TRY(ph_strings_init(&parser.names, arena));
	PH_TRY(PH_NEW(arena, PH_FORMULA_DEPTH, &parser.operands));
	void *operators;
	PH_TRY(ph_arena_alloc(arena, PH_FORMULA_DEPTH, sizeof(*parser.operators), &operators));
	parser.operators = operators;
	PH_TRY(read_all(&parser));
	return finish(&parser, out);
}
