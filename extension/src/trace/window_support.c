/*
 * window_support.c - planner support of functions that decode a chunk: comparisons of a time
 * or step column that they return become their window arguments.
 *
 * In "… LATERAL chunk_events(columns of c, NULL, NULL) e WHERE e.time >= X" the null arguments are
 * replaced by what the conditions say, where X is known before the query runs: constants,
 * parameters, results of uncorrelated subqueries. So a view on chunks decodes only those that its
 * reader's window touches. The conditions stay and are checked again, so this may miss some and
 * may be wider than they are, but never narrower.
 *
 * A condition counts when rows that fail it cannot matter: below an AND of WHERE, of an inner
 * join, or of an outer join's nullable side. Comparisons are strict, so rows that an outer join
 * fills with nulls instead fail them as well.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "access/stratnum.h"
#include "catalog/pg_am_d.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

/* function pointers have no prototypes there before PostgreSQL 16 */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/prep.h"
#pragma GCC diagnostic pop

#include "server/compat.h"
#include "trace/column_args.h"
#include "trace/window_support.h"

typedef struct WindowSearch
{
	int query_level;
	Index relation; /* the function's range table entry */
	Oid type;		/* of the column */
	AttrNumber column;
	Expr *from, *until; /* both inclusive, int8; NULL: not known */
} WindowSearch;

/* ---- bounds ---- */

/*
 * True when the value is known before the function runs, so that it may become an argument: no
 * columns of this query, no subplans, nothing volatile, no sets. Columns of queries around are
 * refused as well until the planner has made parameters of them: a subquery may still become a
 * join, and the function would then depend on the join's other side.
 */
static bool
is_known_before(const WindowSearch *search, Expr *expr)
{
	for (int level = 0; level <= search->query_level; level++)
		if (contain_vars_of_level((Node *) expr, level))
			return false;
	return !contain_subplans((Node *) expr) && !contain_volatile_functions((Node *) expr) &&
		   !expression_returns_set((Node *) expr);
}

static Expr *
integer_bound(Expr *expr)
{
	Oid cast = InvalidOid;
	switch (exprType((Node *) expr))
	{
		case INT8OID:
			return expr;
		case INT4OID:
			cast = F_INT8_INT4;
			break;
		case INT2OID:
			cast = F_INT8_INT2;
			break;
		default:
			return NULL;
	}
	return (Expr *) makeFuncExpr(cast, INT8OID, list_make1(expr), InvalidOid, InvalidOid,
								 COERCE_IMPLICIT_CAST);
}

static Expr *
bigint_constant(int64 value)
{
	return (Expr *) makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(value), false,
							  FLOAT8PASSBYVAL);
}

/*
 * A bound of the window from a constant that is no integer; NULL: it cannot be one. The window only
 * saves reading, and the condition itself is still checked, so it must not be too narrow: the
 * constant is rounded outwards, by one more where doubles have fractions (below 2^52), else by more
 * than a double of this size and the conversion from numeric can be off.
 */
static Expr *
rounded_bound(Expr *expr, bool is_lower)
{
	Const *constant = (Const *) expr;
	double value;
	if (!IsA(expr, Const) || constant->constisnull)
		return NULL;
	if (constant->consttype == FLOAT8OID)
		value = DatumGetFloat8(constant->constvalue);
	else if (constant->consttype == NUMERICOID)
		value =
			DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, constant->constvalue));
	else
		return NULL;
	if (isnan(value))
		return NULL;
	double slack = fabs(value) < 4503599627370496.0 ? 1 : 4096;
	value = is_lower ? floor(value) - slack : ceil(value) + slack;
	if (value <= (double) PG_INT64_MIN)
		return bigint_constant(PG_INT64_MIN);
	if (value >= (double) PG_INT64_MAX)
		return bigint_constant(PG_INT64_MAX);
	return bigint_constant((int64) value);
}

/* ---- conditions ---- */

/* Casts that keep the order of integers. */
static bool
widens_integers(Oid function)
{
	return function == F_FLOAT8_INT8 || function == F_NUMERIC_INT8 || function == F_FLOAT8_INT4 ||
		   function == F_NUMERIC_INT4 || function == F_INT8_INT4;
}

static bool
is_integer(Oid type)
{
	return type == INT8OID || type == INT4OID;
}

