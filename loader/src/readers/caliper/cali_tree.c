/*
 * cali_tree.c - nodes by id, links, attributes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/caliper/cali_tree.h"

#include <string.h>

#define PH_N_BOOTSTRAP 12 /* nodes 0..11 are never written */
#define PH_ATTR_NAME 8
#define PH_ATTR_TYPE 9
#define PH_ATTR_PROP 10
#define PH_NO_ID UINT64_MAX

static PhStatus
grow_nodes(PhCaliTree *tree)
{
	PhArena *arena = tree->arena;
	void *arrays[] = {tree->attr_ids, tree->data, tree->parent_ids, tree->lines};
	uint32_t *capacities[] = {&tree->attr_capacity, &tree->data_capacity, &tree->parent_capacity,
							  &tree->line_capacity};
	const size_t sizes[] = {sizeof(uint64_t), sizeof(PhCaliText), sizeof(uint64_t), sizeof(size_t)};
	if (tree->n_nodes < tree->attr_capacity)
		return PH_OK;
	for (size_t i = 0; i < 4; i++)
		PH_TRY(ph_grow_in_arena(arena, &arrays[i], tree->n_nodes, capacities[i], sizes[i]));
	tree->attr_ids = arrays[0];
	tree->data = arrays[1];
	tree->parent_ids = arrays[2];
	tree->lines = arrays[3];
	return PH_OK;
}

static PhStatus
append(PhCaliTree *tree, uint64_t id, uint64_t attr, PhCaliText data, uint64_t parent)
{
	uint32_t *entry;
	PH_TRY(ph_map_enter(&tree->index, id, tree->n_nodes, &entry));
	PH_TRY(grow_nodes(tree));
	tree->attr_ids[tree->n_nodes] = attr;
	tree->data[tree->n_nodes] = data;
	tree->parent_ids[tree->n_nodes] = parent;
	tree->lines[tree->n_nodes] = tree->scanner->line_start;
	tree->n_nodes++;
	return PH_OK;
}

PhStatus
ph_cali_tree_init(PhCaliTree *tree, PhArena *arena, PhCaliScanner *scanner)
{
	static const struct
	{
		uint64_t attr;
		const char *data;
		uint64_t parent;
	} bootstrap[PH_N_BOOTSTRAP] = {
		{PH_ATTR_TYPE, "usr", PH_NO_ID},		  {PH_ATTR_TYPE, "int", PH_NO_ID},
		{PH_ATTR_TYPE, "uint", PH_NO_ID},		  {PH_ATTR_TYPE, "string", PH_NO_ID},
		{PH_ATTR_TYPE, "addr", PH_NO_ID},		  {PH_ATTR_TYPE, "double", PH_NO_ID},
		{PH_ATTR_TYPE, "bool", PH_NO_ID},		  {PH_ATTR_TYPE, "type", PH_NO_ID},
		{PH_ATTR_NAME, "cali.attribute.name", 3}, {PH_ATTR_NAME, "cali.attribute.type", 7},
		{PH_ATTR_NAME, "cali.attribute.prop", 1}, {PH_ATTR_TYPE, "ptr", PH_NO_ID}};
	memset(tree, 0, sizeof(*tree));
	tree->arena = arena;
	tree->scanner = scanner;
	ph_map_init(&tree->index, arena);
	for (uint64_t i = 0; i < PH_N_BOOTSTRAP; i++)
	{
		PhCaliText data = {bootstrap[i].data, strlen(bootstrap[i].data)};
		PH_TRY(append(tree, i, bootstrap[i].attr, data, bootstrap[i].parent));
	}
	return PH_OK;
}

static bool
same_node(const PhCaliTree *tree, uint32_t node, uint64_t attr, const PhCaliText *data,
		  uint64_t parent)
{
	return tree->attr_ids[node] == attr && tree->parent_ids[node] == parent &&
		   tree->data[node].size == data->size &&
		   (data->size == 0 || memcmp(tree->data[node].text, data->text, data->size) == 0);
}

