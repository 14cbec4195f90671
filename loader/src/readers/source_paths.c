/*
 * source_paths.c - normalisation of paths.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/source_paths.h"

#include <string.h>

#include "readers/input.h"

static bool
is_path(const char *text)
{
	return text[0] != '\0' && text[0] != '<' && text[0] != '~';
}

/* Drop the last component of what is written, unless it is "..", or there is none. */
static bool
drop_component(char *out, size_t *length, size_t root)
{
	size_t start = *length;
	while (start > root && out[start - 1] != '/')
		start--;
	bool parent = *length - start == 2 && memcmp(out + start, "..", 2) == 0;
	if (start == *length || parent)
		return root > 0 && *length == root; /* "/.." is "/" */
	*length = start > root ? start - 1 : root;
	return true;
}

PhStatus
ph_path_normalise(PhArena *arena, const char *path, char **out)
{
	char *copy;
	size_t root = path[0] == '/';
	size_t length = root;
	PH_TRY(ph_arena_strndup(arena, path, strlen(path) + 1, &copy));
	for (const char *at = path; *at != '\0';)
	{
		size_t size = strcspn(at, "/");
		bool here = size == 0 || (size == 1 && at[0] == '.');
		bool up = size == 2 && memcmp(at, "..", 2) == 0;
		if (!here && !(up && drop_component(copy, &length, root)))
		{
			if (length > root)
				copy[length++] = '/';
			memmove(copy + length, at, size);
			length += size;
		}
		at += size;
		at += *at == '/';
	}
	copy[length] = '\0';
	*out = copy;
	return PH_OK;
}

const char *
ph_path_base(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash != NULL && slash[1] != '\0' && is_path(path) ? slash + 1 : path;
}

PhStatus
ph_paths_init(PhSourcePaths *paths, PhArena *arena, const char *source_root)
{
	memset(paths, 0, sizeof(*paths));
	paths->arena = arena;
	PH_TRY(ph_strings_init(&paths->raw, arena));
	if (source_root == NULL || source_root[0] == '\0')
		return PH_OK;
	char *root;
	PH_TRY(ph_path_normalise(arena, source_root, &root));
	size_t length = strlen(root);
	PH_TRY(ph_arena_strndup(arena, root, length + 1, &paths->root));
	if (length > 0 && root[length - 1] != '/')
		paths->root[length++] = '/';
	paths->root[length] = '\0';
	paths->root_given = true;
	return PH_OK;
}

PhStatus
ph_paths_add(PhSourcePaths *paths, const char *file, uint32_t *out)
{
	return ph_strings_intern(&paths->raw, file, out);
}

/* Shorten the common root so that path is below it too. */
static PhStatus
share_root(PhSourcePaths *paths, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t length = slash != NULL ? (size_t) (slash - path) + 1 : 0;
	if (paths->root == NULL)
		return ph_arena_strndup(paths->arena, path, length, &paths->root);
	size_t same = 0;
	size_t cut = 0;
	for (; same < length && paths->root[same] != '\0' && paths->root[same] == path[same]; same++)
		if (path[same] == '/')
			cut = same + 1;
	paths->root[cut] = '\0';
	return PH_OK;
}

PhStatus
ph_paths_finish(PhSourcePaths *paths)
{
	uint32_t n = paths->raw.count;
	PH_TRY(PH_NEW(paths->arena, n, &paths->normal));
	for (uint32_t i = 0; i < n; i++)
	{
		char *path;
		paths->normal[i] = paths->raw.text[i];
		if (!is_path(paths->raw.text[i]))
			continue;
		PH_TRY(ph_path_normalise(paths->arena, paths->raw.text[i], &path));
		paths->normal[i] = path;
		if (!paths->root_given)
			PH_TRY(share_root(paths, path));
	}
	size_t length = paths->root != NULL ? strlen(paths->root) : 0;
	if (length > 0 && paths->root[0] == '/' && length == 1)
		length = 0; /* sharing "/" says nothing */
	for (uint32_t i = 0; i < n; i++)
		if (length > 0 && is_path(paths->raw.text[i]) &&
			strncmp(paths->normal[i], paths->root, length) == 0 && paths->normal[i][length] != '\0')
			paths->normal[i] += length;
	paths->n_normal = n;
	return PH_OK;
}

/* The raw path behind a normalised one; of several, the first in byte order. */
static const char *
find_raw(const PhSourcePaths *paths, const char *normal)
{
	const char *best = NULL;
	for (uint32_t i = 1; i < paths->n_normal; i++)
		if (strcmp(paths->normal[i], normal) == 0 &&
			(best == NULL || strcmp(paths->raw.text[i], best) < 0))
			best = paths->raw.text[i];
	return best;
}

/* Raw paths by string index of the profile, looked up once each. */
static PhStatus
raw_by_string(PhSourcePaths *paths, const PhProfile *profile, const char ***out)
{
	bool *known;
	PH_TRY(PH_NEW(paths->arena, profile->n_strings, out));
	PH_TRY(PH_NEW(paths->arena, profile->n_strings, &known));
	for (uint32_t i = 0; i < profile->n_regions; i++)
	{
		PhString file = profile->regions[i].file;
		if (file != 0 && !known[file])
			(*out)[file] = find_raw(paths, profile->strings[file]);
		known[file] = true;
	}
	return PH_OK;
}

PhStatus
ph_paths_raw_regions(PhSourcePaths *paths, PhEnv *env, PhRunInput *run)
{
	const PhProfile *profile = run->profile;
	const char **raw;
	void *list;
	PH_TRY(raw_by_string(paths, profile, &raw));
	PH_TRY(ph_env_alloc(env, profile->n_regions, sizeof(PhRawRegion), &list));
	run->raw_regions = list;
	for (uint32_t i = 0; i < profile->n_regions; i++)
	{
		PhString file = profile->regions[i].file;
		run->raw_regions[i].line = profile->regions[i].line;
		bool differs = raw[file] != NULL && strcmp(raw[file], profile->strings[file]) != 0;
		if (differs)
			PH_TRY(ph_run_strdup(env, raw[file], &run->raw_regions[i].raw_file));
	}
	return PH_OK;
}