/* The type as which a condition compares the column: its own or what it was cast to. */
static Oid
type_of_column(const WindowSearch *search, Node *node)
{
	Oid type = search->type;
	if (IsA(node, FuncExpr) && list_length(((FuncExpr *) node)->args) == 1)
	{
		FuncExpr *cast = (FuncExpr *) node;
		if (!widens_integers(cast->funcid))
			return InvalidOid;
		type = cast->funcresulttype;
		node = linitial(cast->args);
	}
	Var *var = (Var *) node;
	bool is_it = IsA(node, Var) && var->varno == search->relation && var->varlevelsup == 0 &&
				 var->varattno == search->column;
	return is_it ? type : InvalidOid;
}

/* What "column operator value" says; operators are those of the type's B-tree. */
static void
take_bound(WindowSearch *search, Oid type, Oid operator, Expr * value)
{
	Oid family = get_opclass_family(GetDefaultOpClass(type, BTREE_AM_OID));
	int strategy = get_op_opfamily_strategy(operator, family);
	bool is_lower = strategy >= BTEqualStrategyNumber;
	bool is_upper = strategy <= BTEqualStrategyNumber;
	if (strategy == 0 || !is_known_before(search, value))
		return;
	if (is_lower && search->from == NULL)
		search->from = is_integer(type) ? integer_bound(value) : rounded_bound(value, true);
	if (is_upper && search->until == NULL)
		search->until = is_integer(type) ? integer_bound(value) : rounded_bound(value, false);
}

static void
search_comparison(WindowSearch *search, OpExpr *comparison)
{
	if (list_length(comparison->args) != 2)
		return;
	Node *left = linitial(comparison->args);
	Node *right = lsecond(comparison->args);
	Oid type = type_of_column(search, left);
	if (OidIsValid(type))
	{
		take_bound(search, type, comparison->opno, (Expr *) right);
		return;
	}
	type = type_of_column(search, right);
	Oid commuted = OidIsValid(type) ? get_commutator(comparison->opno) : InvalidOid;
	if (OidIsValid(commuted))
		take_bound(search, type, commuted, (Expr *) left);
}

/* Conditions that must all hold: a list, an AND, or one comparison. */
static void
search_conditions(WindowSearch *search, Node *conditions)
{
	List *pending = list_make1(conditions);
	while (pending != NIL)
	{
		Node *node = llast(pending);
		pending = list_delete_last(pending);
		if (node == NULL)
			continue;
		if (IsA(node, List))
			pending = list_concat(pending, (List *) node);
		else if (is_andclause(node))
			pending = list_concat(pending, ((BoolExpr *) node)->args);
		else if (IsA(node, OpExpr))
			search_comparison(search, (OpExpr *) node);
	}
}

static bool
is_below(const WindowSearch *search, Node *tree)
{
	return bms_is_member((int) search->relation, PH_RELIDS_IN_JOINTREE(tree));
}

/*
 * True when rows of the function that fail the join's condition have no effect on the result, so
 * that the condition may bound the window: always in an inner join, in others only if the function
 * is on the side whose unmatched rows are left out.
 */
static bool
join_filters(const WindowSearch *search, const JoinExpr *join)
{
	switch (join->jointype)
	{
		case JOIN_INNER:
			return true;
		case JOIN_LEFT:
		case JOIN_SEMI:
		case JOIN_ANTI:
			return is_below(search, join->rarg);
		case JOIN_RIGHT:
			return is_below(search, join->larg);
		default:
			return false;
	}
}

static void
search_jointree(WindowSearch *search, Node *tree)
{
	List *pending = list_make1(tree);
	while (pending != NIL)
	{
		Node *node = llast(pending);
		pending = list_delete_last(pending);
		if (IsA(node, FromExpr))
		{
			search_conditions(search, ((FromExpr *) node)->quals);
			pending = list_concat(pending, ((FromExpr *) node)->fromlist);
		}
		else if (IsA(node, JoinExpr))
		{
			JoinExpr *join = (JoinExpr *) node;
			if (join_filters(search, join))
				search_conditions(search, join->quals);
			pending = lappend(lappend(pending, join->larg), join->rarg);
		}
	}
}

/* ---- the call ---- */

typedef struct CallSearch
{
	const FuncExpr *call;
	int n_arguments; /* those that tell which chunk it is */
	int n;			 /* calls with the same ones */
} CallSearch;

/* The same columns of the same chunk. */
static bool
is_same_call(const CallSearch *search, const Node *node)
{
	const FuncExpr *other = (const FuncExpr *) node;
	return IsA(other, FuncExpr) && other->funcid == search->call->funcid &&
		   list_length(other->args) >= search->n_arguments &&
		   equal(list_copy_head(other->args, search->n_arguments),
				 list_copy_head(search->call->args, search->n_arguments));
}

