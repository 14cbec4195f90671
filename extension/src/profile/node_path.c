/*
 * node_path.c - paths of tree nodes.
 *
 * Names may contain "/" themselves (files, templates), so a path is matched node by node from the
 * node upwards, never split.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "profile/node_path.h"
#include "server/pgenv.h"

/* Bytes of a path's last part that fit, moved to begin at a character. */
static const char *
cut_to_fit(const char *name, size_t *length, size_t room)
{
	const char *start = name + (*length > room ? *length - room : 0);
	while ((*start & 0xC0) == 0x80)
		start++;
	*length -= (size_t) (start - name);
	return start;
}

void
ph_path_begin(PhPathText *path)
{
	path->begin = PH_PATH_MAX;
	path->is_begun = path->is_cut = false;
}

void
ph_path_prepend(PhPathText *path, const char *name, bool is_root)
{
	size_t length = strlen(name);
	if (path->is_begun && path->begin > 0)
		path->text[--path->begin] = '/';
	path->is_begun = true;
	path->is_cut = length > path->begin || (path->begin == 0 && !is_root);
	name = cut_to_fit(name, &length, path->begin);
	path->begin -= length;
	memcpy(path->text + path->begin, name, length);
}

const char *
ph_path_text(const PhPathText *path, StringInfo buffer)
{
	resetStringInfo(buffer);
	if (path->is_cut)
		appendStringInfoString(buffer, "…");
	appendBinaryStringInfo(buffer, path->text + path->begin, (int) (PH_PATH_MAX - path->begin));
	return buffer->data;
}

const char *
ph_node_path(const PhProfile *profile, uint32 node, StringInfo buffer)
{
	PhPathText path;
	ph_path_begin(&path);
	for (uint32 n = node; n != PH_NONE && !path.is_cut; n = profile->parent[n])
		ph_path_prepend(&path, ph_profile_node_name(profile, n), profile->parent[n] == PH_NONE);
	return ph_path_text(&path, buffer);
}

/* Whether the names from a root down to node make the whole path. */
static bool
has_path(const PhProfile *profile, uint32 node, const char *path, size_t length)
{
	for (uint32 n = node; n != PH_NONE; n = profile->parent[n])
	{
		const char *name = ph_profile_node_name(profile, n);
		size_t part = strlen(name);
		if (part > length || memcmp(path + length - part, name, part) != 0)
			return false;
		length -= part;
		if (profile->parent[n] == PH_NONE)
			return length == 0;
		if (length == 0 || path[length - 1] != '/')
			return false;
		length--;
	}
	return false;
}

static uint32
find_only(const PhProfile *profile, const char *path, bool whole_path, uint32 *n_found)
{
	uint32 found = PH_NONE;
	size_t length = strlen(path);
	*n_found = 0;
	for (uint32 n = 0; n < profile->n_nodes; n++)
	{
		bool matches = whole_path ? has_path(profile, n, path, length)
								  : strcmp(ph_profile_node_name(profile, n), path) == 0;
		if (!matches)
			continue;
		if ((*n_found)++ == 0)
			found = n;
	}
	return found;
}

uint32
ph_find_node_by_path(const PhProfile *profile, const char *path)
{
	uint32 n_found;
	uint32 node = find_only(profile, path, true, &n_found);
	if (n_found == 0)
		node = find_only(profile, path, false, &n_found);
	if (n_found > 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%u nodes of the profile match \"%s\"", n_found, path),
						errhint("Give the whole path or the node's number; nodes(profile) lists "
								"both.")));
	return node;
}

uint32
ph_node_by_path(const PhProfile *profile, const char *path)
{
	uint32 node = ph_find_node_by_path(profile, path);
	if (node == PH_NONE)
		ereport(ERROR,
				(errcode(PH_ERRCODE_NOT_FOUND), errmsg("the profile has no node \"%s\"", path),
				 errhint("Give one name or names from the root joined by \"/\".")));
	return node;
}
