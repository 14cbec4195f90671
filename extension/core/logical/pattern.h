/*
 * pattern.h - how the processes of a phase exchange messages.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_PATTERN_H
#define PH_LOGICAL_PATTERN_H

#include "logical/metrics.h"

/*
 * An exchange: no collectives, and every timeline sends to whom it receives from. The pattern is
 * what most of its timelines do, each judged by its own sequence of sends and receives. Method:
 * docs/design/logical-time.md 4.5.
 */
typedef enum PhPattern
{
	PH_PATTERN_NONE,	   /* no exchange */
	PH_PATTERN_COLLECTIVE, /* collectives only */
	PH_PATTERN_UNKNOWN,	   /* an exchange of another kind */
	PH_PATTERN_SRSR,	   /* sends and receives in turn */
	PH_PATTERN_SSRR,	   /* all sends, then receives one by one */
	PH_PATTERN_SSWA,	   /* all sends, then several receives at once */
	PH_PATTERNS
} PhPattern;

/* "none", "collective", "unknown", "srsr", "ssrr", "sswa" */
const char *ph_pattern_name(uint32_t pattern);

/* out: one by phase. compat: as Ravel classifies, which knows no SSWA of coalesced sends. */
PhStatus ph_logical_patterns(PhEnv *env, const PhLogical *logical, bool compat,
							 uint8_t *out) PH_MUST_CHECK;

#endif