static bool
count_calls(Node *node, CallSearch *search)
{
	if (node == NULL)
		return false;
	search->n += is_same_call(search, node);
	return expression_tree_walker(node, count_calls, search);
}

/*
 * The range table entry of this call; 0: none. What the planner hands over does not say which of
 * several calls on one chunk it is, and conditions on the rows of one must not bound another.
 */
static Index
relation_of_call(PlannerInfo *root, const FuncExpr *call, int n_arguments)
{
	ListCell *cell;
	Index relation = 0;
	CallSearch search = {.call = call, .n_arguments = n_arguments};
	query_tree_walker(root->parse, count_calls, &search,
					  QTW_IGNORE_RT_SUBQUERIES | QTW_IGNORE_CTE_SUBQUERIES);
	if (search.n != 1)
		return 0;
	foreach (cell, root->parse->rtable)
	{
		RangeTblEntry *entry = lfirst(cell);
		relation++;
		if (entry->rtekind == RTE_FUNCTION && list_length(entry->functions) == 1 &&
			is_same_call(&search, ((RangeTblFunction *) linitial(entry->functions))->funcexpr))
			return relation;
	}
	return 0;
}

static bool
is_null_constant(const List *arguments, int argument)
{
	Node *node = list_nth(arguments, argument);
	return IsA(node, Const) && ((Const *) node)->constisnull;
}

static void
set_argument(List *arguments, int argument, Expr *value)
{
	if (value != NULL && is_null_constant(arguments, argument))
		lfirst(list_nth_cell(arguments, argument)) = copyObject(value);
}

/* The call with its windows filled in; NULL: nothing is known about them. */
static FuncExpr *
with_windows(PlannerInfo *root, const FuncExpr *call, const PhWindowColumns *windows)
{
	Index relation = relation_of_call(root, call, windows->first_argument);
	List *arguments = list_copy(call->args);
	bool found = false;
	for (int i = 0; relation != 0 && i < windows->n; i++)
	{
		WindowSearch search = {.query_level = (int) root->query_level,
							   .relation = relation,
							   .type = windows->type,
							   .column = windows->columns[i]};
		int argument = windows->first_argument + 2 * i;
		if (!is_null_constant(arguments, argument) && !is_null_constant(arguments, argument + 1))
			continue;
		search_jointree(&search, (Node *) root->parse->jointree);
		found = found || search.from != NULL || search.until != NULL;
		set_argument(arguments, argument, search.from);
		set_argument(arguments, argument + 1, search.until);
	}
	if (!found)
		return NULL;
	FuncExpr *changed = copyObject(unconstify(FuncExpr *, call));
	changed->args = arguments;
	return changed;
}

/* A guess without statistics: each bound that is known leaves a quarter of the rows. */
static void
estimate_rows(SupportRequestRows *request, const PhWindowColumns *windows, double whole)
{
	const List *arguments = ((FuncExpr *) request->node)->args;
	request->rows = whole;
	for (int i = 0; i < 2 * windows->n; i++)
		if (!is_null_constant(arguments, windows->first_argument + i))
			request->rows /= 4;
}

Datum
ph_window_support(Node *request, const PhWindowColumns *windows, double rows)
{
	int n_arguments = windows->first_argument + 2 * windows->n;
	if (IsA(request, SupportRequestSimplify))
	{
		SupportRequestSimplify *simplify = (SupportRequestSimplify *) request;
		if (simplify->root == NULL || list_length(simplify->fcall->args) != n_arguments)
			return (Datum) 0;
		return PointerGetDatum(with_windows(simplify->root, simplify->fcall, windows));
	}
	if (IsA(request, SupportRequestRows))
	{
		SupportRequestRows *estimate = (SupportRequestRows *) request;
		if (!IsA(estimate->node, FuncExpr) ||
			list_length(((FuncExpr *) estimate->node)->args) != n_arguments)
			return (Datum) 0;
		estimate_rows(estimate, windows, rows);
		return PointerGetDatum(request);
	}
	return (Datum) 0;
}

PH_FUNCTION(ph_chunk_events_support)
{
	static const PhWindowColumns windows = {PH_CHUNK_ARGUMENTS, INT8OID, 1, {1}};
	PG_RETURN_DATUM(ph_window_support((Node *) PG_GETARG_POINTER(0), &windows, 16384));
}

PH_FUNCTION(ph_chunk_messages_support)
{
	static const PhWindowColumns windows = {PH_CHUNK_ARGUMENTS + 4, INT8OID, 2, {3, 4}};
	PG_RETURN_DATUM(ph_window_support((Node *) PG_GETARG_POINTER(0), &windows, 4096));
}
