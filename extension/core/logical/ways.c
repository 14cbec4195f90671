/*
 * ways.c - longest ways through the events of phases, in topological order.
 *
 * Stride graph (sends aligned): a send is before the stride that follows it and before the stride
 * that follows each of its receives; a collective before what follows any of its members. Plain
 * graph: an event is before the next one, a send before its receives. One node stands for all edges
 * of a collective, so edges are linear in events. Method: docs/design/logical-time.md 1.8.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "logical/phases.h"

/*
 * Called for each edge of a node. node: the event, or the node of its collective; from: the event
 * at which the edge starts; weight: by how much it makes ways longer, 0 between a collective's
 * members and its node in compat, else 1.
 */
typedef PhStatus (*EdgeAction)(PhWays *ways, uint32_t node, uint32_t from, uint32_t to,
							   int32_t weight, void *user);

static const PhLogicalModel *
model_of(const PhWays *ways)
{
	return ways->stepping->model;
}

static bool
in_collective(const PhWays *ways, uint32_t event)
{
	uint32_t c = model_of(ways)->collective[event];
	return c != PH_NONE && !ways->split[c];
}

bool
ph_ways_is_contracted(const PhWays *ways, uint32_t event)
{
	return ways->stepping->contract && in_collective(ways, event);
}

static uint32_t
node_of(const PhWays *ways, uint32_t event)
{
	return ph_ways_is_contracted(ways, event) ? ways->n_events + model_of(ways)->collective[event]
											  : event;
}

/* Receives are no nodes of the stride graph, members of a contracted collective of none. */
static bool
is_node(const PhWays *ways, uint32_t node)
{
	const PhStepping *stepping = ways->stepping;
	if (node >= ways->n_events)
		return !ways->split[node - ways->n_events];
	if (stepping->align_sends && stepping->model->kind[node] == PH_COMM_RECEIVE)
		return false;
	return !ph_ways_is_contracted(ways, node);
}

static PhStatus
visit_messages(PhWays *ways, uint32_t node, uint32_t event, EdgeAction action, void *user)
{
	const PhLogicalModel *model = model_of(ways);
	for (uint32_t i = model->first_end[event]; i < model->first_end[event + 1]; i++)
	{
		uint32_t m = model->message_of_end[i], receive = model->receive_event[m];
		if (receive == PH_NONE || model->send_event[m] != event ||
			(ways->cut != NULL && ways->cut[m]))
			continue;
		uint32_t to = ways->stepping->align_sends ? ways->next_stride[receive] : receive;
		if (to != PH_NONE)
			PH_TRY(action(ways, node, event, node_of(ways, to), 1, user));
	}
	return PH_OK;
}

/* The edges that start at an event, as edges of the node that stands for it. */
static PhStatus
visit_event(PhWays *ways, uint32_t node, uint32_t event, EdgeAction action, void *user)
{
	uint32_t next = ways->next_stride[event];
	if (!ways->stepping->align_sends)
		next = ph_phase_goes_on(ways->stepping, event) ? event + 1 : PH_NONE;
	if (next != PH_NONE)
		PH_TRY(action(ways, node, event, node_of(ways, next), 1, user));
	return visit_messages(ways, node, event, action, user);
}

static PhStatus
visit_node(PhWays *ways, uint32_t node, EdgeAction action, void *user)
{
	const PhLogicalModel *model = model_of(ways);
	PH_TRY(ph_env_poll(ways->stepping->env));
	if (node < ways->n_events)
	{
		if (!in_collective(ways, node))
			return visit_event(ways, node, node, action, user);
		return action(ways, node, node, ways->n_events + model->collective[node], 0, user);
	}
	uint32_t c = node - ways->n_events;
	for (uint32_t i = model->first_member[c]; i < model->first_member[c + 1]; i++)
		PH_TRY(visit_event(ways, node, model->member_event[i], action, user));
	return PH_OK;
}

/* -------------------------------------------------------------------------------- topological
 * order */

static PhStatus
count_edge(PhWays *ways, uint32_t node, uint32_t from, uint32_t to, int32_t weight, void *user)
{
	(void) node;
	(void) from;
	(void) weight;
	(void) user;
	ways->waiting[to]++;
	return PH_OK;
}

