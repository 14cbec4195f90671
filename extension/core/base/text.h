/*
 * text.h - strings from outside: valid UTF-8 or an error that says where not; prefixes for
 * messages.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BASE_TEXT_H
#define PH_BASE_TEXT_H

#include "base/env.h"

/* PH_ERR_VALUE unless text is valid UTF-8; what names it in the message. */
PhStatus ph_check_text(PhEnv *env, const char *what, const char *text, size_t length) PH_MUST_CHECK;

/* Bytes of the longest prefix of text that has at most limit bytes and ends between characters. */
int ph_text_fit(const char *text, size_t limit);

#endif
