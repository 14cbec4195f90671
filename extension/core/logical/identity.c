/*
 * identity.c - see identity.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "logical/identity.h"

#include <string.h>

#include "base/hash.h"
#include "base/min_max.h"
#include "base/sort.h"
#include "base/table.h"

#define LONGEST_REPEAT 8 /* events of what is repeated */

uint64_t
ph_logical_region_key(const char *name)
{
	const char *place = strstr(name, " [{");
	size_t length = place == NULL ? strlen(name) : (size_t) (place - name);
	if (strncmp(name, ".TAU ", 5) == 0)
		return 0;
	if (length > 2 && memcmp(name + length - 2, "()", 2) == 0)
		length -= 2;
	return PH_MAX(ph_hash_bytes(name, length), 1);
}

PhStatus
ph_logical_call_keys(PhArena *arena, const PhLogicalModel *model, uint64_t **out)
{
	uint64_t *path;
	PH_TRY(PH_NEW(arena, model->n_calls, &path));
	for (uint32_t c = 0; c < model->n_calls; c++)
	{
		uint32_t parent = model->call_parent[c];
		uint64_t above = parent == PH_NONE ? 0 : path[parent];
		uint64_t key = model->region_key[model->call_region[c]];
		PH_TRY(ph_env_poll_at(arena->env, c));
		path[c] = key == 0 ? above : ph_hash_add(above, key);
	}
	*out = path;
	return PH_OK;
}

uint64_t
ph_event_key(const PhLogicalModel *model, const uint64_t *call_keys, uint32_t event)
{
	uint32_t region = model->region[event];
	uint64_t key = ph_hash_add(ph_event_caller_key(model, call_keys, event),
							   region == PH_NONE ? 0 : model->region_key[region]);
	return ph_hash_add(key, model->kind[event]);
}

/* What the key of an event is made of (ph_role_key). */
typedef struct RoleEvent
{
	uint64_t caller;
	uint32_t region, kind; /* region PH_NONE: of a receive, or none */
} RoleEvent;

/* A timeline's events in a phase, without what repeats what is right before it. */
typedef struct Role
{
	uint64_t *keys;
	uint32_t n;
	/* of the timeline that was looked at before: most do the same */
	RoleEvent *events;
	uint32_t n_events;
	uint64_t hash;
} Role;

/* Leave out the end of the sequence where as many before it are the same. */
static void
fold_end(Role *role)
{
	for (uint32_t length = 1; length <= LONGEST_REPEAT && 2 * length <= role->n; length++)
	{
		const uint64_t *end = role->keys + role->n - length;
		if (end[length - 1] == end[-1] && memcmp(end - length, end, length * sizeof(*end)) == 0)
		{
			role->n -= length;
			return;
		}
	}
}

uint64_t
ph_role_key(const PhLogicalModel *model, const uint64_t *call_keys, uint32_t event)
{
	return model->kind[event] == PH_COMM_RECEIVE
			   ? ph_hash_add(ph_event_caller_key(model, call_keys, event), 0)
			   : ph_event_key(model, call_keys, event);
}

/* Takes in the events of the next timeline; are they those of the one before? */
static bool
take_events(Role *role, const PhLogicalModel *model, const uint64_t *call_keys, uint32_t first,
			uint32_t last)
{
	bool is_same = role->n_events == last - first + 1;
	for (uint32_t e = first; e <= last; e++)
	{
		RoleEvent *known = &role->events[e - first];
		RoleEvent event = {ph_event_caller_key(model, call_keys, e),
						   model->kind[e] == PH_COMM_RECEIVE ? PH_NONE : model->region[e],
						   model->kind[e]};
		is_same = is_same && event.caller == known->caller && event.region == known->region &&
				  event.kind == known->kind;
		*known = event;
	}
	role->n_events = last - first + 1;
	return is_same;
}

static uint64_t
hash_of_role(Role *role, const PhLogicalModel *model, const uint64_t *call_keys, uint32_t first,
			 uint32_t last)
{
	if (take_events(role, model, call_keys, first, last))
		return role->hash;
	role->hash = 0;
	role->n = 0;
	for (uint32_t e = first; e <= last; e++)
	{
		role->keys[role->n++] = ph_role_key(model, call_keys, e);
		fold_end(role);
	}
	for (uint32_t i = 0; i < role->n; i++)
		role->hash = ph_hash_add(role->hash, role->keys[i]);
	return role->hash;
}

/* Roles of a phase, each once, in order of their hashes. */
typedef struct Roles
{
	Role scratch;
	uint64_t *hash; /* by member */
} Roles;