static int32_t *
length_of(PhWays *ways, uint32_t node)
{
	return node < ways->n_events ? &ways->stepping->step[node]
								 : &ways->collective_length[node - ways->n_events];
}

static uint32_t *
binding_of(PhWays *ways, uint32_t node)
{
	return node < ways->n_events ? &ways->stepping->binding[node]
								 : &ways->collective_binding[node - ways->n_events];
}

/*
 * Takes the edge into account: the target's longest way and the event that it comes from (binding;
 * the lowest of equals). When it was the last edge that the target waited for, the target joins the
 * queue.
 */
static PhStatus
follow_edge(PhWays *ways, uint32_t node, uint32_t from, uint32_t to, int32_t weight, void *user)
{
	int32_t length = *length_of(ways, node) + weight;
	bool linked = node >= ways->n_events && !ways->stepping->contract;
	uint32_t source = linked ? *binding_of(ways, node) : from;
	int32_t *best = length_of(ways, to);
	uint32_t *binding = binding_of(ways, to);
	(void) user;
	if (length > *best || (length == *best && (*binding == PH_NONE || source < *binding)))
	{
		*best = length;
		*binding = source;
	}
	if (--ways->waiting[to] == 0)
		ways->queue[ways->n_queue++] = to;
	return PH_OK;
}

static void
reset(PhWays *ways)
{
	ways->n_queue = 0;
	for (uint32_t v = 0; v < ways->n_nodes; v++)
	{
		ways->waiting[v] = 0;
		*length_of(ways, v) = 0;
		*binding_of(ways, v) = PH_NONE;
	}
}

/* Do nodes in topological order; missing: those that wait for each other. */
static PhStatus
walk(PhWays *ways, uint32_t *missing)
{
	uint32_t n = 0;
	reset(ways);
	for (uint32_t v = 0; v < ways->n_nodes; v++)
		if (is_node(ways, v))
		{
			n++;
			PH_TRY(visit_node(ways, v, count_edge, NULL));
		}
	for (uint32_t v = 0; v < ways->n_nodes; v++)
		if (is_node(ways, v) && ways->waiting[v] == 0)
			ways->queue[ways->n_queue++] = v;
	for (uint32_t i = 0; i < ways->n_queue; i++)
		PH_TRY(visit_node(ways, ways->queue[i], follow_edge, NULL));
	*missing = n - ways->n_queue;
	return PH_OK;
}

/* ----------------------------------------------------------------------------------------- circles
 */

typedef struct EdgeList
{
	PhGraph graph;
	uint32_t *next; /* NULL: counting */
} EdgeList;

static PhStatus
list_edge(PhWays *ways, uint32_t node, uint32_t from, uint32_t to, int32_t weight, void *user)
{
	EdgeList *list = user;
	(void) ways;
	(void) from;
	(void) weight;
	if (list->next == NULL)
		list->graph.first[node + 1]++;
	else
		list->graph.target[list->next[node]++] = to;
	return PH_OK;
}

/*
 * All edges as compressed rows, by visiting them twice: the first time they are counted, the second
 * time written.
 */
static PhStatus
list_edges(PhWays *ways, PhArena *arena, EdgeList *list)
{
	uint32_t n = ways->n_nodes;
	list->graph.n_nodes = n;
	list->next = NULL;
	PH_TRY(PH_NEW(arena, (size_t) n + 1, &list->graph.first));
	for (uint32_t v = 0; v < n; v++)
		if (is_node(ways, v))
			PH_TRY(visit_node(ways, v, list_edge, list));
	for (uint32_t v = 0; v < n; v++)
		list->graph.first[v + 1] += list->graph.first[v];
	list->graph.n_edges = list->graph.first[n];
	PH_TRY(PH_NEW(arena, list->graph.n_edges, &list->graph.target));
	PH_TRY(PH_NEW(arena, n, &list->next));
	memcpy(list->next, list->graph.first, n * sizeof(uint32_t));
	for (uint32_t v = 0; v < n; v++)
		if (is_node(ways, v))
			PH_TRY(visit_node(ways, v, list_edge, list));
	return PH_OK;
}

/*
 * Marks the collectives that lie on a circle as split: from the next walk on, their members are
 * nodes of their own. True when there were any.
 */
