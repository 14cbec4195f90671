/*
 * node_path.h - a tree node's path as text and back: names from the root joined by "/".
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_NODE_PATH_H
#define PH_PROFILE_NODE_PATH_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "profile/profile.h"

/* A path keeps at most this many bytes; the beginning is cut and marked "…". */
#define PH_PATH_MAX 4096

/* A path that is put together from its last name to its first, as far as these fit. */
typedef struct PhPathText
{
	char text[PH_PATH_MAX];
	size_t begin;		   /* what is there is text[begin..PH_PATH_MAX) */
	bool is_begun, is_cut; /* has a name; nothing more fits */
} PhPathText;

void ph_path_begin(PhPathText *path);
/* Put the name of the parent before what is there, unless that is cut. */
void ph_path_prepend(PhPathText *path, const char *name, bool is_root);
/* The path into the buffer, which is emptied first. */
const char *ph_path_text(const PhPathText *path, StringInfo buffer);

/* The path of node into the buffer, which is emptied first. */
const char *ph_node_path(const PhProfile *profile, uint32 node, StringInfo buffer);

/*
 * The node whose names from a root make this path, or the only node of that name. PH002 when none
 * does, 22023 when several do.
 */
uint32 ph_node_by_path(const PhProfile *profile, const char *path);

/* The same, but PH_NONE when none does. */
uint32 ph_find_node_by_path(const PhProfile *profile, const char *path);

#endif
