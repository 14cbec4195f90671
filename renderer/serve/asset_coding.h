/*
 * asset_coding.h - the pages' files as clients like them best: packed once, when first asked for.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_ASSET_CODING_H
#define PH_ASSET_CODING_H

#include "serve/answer.h"

/* Puts an answer that is a constant into this coding where that pays; any thread may call it.
 * Without memory for it the answer stays as it is. */
void ph_asset_pack(PhAnswer *answer, PhCoding coding);

#endif
