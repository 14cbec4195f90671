/*
 * hide.c - paths that are hidden where they are part of what functions are known by.
 *
 * The same rules as perfhouse_internal.is_private_path and hidden_path: both sides of a warehouse
 * give a folder the same pseudonym.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "profile/builder.h"
#include "profile/flat.h"
#include "transfer/internal.h"

#define SHOWN_BYTES 6

static bool
is_separator(char byte)
{
	return byte == '/' || byte == '\\';
}

/* One of the folders that every machine has. */
static bool
is_of_system(const char *path)
{
	static const char *const roots[] = {"usr", "lib", "lib32", "lib64", "bin", "sbin",
										"opt", "etc", "proc",  "sys",	"dev", "run"};

	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++)
	{
		size_t length = strlen(roots[i]);

		if (path[0] == '/' && strncmp(path + 1, roots[i], length) == 0 &&
			(path[1 + length] == '/' || path[1 + length] == '\0'))
			return true;
	}
	return false;
}

static bool
is_private(const char *path)
{
	bool is_letter = (path[0] >= 'A' && path[0] <= 'Z') || (path[0] >= 'a' && path[0] <= 'z');
	bool is_absolute = path[0] == '~' || (path[0] == '/' && path[1] != '/' && path[1] != '\0') ||
					   (is_letter && path[1] == ':' && is_separator(path[2]));

	return is_absolute && !is_of_system(path);
}

static PhStatus
digest(PhArena *arena, const char *salt, const char *text, size_t length, char *hex)
{
	unsigned char bytes[EVP_MAX_MD_SIZE];
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	bool ok = context != NULL && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1 &&
			  EVP_DigestUpdate(context, salt, strlen(salt)) == 1 &&
			  EVP_DigestUpdate(context, "\n", 1) == 1 &&
			  EVP_DigestUpdate(context, text, length) == 1 &&
			  EVP_DigestFinal_ex(context, bytes, NULL) == 1;

	EVP_MD_CTX_free(context);
	if (!ok)
		return ph_fail(arena->env, PH_ERR_INTERNAL, "SHA-256 is not available in this libcrypto");
	for (size_t i = 0; i < SHOWN_BYTES; i++)
	{
		hex[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
		hex[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
	}
	hex[(size_t) 2 * SHOWN_BYTES] = '\0';
	return PH_OK;
}

/* A path without its private folder; as it is when there is none. The arena's. */
static PhStatus
hide_path(PhArena *arena, const char *salt, const char *path, const char **out)
{
	char hex[2 * SHOWN_BYTES + 1];
	size_t folder = path == NULL ? 0 : strlen(path);
	PhStr text;
	char *made;

	*out = path;
	if (path == NULL || !is_private(path))
		return PH_OK;
	while (folder > 0 && !is_separator(path[folder - 1]))
		folder--;
	if (folder == 0)
		return PH_OK;
	PH_TRY(digest(arena, salt, path, folder - 1, hex));
	ph_str_init(&text, arena);
	PH_TRY(ph_str_printf(&text, "path-%s/%s", hex, path + folder));
	PH_TRY(ph_str_take(&text, &made));
	*out = made;
	return PH_OK;
}

/* Paths are looked for between these, as perfhouse_internal.hidden_paths does. */
#define BETWEEN " \t\n\r\f\v:;,=\"'<>()[]{}"

/* The same of every path in a text. */
static PhStatus
hide_paths(PhArena *arena, const char *salt, const char *text, const char **out)
{
	PhStr made;
	char *taken;

	*out = text;
	if (strpbrk(text, "/\\") == NULL)
		return PH_OK;
	ph_str_init(&made, arena);
	for (const char *at = text; *at != '\0';)
	{
		size_t between = strspn(at, BETWEEN), length = strcspn(at + between, BETWEEN);
		const char *hidden;
		char *word;

		PH_TRY(ph_str_append_n(&made, at, between));
		PH_TRY(ph_arena_strndup(arena, at + between, length, &word));
		PH_TRY(hide_path(arena, salt, word, &hidden));
		PH_TRY(ph_str_append(&made, hidden));
		at += between + length;
	}
	PH_TRY(ph_str_take(&made, &taken));
	*out = taken;
	return PH_OK;
}

PhStatus
ph_hide_in_region(PhArena *arena, const char *salt, const char **name, const char **library,
				  const char **file)
{
	PH_TRY(hide_paths(arena, salt, *name, name));
	PH_TRY(hide_path(arena, salt, *library, library));
	return hide_path(arena, salt, *file, file);
}

/* ---- trees ---- */

static PhStatus
add_regions(PhArena *arena, const char *salt, const PhProfile *tree, PhProfileBuilder *builder,
			uint32_t *numbers)
{
	for (uint32_t r = 0; r < tree->n_regions; r++)
	{
		const PhRegion *region = &tree->regions[r];
		PhRegionSpec spec = {.kind = (PhRegionKind) region->kind,
							 .name = ph_profile_string(tree, region->name),
							 .library = ph_profile_string(tree, region->library),
							 .file = ph_profile_string(tree, region->file),
							 .module = ph_profile_string(tree, region->module),
							 .line = region->line,
							 .paradigm = ph_profile_string(tree, region->paradigm)};

		PH_TRY(ph_hide_in_region(arena, salt, &spec.name, &spec.library, &spec.file));
		PH_TRY(ph_builder_add_region(builder, &spec, &numbers[r]));
	}
	return PH_OK;
}

static PhStatus
build(PhArena *arena, const char *salt, const PhProfile *tree, PhProfileBuilder *builder,
	  PhProfile **out)
{
	uint32_t *numbers;
	uint32_t node;

	PH_TRY(PH_NEW(arena, tree->n_regions, &numbers));
	PH_TRY(add_regions(arena, salt, tree, builder, numbers));
	for (uint32_t i = 0; i < tree->n_nodes; i++)
		PH_TRY(ph_builder_add_node(builder, tree->parent[i], numbers[tree->region[i]], &node));
	return ph_builder_finish(builder, out);
}

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
list_ids(PhArena *arena, const char *salt, const PhProfile *tree, uint64_t **out)
{
	PH_TRY(PH_NEW(arena, tree->n_regions, out));
	for (uint32_t r = 0; r < tree->n_regions; r++)
	{
		const PhRegion *region = &tree->regions[r];
		const char *name = ph_profile_string(tree, region->name);
		const char *library = ph_profile_string(tree, region->library);
		const char *file = ph_profile_string(tree, region->file);

		PH_TRY(ph_hide_in_region(arena, salt, &name, &library, &file));
		(*out)[r] = ph_hash_region((PhRegionKind) region->kind, name, library, file, region->line);
	}
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
	PhProfileBuilder *builder;
	PhProfile *hidden = NULL;
	PhStatus status;
	uint64_t *ids;

	PH_TRY(list_ids(arena, salt, tree, &ids));
	PH_TRY(ph_builder_new(arena->env, &builder));
	status = build(arena, salt, tree, builder, &hidden);
	ph_builder_free(builder);
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
