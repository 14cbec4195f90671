/*
 * literal.c - the graphs of Hatchet's JSON forms.
 *
 * Form A: {"graph": [{"ID": {"data": {...}, "children": [IDs]}, ...}, ...], "dataframe": [...]}.
 * Form B: [{"frame": {...}, "metrics": {...}, "children": [...]}, ...], nested as deep as the tree.
 * A node of form A with several parents goes below the one with the first id: its cost cannot be
 * told apart, and repeating it would count it twice.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/hatchet/literal.h"

#include <string.h>

#define PH_LITERAL_DEPTH 1000000

/* An open node of form B. */
typedef struct OpenNode
{
	uint32_t node; /* PH_NONE: the list of roots */
	bool first_member, in_children, first_child;
} OpenNode;

static PhStatus
literal_fail(PhLiteral *literal, size_t at, const char *message)
{
	return ph_input_fail(literal->json.env, literal->json.input, PH_ERR_FORMAT, at, "%s", message);
}

static PhStatus
add_node(PhLiteral *literal, uint32_t parent, uint32_t *out)
{
	PH_TRY(PH_GROW(literal->arena, &literal->nodes, literal->n_nodes, &literal->nodes_capacity));
	PhLiteralNode *node = &literal->nodes[literal->n_nodes];
	memset(node, 0, sizeof(*node));
	node->line = PH_NO_NUMBER;
	node->parent = parent;
	node->at = literal->json.at;
	*out = literal->n_nodes++;
	return ph_env_poll(literal->json.env);
}

PhStatus
ph_literal_attribute(PhLiteral *literal, PhLiteralNode *node, const PhJsonText *key, bool *taken)
{
	const char **text = ph_json_is(key, "name")		? &node->name
						: ph_json_is(key, "type")	? &node->type
						: ph_json_is(key, "module") ? &node->library
						: ph_json_is(key, "file")	? &node->file
													: NULL;
	bool line = ph_json_is(key, "line");
	*taken = text != NULL || line;
	if (!*taken)
		return PH_OK;
	if (text != NULL ? *text != NULL : node->line != PH_NO_NUMBER)
		return ph_json_skip(&literal->json); /* the first one counts */
	char *value;
	bool is_number;
	PH_TRY(ph_json_scalar(&literal->json, literal->arena, &value, &is_number));
	double number;
	if (text != NULL && value != NULL && strcmp(value, "None") != 0)
		*text = value;
	if (line && value != NULL && ph_parse_number(value, strlen(value), &number) && number >= 1 &&
		number <= INT32_MAX)
		node->line = (int32_t) number;
	return PH_OK;
}

/* "frame" or "data": the attributes of a node. */
static PhStatus
read_frame(PhLiteral *literal, uint32_t node)
{
	PhJsonScan *json = &literal->json;
	bool first = true;
	bool more;
	PH_TRY(ph_json_expect(json, '{'));
	for (;;)
	{
		PhJsonText key;
		bool taken;
		PH_TRY(ph_json_next_member(json, &first, &more, &key));
		if (!more)
			return PH_OK;
		PH_TRY(ph_literal_attribute(literal, &literal->nodes[node], &key, &taken));
		if (!taken)
			PH_TRY(ph_json_skip(json));
	}
}

/* ---- form A ---- */

/* Index of an id that stands next, without a copy of it in the usual case. */
static PhStatus
intern_id(PhLiteral *literal, uint32_t *string)
{
	PhJsonScan *json = &literal->json;
	bool quoted = ph_json_peek(json) == '"';
	size_t start = json->at;
	PhJsonText text = {NULL, 0, false};
	if (quoted)
		PH_TRY(ph_json_string(json, &text));
	else
		PH_TRY(ph_json_skip(json));
	if (!quoted)
		text = (PhJsonText){(const char *) json->input->data + start, json->at - start, false};
	if (!text.escaped && ph_utf8_valid(text.text, text.size))
		return ph_strings_intern_n(&literal->ids, text.text, text.size, string);
	char *id;
	PH_TRY(ph_json_unescape(json, literal->arena, &text, &id));
	return ph_strings_intern(&literal->ids, id, string);
}

PhStatus
ph_literal_read_id(PhLiteral *literal, uint32_t *node)
{
	uint32_t string;
	uint32_t *entry;
	PH_TRY(intern_id(literal, &string));
	PH_TRY(ph_map_enter(&literal->node_of_id, string, PH_NONE, &entry));
	*node = *entry;
	return PH_OK;
}

