/*
 * name_likeness.h - how alike two names of functions are.
 *
 * Compared is what is left of a name when decoration is gone: name mangling, template arguments
 * and parameters, letter case, the underscores that compilers put around. Of long names the last
 * 64 bytes count, where the function's own name is.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_HISTORY_NAME_LIKENESS_H
#define PH_HISTORY_NAME_LIKENESS_H

#include <stdint.h>

#define PH_CORE_NAME_MAX 64
#define PH_LIKENESS_DECORATED 0.98 /* equal but for decoration */

typedef struct PhCoreName
{
	uint32_t length; /* at most PH_CORE_NAME_MAX */
	char text[PH_CORE_NAME_MAX];
} PhCoreName;

void ph_core_name(const char *name, PhCoreName *out);

/* Levenshtein's distance: insertions, deletions and exchanges of bytes. O(longer name's length). */
uint32_t ph_name_distance(const PhCoreName *a, const PhCoreName *b);

/*
 * 1 for the same name, PH_LIKENESS_DECORATED for the same core, else 1 - distance / length of the
 * longer core, and at most PH_LIKENESS_DECORATED. Symmetric.
 */
double ph_name_likeness(const char *a, const PhCoreName *core_a, const char *b,
						const PhCoreName *core_b);

#endif