PhStatus
ph_cali_tree_add(PhCaliTree *tree, const PhCaliRecord *record)
{
	uint64_t id;
	uint64_t attr;
	uint64_t parent = PH_NO_ID;
	if (!ph_cali_id(&record->id, &id) || !ph_cali_id(&record->attr, &attr) ||
		record->data.text == NULL)
		return ph_cali_fail(tree->scanner, "a node needs id, attr and data");
	if (record->parent.text != NULL && !ph_cali_id(&record->parent, &parent))
		return ph_cali_fail(tree->scanner, "the parent of a node is not an id");
	uint32_t before = tree->index.count;
	uint32_t *entry;
	PH_TRY(ph_map_enter(&tree->index, id, tree->n_nodes, &entry));
	if (tree->index.count > before)
		return append(tree, id, attr, record->data, parent);
	if (same_node(tree, *entry, attr, &record->data, parent))
		return PH_OK;
	return ph_input_fail(tree->scanner->env, tree->scanner->input, PH_ERR_FORMAT,
						 tree->scanner->line_start, "node %llu is defined twice, differently",
						 (unsigned long long) id);
}

static PhStatus
find_by_id(PhCaliTree *tree, uint64_t id, const char *what, uint32_t *out)
{
	uint32_t before = tree->index.count;
	uint32_t *entry;
	PH_TRY(ph_map_enter(&tree->index, id, PH_NONE, &entry));
	if (tree->index.count > before || *entry == PH_NONE)
		return ph_input_fail(tree->scanner->env, tree->scanner->input, PH_ERR_FORMAT,
							 tree->scanner->line_start, "%s %llu is not defined", what,
							 (unsigned long long) id);
	*out = *entry;
	return PH_OK;
}

PhStatus
ph_cali_tree_find(PhCaliTree *tree, const PhCaliText *id, uint32_t *out)
{
	uint64_t number;
	if (!ph_cali_id(id, &number))
		return ph_cali_fail(tree->scanner, "expected the id of a node");
	return find_by_id(tree, number, "node", out);
}

PhStatus
ph_cali_tree_attribute(PhCaliTree *tree, const PhCaliText *id, uint32_t *out)
{
	uint32_t node = PH_NONE;
	uint64_t number;
	if (!ph_cali_id(id, &number))
		return ph_cali_fail(tree->scanner, "expected the id of an attribute");
	PH_TRY(find_by_id(tree, number, "attribute", &node));
	*out = tree->attribute_of_node[node];
	if (*out == PH_NONE && node >= PH_N_BOOTSTRAP)
		return ph_cali_fail(tree->scanner, "a node is used as an attribute, but defines none");
	return PH_OK;
}

/* One ancestor (or the node itself) of an attribute: what does it say about it? */
static PhStatus
learn(PhCaliTree *tree, uint32_t node, PhCaliAttribute *attribute, bool *typed)
{
	PhCaliperField *field = &tree->fields[attribute->field];
	uint64_t attr = tree->attr_ids[node];
	const PhCaliText *data = &tree->data[node];
	tree->scanner->line_start = tree->lines[node];
	if (attr == PH_ATTR_PROP && attribute->properties < 0)
	{
		if (!ph_parse_int64(data->text, data->size, &attribute->properties) ||
			attribute->properties < 0)
			return ph_cali_fail(tree->scanner, "the properties of an attribute are not a number");
	}
	else if (attr == PH_ATTR_TYPE && !*typed)
	{
		*typed = true;
		attribute->is_number = node == 1 || node == 2 || node == 5;
	}
	else if (attr >= PH_N_BOOTSTRAP)
	{
		uint32_t definition = PH_NONE;
		PH_TRY(find_by_id(tree, attr, "attribute", &definition));
		const PhCaliText *name = &tree->data[definition];
		bool is_alias = name->size == 15 && memcmp(name->text, "attribute.alias", 15) == 0;
		bool is_unit = (name->size == 14 && memcmp(name->text, "attribute.unit", 14) == 0) ||
					   (name->size == 9 && memcmp(name->text, "time.unit", 9) == 0);
		char *text;
		if (is_alias || is_unit)
			PH_TRY(ph_cali_decode(tree->scanner, tree->arena, data, &text));
		if (is_alias && field->alias == NULL)
			field->alias = text;
		if (is_unit && field->unit == NULL)
			field->unit = text;
	}
	return PH_OK;
}

