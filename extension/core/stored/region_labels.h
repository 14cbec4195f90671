/*
 * region_labels.h - what runs say of their regions, as bytes: docs/design/format-2.md 4.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_STORED_REGION_LABELS_H
#define PH_STORED_REGION_LABELS_H

#include "base/bytes.h"

/* Texts are UTF-8 in the bytes that were read; "": there is none. */
typedef struct PhRegionLabel
{
	int64_t region_id;
	int32_t local_id;
	int32_t line; /* -1: unknown */
	const char *module;
	const char *raw_file;
	const char *paradigm;
} PhRegionLabel;

/*
 * Takes the next label, of which there is one while rest has bytes, off them. PH_ERR_FORMAT: they
 * are not those of labels.
 */
PhStatus ph_region_label_take(PhEnv *env, PhBytes *rest, PhRegionLabel *out) PH_MUST_CHECK;

#endif
