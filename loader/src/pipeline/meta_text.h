/*
 * meta_text.h - metadata as people write it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_META_TEXT_H
#define PH_PIPELINE_META_TEXT_H

#include "readers/source.h"

/* Adds a key: the value is a number where it is one, unless the key is known to be a text. */
PhStatus ph_meta_put_text(PhEnv *env, PhMeta *meta, const char *key,
						  const char *value) PH_MUST_CHECK;

#endif
