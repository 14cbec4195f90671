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