static bool
split_collectives(PhWays *ways, const PhGraph *graph, const uint32_t *component)
{
	bool any = false;
	for (uint32_t v = ways->n_events; v < ways->n_nodes; v++)
		for (uint32_t i = graph->first[v]; i < graph->first[v + 1]; i++)
			if (component[graph->target[i]] == component[v] && !ways->split[v - ways->n_events])
			{
				ways->split[v - ways->n_events] = true;
				ways->stepping->split_collectives++;
				any = true;
			}
	return any;
}

/*
 * Marks the messages whose two ends lie in one component as cut: from the next walk on they are no
 * edges.
 */
static PhStatus
cut_messages(PhWays *ways, const uint32_t *component)
{
	const PhLogicalModel *model = model_of(ways);
	if (ways->cut == NULL)
		PH_TRY(PH_NEW(ways->arena, model->n_messages, &ways->cut));
	for (uint32_t m = 0; m < model->n_messages; m++)
	{
		uint32_t from = model->send_event[m], to = model->receive_event[m];
		PH_TRY(ph_env_poll_at(ways->stepping->env, m));
		if (from == PH_NONE || to == PH_NONE || ways->cut[m])
			continue;
		if (ways->stepping->align_sends)
			to = ways->next_stride[to];
		if (to == PH_NONE || component[node_of(ways, from)] != component[node_of(ways, to)])
			continue;
		ways->cut[m] = true;
		ways->stepping->cut_messages++;
	}
	return PH_OK;
}

static PhStatus
break_circles(PhWays *ways)
{
	PhArena temporary;
	EdgeList list;
	uint32_t *component = NULL, n;
	ph_arena_init(&temporary, ways->stepping->env);
	PhStatus status = list_edges(ways, &temporary, &list);
	if (status == PH_OK)
		status = PH_NEW(&temporary, ways->n_nodes, &component);
	if (status == PH_OK)
		status = ph_graph_components(ways->stepping->env, &list.graph, component, &n);
	if (status == PH_OK && !split_collectives(ways, &list.graph, component))
		status = cut_messages(ways, component);
	ph_arena_drop(&temporary);
	return status;
}

/* By event: the next stride on its timeline, in its phase. */
static PhStatus
find_next_strides(PhWays *ways)
{
	const PhStepping *stepping = ways->stepping;
	PH_TRY(PH_NEW(ways->arena, ways->n_events, &ways->next_stride));
	for (uint32_t e = ways->n_events; e-- > 0;)
	{
		PH_TRY(ph_env_poll_at(stepping->env, e));
		ways->next_stride[e] = PH_NONE;
		if (ph_phase_goes_on(stepping, e))
			ways->next_stride[e] =
				stepping->model->kind[e + 1] == PH_COMM_RECEIVE ? ways->next_stride[e + 1] : e + 1;
	}
	return PH_OK;
}

PhStatus
ph_ways_find(PhWays *ways)
{
	const PhLogicalModel *model = model_of(ways);
	uint32_t missing;
	ways->n_events = model->n_events;
	ways->n_nodes = model->n_events + model->n_collectives;
	PH_TRY(find_next_strides(ways));
	PH_TRY(PH_NEW(ways->arena, ways->n_nodes, &ways->waiting));
	PH_TRY(PH_NEW(ways->arena, ways->n_nodes, &ways->queue));
	PH_TRY(PH_NEW(ways->arena, model->n_collectives, &ways->collective_length));
	PH_TRY(PH_NEW(ways->arena, model->n_collectives, &ways->collective_binding));
	PH_TRY(PH_NEW(ways->arena, model->n_collectives, &ways->split));
	PH_TRY(walk(ways, &missing));
	/*
	 * Each round splits the collectives within circles or, when there are none, cuts the messages
	 * within them. A split may leave circles of messages, so the third walk is the last that can be
	 * needed: without either, edges only go along timelines.
	 */
	for (int round = 0; round < 3 && missing > 0; round++)
	{
		PH_TRY(break_circles(ways));
		PH_TRY(walk(ways, &missing));
	}
	if (missing > 0)
		return ph_fail(ways->stepping->env, PH_ERR_INTERNAL,
					   "%u events wait for each other and could not be ordered", missing);
	return PH_OK;
}
