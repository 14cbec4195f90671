/*
 * json_tree.c - see json_tree.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/json_tree.h"

#include "base/vector.h"

/* An open object. */
typedef struct Level
{
	size_t at;
	uint32_t node; /* its parent's until it is settled */
	bool is_settled, in_children;
	bool first_member, first_child;
} Level;

typedef struct Walk
{
	PhJsonScan *json;
	const PhJsonTree *tree;
	PH_VECTOR(Level) levels;
} Walk;

static PhStatus
open_object(Walk *walk, uint32_t parent)
{
	PhJsonScan *json = walk->json;
	(void) ph_json_peek(json);
	Level level = {.at = json->at, .node = parent, .first_member = true, .first_child = true};
	if (walk->levels.count == PH_JSON_DEPTH)
		return ph_input_fail(json->env, json->input, PH_ERR_LIMIT, json->at,
							 "more than %d levels of children", PH_JSON_DEPTH);
	PH_TRY(ph_json_expect(json, '{'));
	PH_TRY(PH_ROOM(json->env, &walk->levels));
	walk->levels.items[walk->levels.count++] = level;
	walk->tree->begin(walk->tree->reader);
	return PH_OK;
}

static PhStatus
settle(Walk *walk, Level *level)
{
	if (level->is_settled)
		return PH_OK;
	level->is_settled = true;
	return walk->tree->settle(walk->tree->reader, level->at, level->node, &level->node);
}

static PhStatus
take_member(Walk *walk, Level *level)
{
	PhJsonScan *json = walk->json;
	PhJsonText key;
	bool more;
	PH_TRY(ph_json_next_member(json, &level->first_member, &more, &key));
	if (!more)
	{
		PH_TRY(settle(walk, level));
		walk->levels.count--;
		return PH_OK;
	}
	if (level->is_settled)
		return ph_json_skip(json);
	if (!ph_json_is(&key, "children"))
		return walk->tree->member(walk->tree->reader, &key);
	PH_TRY(settle(walk, level));
	if (ph_json_peek(json) != '[')
		return ph_json_skip(json);
	level->in_children = true;
	return ph_json_expect(json, '[');
}

static PhStatus
take_child(Walk *walk, Level *level)
{
	bool more;
	PH_TRY(ph_json_next_item(walk->json, &level->first_child, &more));
	if (more)
		return open_object(walk, level->node);
	level->in_children = false;
	return PH_OK;
}

static PhStatus
walk_all(Walk *walk, uint32_t parent)
{
	PH_TRY(open_object(walk, parent));
	while (walk->levels.count > 0)
	{
		Level *level = &walk->levels.items[walk->levels.count - 1];
		PH_TRY(ph_env_poll(walk->json->env));
		if (level->in_children)
			PH_TRY(take_child(walk, level));
		else
			PH_TRY(take_member(walk, level));
	}
	return PH_OK;
}

PhStatus
ph_json_tree_walk(PhJsonScan *json, const PhJsonTree *tree, uint32_t parent)
{
	Walk walk = {.json = json, .tree = tree};
	PhStatus status = walk_all(&walk, parent);
	PH_VECTOR_FREE(json->env, &walk.levels);
	return status;
}