static PhStatus
add_link(PhLiteral *literal, uint32_t parent)
{
	size_t at = literal->json.at;
	uint32_t child;
	PH_TRY(intern_id(literal, &child));
	PH_TRY(PH_GROW(literal->arena, &literal->links, literal->n_links, &literal->links_capacity));
	literal->links[literal->n_links++] = (PhLiteralLink){parent, child, at};
	return PH_OK;
}

static PhStatus
read_children(PhLiteral *literal, uint32_t parent)
{
	bool first = true;
	bool more;
	PH_TRY(ph_json_expect(&literal->json, '['));
	for (;;)
	{
		PH_TRY(ph_json_next_item(&literal->json, &first, &more));
		if (!more)
			return PH_OK;
		PH_TRY(add_link(literal, parent));
	}
}

static PhStatus
read_graph_node(PhLiteral *literal, const PhJsonText *key)
{
	PhJsonScan *json = &literal->json;
	char *id;
	uint32_t string;
	uint32_t node;
	uint32_t *entry;
	bool first = true;
	bool more;
	PH_TRY(ph_json_unescape(json, literal->arena, key, &id));
	PH_TRY(ph_strings_intern(&literal->ids, id, &string));
	PH_TRY(add_node(literal, PH_NONE, &node));
	literal->nodes[node].id = id;
	PH_TRY(ph_map_enter(&literal->node_of_id, string, node, &entry));
	if (*entry != node)
		return literal_fail(literal, json->at, "a node id stands twice in the graph");
	PH_TRY(ph_json_expect(json, '{'));
	for (;;)
	{
		PhJsonText member;
		PH_TRY(ph_json_next_member(json, &first, &more, &member));
		if (!more)
			return PH_OK;
		if (ph_json_is(&member, "data") || ph_json_is(&member, "frame"))
			PH_TRY(read_frame(literal, node));
		else if (ph_json_is(&member, "children"))
			PH_TRY(read_children(literal, node));
		else
			PH_TRY(ph_json_skip(json));
	}
}

static PhStatus
read_component(PhLiteral *literal)
{
	bool first = true;
	bool more;
	PH_TRY(ph_json_expect(&literal->json, '{'));
	for (;;)
	{
		PhJsonText key;
		PH_TRY(ph_json_next_member(&literal->json, &first, &more, &key));
		if (!more)
			return PH_OK;
		PH_TRY(read_graph_node(literal, &key));
	}
}

static PhStatus
read_graph(PhLiteral *literal)
{
	bool first = true;
	bool more;
	PH_TRY(ph_json_expect(&literal->json, '['));
	for (;;)
	{
		PH_TRY(ph_json_next_item(&literal->json, &first, &more));
		if (!more)
			return PH_OK;
		PH_TRY(read_component(literal));
	}
}

/* Of several parents, the one whose id is first as bytes. */
static PhStatus
resolve_links(PhLiteral *literal)
{
	for (uint32_t i = 0; i < literal->n_links; i++)
	{
		const PhLiteralLink *link = &literal->links[i];
		uint32_t *entry;
		PH_TRY(ph_map_enter(&literal->node_of_id, link->child, PH_NONE, &entry));
		if (*entry == PH_NONE)
			return literal_fail(literal, link->at, "a child is not in the graph");
		PhLiteralNode *child = &literal->nodes[*entry];
		const PhLiteralNode *parent = &literal->nodes[link->parent];
		if (child->parent != PH_NONE && child->parent != link->parent)
			literal->n_shared++;
		if (child->parent == PH_NONE || strcmp(parent->id, literal->nodes[child->parent].id) < 0)
			child->parent = link->parent;
	}
	return PH_OK;
}

