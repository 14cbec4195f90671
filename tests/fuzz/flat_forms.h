/*
 * flat_forms.h - what older versions of the stored form of a profile had.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef FUZZ_FLAT_FORMS_H
#define FUZZ_FLAT_FORMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Versions 1 and 2 had bitmaps, which are read and not written; also in what is nested. */
static inline bool
may_have_bitmap(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i + 88 <= size; i++)
		if (memcmp(data + i, "PHPF", 4) == 0 && data[i + 4] < 3 && (data[i + 72] & 1) != 0)
			return true;
	return false;
}

#endif
