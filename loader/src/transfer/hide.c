/*
 * hide.c - paths that are hidden where they are part of what functions are known by: packed trees
 * and labels.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>
#include <string.h>

#include "hiding/hiding.h"
#include "profile/flat.h"
#include "transfer/internal.h"

/* ---- trees ---- */

/* Is every node where it was? Siblings are sorted by names and paths, which have changed. */
static bool
has_same_order(const PhProfile *tree, const PhProfile *hidden, const uint64_t *ids)
{
	if (hidden->n_nodes != tree->n_nodes)
		return false;
	for (uint32_t i = 0; i < tree->n_nodes; i++)
		if (hidden->parent[i] != tree->parent[i] ||
			ph_profile_region(hidden, i)->region_id != ids[tree->region[i]])
			return false;
	return true;
}

static PhStatus
list_ids(PhArena *arena, const PhProfile *tree, const PhCodeNames *names, uint64_t **out)
{
	PH_TRY(PH_NEW(arena, tree->n_regions, out));
	for (uint32_t r = 0; r < tree->n_regions; r++)
		(*out)[r] = ph_hash_region((PhRegionKind) tree->regions[r].kind, names[r].name,
								   names[r].library, names[r].file, tree->regions[r].line);
	return PH_OK;
}

static PhStatus
flatten(PhArena *arena, const PhProfile *tree, uint8_t **out, size_t *size)
{
	PhProfile *skeleton;
	PhStatus status;

	PH_TRY(ph_profile_skeleton(arena->env, tree, &skeleton));
	status = ph_profile_flat_size(arena->env, skeleton, size);
	if (status == PH_OK)
		status = PH_NEW(arena, *size, out);
	if (status == PH_OK)
		status = ph_profile_flatten(arena->env, skeleton, *out);
	ph_profile_free(arena->env, skeleton);
	return status;
}

static PhStatus
hide_in_profile(PhArena *arena, const char *salt, const PhProfile *tree, uint8_t **out,
				size_t *out_size)
{
	const PhHiding hiding = {.salt = salt, .paths = true};
	PhProfile *hidden = NULL;
	PhCodeNames *names;
	PhStatus status;
	uint64_t *ids;

	PH_TRY(ph_hide_code(arena, &hiding, tree, &names));
	PH_TRY(list_ids(arena, tree, names, &ids));
	status = ph_profile_rename(arena->env, tree, names, NULL, &hidden);
	if (status == PH_OK && !has_same_order(tree, hidden, ids))
		status = ph_fail_hint(arena->env, PH_ERR_CONFLICT,
							  "Choose another --salt; or hide the rest without paths.",
							  "functions that name their files would change places when paths are "
							  "hidden");
	if (status == PH_OK)
		status = flatten(arena, hidden, out, out_size);
	if (hidden != NULL)
		ph_profile_free(arena->env, hidden);
	return status;
}

PhStatus
ph_hide_in_tree(PhArena *arena, const char *salt, const uint8_t *bytes, size_t size, uint8_t **out,
				size_t *out_size)
{
	PhProfile *tree;
	PhStatus status;

	PH_TRY(ph_profile_unflatten(arena->env, bytes, size, &tree));
	status = hide_in_profile(arena, salt, tree, out, out_size);
	ph_profile_free(arena->env, tree);
	return status;
}

/* ---- labels ---- */

#define LABEL_HEAD 16 /* region's identity, number and line */

typedef struct Label
{
	int64_t region;
	const uint8_t *rest; /* behind the identity */
	size_t size;
} Label;

static int
compare_labels(const void *x, const void *y)
{
	const Label *a = x;
	const Label *b = y;

	return (a->region > b->region) - (a->region < b->region);
}

static uint64_t
read64(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return __builtin_bswap64(value);
}

/* Bytes of the label there; 0: it is cut off. */
static size_t
label_size(const uint8_t *bytes, size_t left)
{
	size_t size = LABEL_HEAD;

	for (int text = 0; text < 3 && size < left; text++)
	{
		const uint8_t *end = memchr(bytes + size, 0, left - size);

		if (end == NULL)
			return 0;
		size = (size_t) (end - bytes) + 1;
	}
	return size <= left && size > LABEL_HEAD ? size : 0;
}

static PhStatus
split_labels(PhTransfer *transfer, const uint8_t *bytes, size_t size, Label *labels, size_t *n)
{
	size_t at = 0;

	for (*n = 0; at < size; (*n)++)
	{
		size_t length = label_size(bytes + at, size - at);
		Label *label = &labels[*n];

		if (length == 0)
			return ph_fail(&transfer->env, PH_ERR_FORMAT, "stored labels of regions are damaged");
		label->region = (int64_t) read64(bytes + at);
		(void) ph_numbers_find(&transfer->regions, label->region, &label->region);
		label->rest = bytes + at + 8;
		label->size = length - 8;
		at += length;
	}
	return PH_OK;
}

PhStatus
ph_hide_in_labels(PhTransfer *transfer, PhArena *arena, const uint8_t *bytes, size_t size,
				  uint8_t **out, size_t *out_size)
{
	Label *labels;
	size_t n, at = 0;

	PH_TRY(PH_NEW(arena, size / LABEL_HEAD + 1, &labels));
	PH_TRY(split_labels(transfer, bytes, size, labels, &n));
	qsort(labels, n, sizeof(*labels), compare_labels);
	PH_TRY(PH_NEW(arena, size + 1, out));
	for (size_t i = 0; i < n; i++)
	{
		uint64_t region = __builtin_bswap64((uint64_t) labels[i].region);

		memcpy(*out + at, &region, sizeof(region));
		memcpy(*out + at + 8, labels[i].rest, labels[i].size);
		at += 8 + labels[i].size;
	}
	*out_size = size;
	return PH_OK;
}