static PhStatus
read_form_a(PhLiteral *literal)
{
	PhJsonScan *json = &literal->json;
	bool first = true;
	bool more;
	bool has_graph = false;
	PH_TRY(ph_json_expect(json, '{'));
	for (;;)
	{
		PhJsonText key;
		PH_TRY(ph_json_next_member(json, &first, &more, &key));
		if (!more)
			break;
		if (ph_json_is(&key, "profile_mapping"))
			return ph_fail_hint(json->env, PH_ERR_UNSUPPORTED,
								"Load the profiles that it was made from instead.",
								"%s: an ensemble of Thicket, not one profile", json->input->path);
		bool is_graph = ph_json_is(&key, "graph");
		bool is_rows = ph_json_is(&key, "dataframe");
		if ((is_graph && has_graph) || (is_rows && literal->dataframe != 0))
			return literal_fail(literal, json->at, "a section stands twice");
		ph_json_peek(json);
		if (is_rows)
			literal->dataframe = json->at;
		if (ph_json_is(&key, "metric_units"))
			literal->units = json->at;
		has_graph |= is_graph;
		if (is_graph)
			PH_TRY(read_graph(literal));
		else
			PH_TRY(ph_json_skip(json));
	}
	if (!has_graph || literal->dataframe == 0)
		return literal_fail(literal, json->at,
							has_graph ? "section \"dataframe\" is missing"
									  : "section \"graph\" is missing");
	return resolve_links(literal);
}

/* ---- form B ---- */

/* The nodes that are open, innermost last. */
typedef struct OpenNodes
{
	uint32_t n, capacity;
	OpenNode *list;
} OpenNodes;

static PhStatus
open_node(PhLiteral *literal, OpenNodes *open, OpenNode node)
{
	if (open->n == PH_LITERAL_DEPTH)
		return literal_fail(literal, literal->json.at, "the tree is deeper than a million levels");
	PH_TRY(PH_GROW(literal->arena, &open->list, open->n, &open->capacity));
	open->list[open->n++] = node;
	return PH_OK;
}

/* Next child in the list that is open. */
static PhStatus
step_children(PhLiteral *literal, OpenNodes *open)
{
	OpenNode *top = &open->list[open->n - 1];
	bool more;
	PH_TRY(ph_json_next_item(&literal->json, &top->first_child, &more));
	if (!more)
	{
		top->in_children = false;
		open->n -= top->node == PH_NONE;
		return PH_OK;
	}
	OpenNode child = {.first_member = true};
	PH_TRY(ph_json_expect(&literal->json, '{'));
	PH_TRY(add_node(literal, top->node, &child.node));
	return open_node(literal, open, child);
}

/* Next member of the node that is open. */
static PhStatus
step_members(PhLiteral *literal, OpenNodes *open)
{
	PhJsonScan *json = &literal->json;
	OpenNode *top = &open->list[open->n - 1];
	PhLiteralNode *node = &literal->nodes[top->node];
	PhJsonText key;
	bool more;
	PH_TRY(ph_json_next_member(json, &top->first_member, &more, &key));
	if (!more)
	{
		open->n--;
		return PH_OK;
	}
	bool is_null = ph_json_peek(json) == 'n';
	if (ph_json_is(&key, "frame"))
		return read_frame(literal, top->node);
	if (ph_json_is(&key, "children") && !is_null)
	{
		top->in_children = true;
		top->first_child = true;
		return ph_json_expect(json, '[');
	}
	bool taken = false;
	if (ph_json_is(&key, "metrics") && !is_null)
		node->metrics = json->at;
	else
		PH_TRY(ph_literal_attribute(literal, node, &key, &taken));
	return taken ? PH_OK : ph_json_skip(json);
}

static PhStatus
read_form_b(PhLiteral *literal)
{
	OpenNodes open = {0};
	OpenNode roots = {.node = PH_NONE, .in_children = true, .first_child = true};
	PH_TRY(ph_json_expect(&literal->json, '['));
	PH_TRY(open_node(literal, &open, roots));
	while (open.n > 0)
	{
		if (open.list[open.n - 1].in_children)
			PH_TRY(step_children(literal, &open));
		else
			PH_TRY(step_members(literal, &open));
	}
	return PH_OK;
}

PhStatus
ph_literal_read(PhLiteral *literal, PhArena *arena, PhEnv *env, PhInput *input)
{
	memset(literal, 0, sizeof(*literal));
	literal->json = (PhJsonScan){env, input, 0};
	literal->arena = arena;
	PH_TRY(ph_strings_init(&literal->ids, arena));
	ph_map_init(&literal->node_of_id, arena);
	if (ph_json_peek(&literal->json) == '[')
		PH_TRY(read_form_b(literal));
	else
		PH_TRY(read_form_a(literal));
	PH_TRY(ph_json_end(&literal->json));
	if (literal->n_nodes == 0)
		return literal_fail(literal, 0, "the graph has no nodes");
	return PH_OK;
}
