/*
 * duration.h - times as people write them: 0.1s, 250us, 5 ms.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SYSTEM_DURATION_H
#define PH_SYSTEM_DURATION_H

#include <stdbool.h>
#include <stdint.h>

/* A number with ns (default), us, ms, s, min or h, rounded to whole ns. False: it is no time. */
bool ph_duration_parse(const char *text, int64_t *ns);

#endif