static PhStatus
derive_attribute(PhCaliTree *tree, uint32_t node)
{
	uint32_t index = tree->n_attributes;
	PhCaliAttribute *attribute = &tree->attributes[index];
	PhCaliperField *field = &tree->fields[index];
	bool typed = false;
	char *name;
	*attribute = (PhCaliAttribute){.node = node, .field = index, .properties = -1};
	tree->scanner->line_start = tree->lines[node];
	PH_TRY(ph_cali_decode(tree->scanner, tree->arena, &tree->data[node], &name));
	field->name = name;
	for (uint32_t at = tree->parent[node]; at != PH_NONE; at = tree->parent[at])
	{
		PH_TRY(learn(tree, at, attribute, &typed));
	}
	if (attribute->properties < 0)
		attribute->properties = 0;
	field->role = ph_caliper_role(field->name, field->alias);
	bool usable = attribute->is_number && (attribute->properties & (PH_CALI_PROP_HIDDEN)) == 0;
	if (field->role == PH_CALIPER_METRIC &&
		(!usable || (attribute->properties & PH_CALI_PROP_GLOBAL) != 0))
		field->role = PH_CALIPER_SKIP;
	tree->attribute_of_node[node] = index;
	tree->n_attributes++;
	return PH_OK;
}

static PhStatus
resolve_links(PhCaliTree *tree)
{
	for (uint32_t i = 0; i < tree->n_nodes; i++)
	{
		tree->scanner->line_start = tree->lines[i];
		tree->parent[i] = PH_NONE;
		if (tree->parent_ids[i] != PH_NO_ID)
			PH_TRY(find_by_id(tree, tree->parent_ids[i], "parent node", &tree->parent[i]));
	}
	return PH_OK;
}

PhStatus
ph_cali_tree_resolve(PhCaliTree *tree, PhContextTree *context)
{
	uint32_t n_attributes = 0;
	uint32_t bad;
	PH_TRY(PH_NEW(tree->arena, tree->n_nodes, &tree->parent));
	PH_TRY(PH_NEW(tree->arena, tree->n_nodes, &tree->attribute));
	PH_TRY(PH_NEW(tree->arena, tree->n_nodes, &tree->attribute_of_node));
	PH_TRY(resolve_links(tree));
	PH_TRY(ph_context_init(context, tree->arena, tree->n_nodes, tree->parent, &bad));
	if (bad != PH_NONE)
	{
		tree->scanner->line_start = tree->lines[bad];
		return ph_cali_fail(tree->scanner, "a node is its own ancestor");
	}
	for (uint32_t i = 0; i < tree->n_nodes; i++)
	{
		tree->attribute_of_node[i] = PH_NONE;
		n_attributes += tree->attr_ids[i] == PH_ATTR_NAME && i >= PH_N_BOOTSTRAP;
	}
	PH_TRY(PH_NEW(tree->arena, n_attributes, &tree->attributes));
	PH_TRY(PH_NEW(tree->arena, n_attributes, &tree->fields));
	for (uint32_t i = PH_N_BOOTSTRAP; i < tree->n_nodes; i++)
		if (tree->attr_ids[i] == PH_ATTR_NAME)
			PH_TRY(derive_attribute(tree, i));
	for (uint32_t i = 0; i < tree->n_nodes; i++)
	{
		uint32_t definition = PH_NONE;
		tree->scanner->line_start = tree->lines[i];
		PH_TRY(find_by_id(tree, tree->attr_ids[i], "attribute", &definition));
		tree->attribute[i] = tree->attribute_of_node[definition];
	}
	return PH_OK;
}
