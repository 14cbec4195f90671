/*
 * names.h - words for people: kinds of regions, columns and metrics; labels of modules and columns.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_NAMES_H
#define PH_PROFILE_NAMES_H

#include "postgres.h"

#include "profile/profile.h"

const char *ph_region_kind_name(uint8 kind);
const char *ph_column_kind_name(uint8 kind);
const char *ph_metric_kind_name(uint8 kind);

/* The module label of a node, else the base name of its library, else "". */
const char *ph_node_module(const PhProfile *profile, uint32 node);

/* "run 3 (lulesh)", "run 3", "lulesh" or "unnamed source"; palloc'd. */
char *ph_source_label(const PhProfile *profile, const PhSource *source);

/* Longest label of a column that SQL shows. */
#define PH_COLUMN_LABEL_MAX 256

#endif
