/*
 * hatchet_tree.c - form B of Hatchet's literal: trees of frames, walked with a stack of iterators.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/builtins.h"

#include "profile/hatchet.h"

/* An array of siblings being walked, and the node that they hang below. */
typedef struct Siblings
{
	JsonbIterator *iterator;
	uint32 parent;
} Siblings;

typedef struct SiblingStack
{
	uint32 count, capacity;
	Siblings *items;
} SiblingStack;

static void
push_siblings(SiblingStack *stack, JsonbContainer *array, uint32 parent)
{
	JsonbValue begin;
	if (stack->count == stack->capacity)
	{
		stack->capacity = stack->capacity == 0 ? 64 : stack->capacity * 2;
		stack->items = stack->items == NULL
						   ? palloc(sizeof(Siblings) * stack->capacity)
						   : repalloc(stack->items, sizeof(Siblings) * stack->capacity);
	}
	Siblings *siblings = &stack->items[stack->count++];
	siblings->iterator = JsonbIteratorInit(array);
	siblings->parent = parent;
	(void) JsonbIteratorNext(&siblings->iterator, &begin, true);
}

/* Values by rank: an array's place or an object's key is the rank. */
static void
read_ranks(PhHatchetLiteral *literal, uint32 node, const char *metric, JsonbContainer *container)
{
	JsonbIterator *iterator = JsonbIteratorInit(container);
	JsonbIteratorToken token;
	JsonbValue item;
	int32 rank = -1;
	while ((token = JsonbIteratorNext(&iterator, &item, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
			rank = pg_strtoint32(pnstrdup(item.val.string.val, item.val.string.len));
		if (token == WJB_ELEM)
			rank++;
		if ((token == WJB_ELEM || token == WJB_VALUE) && item.type != jbvNull)
			ph_literal_value(literal, node, metric, false, rank, PH_NO_NUMBER,
							 ph_literal_number(&item, node, metric));
		if (rank < -1)
			ph_literal_refuse(node, psprintf("metric \"%s\" has a negative rank", metric));
	}
}

static void
read_metric(PhHatchetLiteral *literal, uint32 node, const char *metric, const JsonbValue *value)
{
	if (value->type == jbvBinary)
		read_ranks(literal, node, metric, value->val.binary.data);
	else if (value->type != jbvNull)
		ph_literal_value(literal, node, metric, false, PH_NO_NUMBER, PH_NO_NUMBER,
						 ph_literal_number(value, node, metric));
}

static void
read_metrics(PhHatchetLiteral *literal, uint32 node, JsonbContainer *metrics)
{
	JsonbIterator *iterator = JsonbIteratorInit(metrics);
	JsonbIteratorToken token;
	JsonbValue item;
	char *metric = NULL;
	while ((token = JsonbIteratorNext(&iterator, &item, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
			metric = pnstrdup(item.val.string.val, item.val.string.len);
		else if (token == WJB_VALUE)
			read_metric(literal, node, metric, &item);
	}
}

static void
read_node(PhHatchetLiteral *literal, SiblingStack *stack, JsonbContainer *object, uint32 parent)
{
	JsonbContainer *frame = ph_literal_container(ph_literal_member(object, "frame"), false);
	uint32 node = ph_literal_node(literal, frame, parent);
	const JsonbValue *metrics = ph_literal_member(object, "metrics");
	const JsonbValue *children = ph_literal_member(object, "children");
	if (metrics != NULL)
	{
		if (ph_literal_container(metrics, false) == NULL)
			ph_literal_refuse(node, "its metrics are not an object");
		read_metrics(literal, node, metrics->val.binary.data);
	}
	if (children != NULL)
	{
		if (ph_literal_container(children, true) == NULL)
			ph_literal_refuse(node, "its children are not an array");
		push_siblings(stack, children->val.binary.data, node);
	}
}

/* Walk the arrays on the stack until all are done. */
static void
read_siblings(PhHatchetLiteral *literal, SiblingStack *stack)
{
	while (stack->count > 0)
	{
		Siblings *top = &stack->items[stack->count - 1];
		JsonbValue item;
		CHECK_FOR_INTERRUPTS();
		if (JsonbIteratorNext(&top->iterator, &item, true) != WJB_ELEM)
		{
			stack->count--;
			continue;
		}
		JsonbContainer *object = ph_literal_container(&item, false);
		if (object == NULL)
			ph_literal_refuse(literal->n_nodes, "it is not an object");
		read_node(literal, stack, object, top->parent);
	}
}

void
ph_literal_tree(PhHatchetLiteral *literal, JsonbContainer *root)
{
	SiblingStack stack = {0};
	if (JsonContainerIsArray(root))
		push_siblings(&stack, root, PH_NONE);
	else
		read_node(literal, &stack, root, PH_NONE);
	read_siblings(literal, &stack);
}