static int
compare_hashes(const void *context, uint32_t x, uint32_t y)
{
	const uint64_t *hash = context;
	return (hash[x] > hash[y]) - (hash[x] < hash[y]);
}

/* Most phases have one role or two. */
static uint32_t
add_role(uint64_t *roles, uint32_t n, uint64_t hash)
{
	for (uint32_t i = n; i-- > 0 && n - i <= 4;)
		if (roles[i] == hash)
			return n;
	roles[n] = hash;
	return n + 1;
}

static PhStatus
hash_of_roles(PhArena *scratch, const uint64_t *roles, uint32_t n, uint64_t *out)
{
	uint32_t *order;
	uint64_t before = 0;
	if (n == 1)
	{
		*out = ph_hash_add(*out, roles[0]);
		return PH_OK;
	}
	PH_TRY(ph_sort_indices(scratch, n, compare_hashes, roles, &order));
	for (uint32_t i = 0; i < n; i++)
	{
		if (i == 0 || roles[order[i]] != before)
			*out = ph_hash_add(*out, roles[order[i]]);
		before = roles[order[i]];
	}
	return PH_OK;
}

/* The entry methods of a phase of tasks, each once. */
static PhStatus
find_identity_of_tasks(PhArena *scratch, const PhLogical *logical, uint32_t phase, uint64_t *out)
{
	uint64_t *keys;
	PhMap known;
	ph_map_init(&known, scratch);
	PH_TRY(PH_NEW(scratch, logical->n_events_of[phase], &keys));
	for (uint32_t i = logical->first_member[phase]; i < logical->first_member[phase + 1]; i++)
		for (uint32_t e = logical->member_first[i]; e <= logical->member_last[i]; e++)
		{
			uint32_t region = logical->model->region[e], *place;
			uint64_t key = region == PH_NONE ? 0 : logical->model->region_key[region];
			PH_TRY(ph_env_poll_at(scratch->env, e));
			PH_TRY(ph_map_enter(&known, key, known.count, &place));
			keys[*place] = key;
		}
	PH_TRY(hash_of_roles(scratch, keys, known.count, out));
	*out = PH_MAX(*out, 1);
	return PH_OK;
}

static PhStatus
find_identity(PhArena *scratch, const PhLogical *logical, const uint64_t *call_keys, Roles *roles,
			  uint32_t phase, uint64_t *out)
{
	uint32_t n = 0;
	for (uint32_t i = logical->first_member[phase]; i < logical->first_member[phase + 1]; i++)
	{
		PH_TRY(ph_env_poll_at(scratch->env, i));
		n = add_role(roles->hash, n,
					 hash_of_role(&roles->scratch, logical->model, call_keys,
								  logical->member_first[i], logical->member_last[i]));
	}
	PH_TRY(hash_of_roles(scratch, roles->hash, n, out));
	*out = PH_MAX(*out, 1);
	return PH_OK;
}

static PhStatus
find_identities(PhArena *arena, const PhLogical *logical, const uint8_t *patterns, uint64_t *out)
{
	uint64_t *call_keys;
	Roles roles;
	PhArena scratch;
	uint32_t most_events = 0, most_members = 0;
	for (uint32_t i = 0; i < logical->n_members; i++)
		most_events = PH_MAX(most_events, logical->member_last[i] - logical->member_first[i] + 1);
	for (uint32_t p = 0; p < logical->n_phases; p++)
		most_members =
			PH_MAX(most_members, logical->first_member[p + 1] - logical->first_member[p]);
	PH_TRY(ph_logical_call_keys(arena, logical->model, &call_keys));
	roles.scratch = (Role){.n_events = 0};
	PH_TRY(PH_NEW(arena, most_events, &roles.scratch.keys));
	PH_TRY(PH_NEW(arena, most_events, &roles.scratch.events));
	PH_TRY(PH_NEW(arena, most_members, &roles.hash));
	ph_arena_init(&scratch, arena->env);
	PhStatus status = PH_OK;
	for (uint32_t p = 0; p < logical->n_phases && status == PH_OK; p++)
	{
		bool of_tasks = logical->stride != PH_STEP_STRIDE;
		out[p] = of_tasks ? 0 : patterns[p];
		status = !of_tasks ? find_identity(&scratch, logical, call_keys, &roles, p, &out[p])
						   : find_identity_of_tasks(&scratch, logical, p, &out[p]);
		ph_arena_drop(&scratch);
	}
	return status;
}

PhStatus
ph_phase_identities(PhEnv *env, const PhLogical *logical, const uint8_t *patterns, uint64_t *out)
{
	PhArena arena;
	ph_arena_init(&arena, env);
	PhStatus status = find_identities(&arena, logical, patterns, out);
	ph_arena_drop(&arena);
	return status;
}
