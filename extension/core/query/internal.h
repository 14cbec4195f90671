/*
 * internal.h - a parsed call-path query: shared by its lexer, parsers, evaluator and matcher.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_QUERY_INTERNAL_H
#define PH_QUERY_INTERNAL_H

#include "base/regex_match.h"
#include "query/query.h"

#define PH_QUERY_MAX_LENGTH 65536
#define PH_QUERY_MAX_NESTING 50
#define PH_QUERY_MAX_STATES 1024 /* positions of one path after counts are written out */
#define PH_QUERY_MAX_COMPARISONS 1000
#define PH_QUERY_MANY UINT32_MAX

/* ---- tokens ---- */

typedef enum PhTokenKind
{
	PH_TOKEN_END,
	PH_TOKEN_WORD,	 /* keyword or attribute */
	PH_TOKEN_STRING, /* "..." or '...', decoded */
	PH_TOKEN_REGEX,	 /* /.../ or /.../i */
	PH_TOKEN_NUMBER,
	PH_TOKEN_SYMBOL /* one of the operators and brackets, in `symbol` */
} PhTokenKind;

typedef struct PhToken
{
	PhTokenKind kind;
	size_t position;  /* of its first byte */
	const char *text; /* word, decoded string or regular expression */
	size_t length;
	char symbol[4];
	double number;
	bool ignore_case;
} PhToken;

typedef struct PhQueryReader
{
	PhArena *arena;
	const char *text;
	size_t length;
	size_t position; /* behind the current token */
	PhToken token;	 /* the current one */
	uint32_t nesting;
	bool in_columns;		/* inside any(...) or all(...) */
	uint32_t n_comparisons; /* given out so far */
} PhQueryReader;

PhStatus ph_query_next(PhQueryReader *reader) PH_MUST_CHECK;

/* Is the current token this keyword (any case) or symbol? */
bool ph_query_is(const PhQueryReader *reader, const char *what);

/* If it is, step over it. */
PhStatus ph_query_take(PhQueryReader *reader, const char *what, bool *taken) PH_MUST_CHECK;

/* It must be. */
PhStatus ph_query_expect(PhQueryReader *reader, const char *what) PH_MUST_CHECK;

/* PH_ERR_VALUE at the current token: "expected ..., found ...". */
PhStatus ph_query_expected(const PhQueryReader *reader, const char *expected) PH_MUST_CHECK;

/* Enter a bracket; PH_ERR_LIMIT beyond the nesting limit. Leaving is reader->nesting--. */
PhStatus ph_query_enter(PhQueryReader *reader) PH_MUST_CHECK;

/* ---- conditions on a node ---- */

typedef enum PhQueryAttribute
{
	PH_ATTRIBUTE_NAME, /* texts first */
	PH_ATTRIBUTE_KIND,
	PH_ATTRIBUTE_MODULE,
	PH_ATTRIBUTE_LIBRARY,
	PH_ATTRIBUTE_FILE,
	PH_ATTRIBUTE_HOST, /* of a column */
	PH_ATTRIBUTE_LINE, /* then numbers */
	PH_ATTRIBUTE_DEPTH,
	PH_ATTRIBUTE_NODE,
	PH_ATTRIBUTE_N_PRESENT,
	PH_ATTRIBUTE_RANK, /* of a column */
	PH_ATTRIBUTE_THREAD,
	PH_ATTRIBUTE_ITERATION,
	PH_ATTRIBUTE_SHARE, /* costs last */
	PH_ATTRIBUTE_INCLUSIVE,
	PH_ATTRIBUTE_EXCLUSIVE,
	PH_ATTRIBUTE_ABSORBED,
	PH_ATTRIBUTE_COUNT
} PhQueryAttribute;

typedef enum PhComparator
{
	PH_COMPARE_EQUAL,
	PH_COMPARE_NOT_EQUAL,
	PH_COMPARE_LESS,
	PH_COMPARE_LESS_EQUAL,
	PH_COMPARE_GREATER,
	PH_COMPARE_GREATER_EQUAL,
	PH_COMPARE_MATCHES,
	PH_COMPARE_MATCHES_NOT,
	PH_COMPARE_STARTS,
	PH_COMPARE_ENDS,
	PH_COMPARE_CONTAINS,
	PH_COMPARE_IS_NULL,
	PH_COMPARE_IS_NAN,
	PH_COMPARE_IS_INF
} PhComparator;

typedef enum PhConditionOp
{
	PH_CONDITION_OR,
	PH_CONDITION_XOR,
	PH_CONDITION_AND,
	PH_CONDITION_NOT,
	PH_CONDITION_ANY, /* over the columns where the node is present */
	PH_CONDITION_ALL,
	PH_CONDITION_LEAF,
	PH_CONDITION_ROOT,
	PH_CONDITION_COMPARE
} PhConditionOp;

typedef struct PhQueryComparison
{
	uint32_t index; /* counts the comparisons of a query */
	PhQueryAttribute attribute;
	PhComparator comparator;
	const char *metric; /* costs: NULL = the primary metric */
	const char *text;
	size_t length;
	double number;
	PhRegex *regex;
} PhQueryComparison;

/* A tree whose depth is bounded by the nesting of brackets, not by the length of the query. */
typedef struct PhCondition PhCondition;
struct PhCondition
{
	PhConditionOp op;
	PhCondition *first; /* operands */
	PhCondition *next;	/* next operand of the same parent */
	PhQueryComparison *compare;
};

/* condition := alternatives of OR, XOR, AND, NOT; stops at what it does not know. */
PhStatus ph_query_parse_condition(PhQueryReader *reader, PhCondition **out) PH_MUST_CHECK;

/* name = "text" or name =~ /regex/ from the current STRING or REGEX token: a step's short form. */
PhStatus ph_query_name_condition(PhQueryReader *reader, PhCondition **out) PH_MUST_CHECK;

/* ---- patterns ---- */

typedef struct PhQueryStep PhQueryStep;
struct PhQueryStep
{
	uint32_t least, most;	/* PH_QUERY_MANY: any number */
	PhCondition *condition; /* NULL: every node */
	PhQueryStep *next;
};

typedef enum PhQueryOp
{
	PH_QUERY_OR,
	PH_QUERY_XOR,
	PH_QUERY_AND,
	PH_QUERY_NOT,
	PH_QUERY_PATH
} PhQueryOp;

struct PhQuery
{
	PhQueryOp op;
	PhQuery *first;
	PhQuery *next;
	PhQueryStep *steps; /* PH_QUERY_PATH */
	uint32_t n_steps;
	uint32_t n_comparisons; /* of the whole query, in its top */
};

/* ---- evaluation (query/eval.c) ---- */

typedef struct PhQueryEval
{
	PhArena *arena;
	const PhProfile *profile;
	uint8_t **memo;	  /* per comparison on a text: per region 0 unknown, 1 no, 2 yes */
	uint32_t *metric; /* per comparison: index into profile->metrics, PH_NONE: not looked up */
	double **totals;  /* per comparison on a share: per column, and at n_columns the mean */
} PhQueryEval;

PhStatus ph_query_eval_init(PhArena *arena, const PhProfile *profile, uint32_t n_comparisons,
							PhQueryEval *out) PH_MUST_CHECK;

/* Does the condition hold for the node? column PH_NONE: means over all columns. */
PhStatus ph_query_eval(PhQueryEval *eval, const PhCondition *condition, uint32_t node,
					   bool *out) PH_MUST_CHECK;

/* matches[node] for one path (query/path.c). */
PhStatus ph_query_match_path(PhQueryEval *eval, const PhQuery *path, bool *matches) PH_MUST_CHECK;

#endif
