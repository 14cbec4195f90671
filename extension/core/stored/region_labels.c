/*
 * region_labels.c - see region_labels.h.
 *
 * Bytes of a label: region_id (8), local_id (4) and line (4) in the order of networks, then module,
 * raw_file and paradigm, each with a zero at its end: what SQL's send functions make.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "stored/region_labels.h"

#define NUMBERS 16

static uint64_t
number_at(const uint8_t *bytes, size_t size)
{
	uint64_t value = 0;
	for (size_t i = 0; i < size; i++)
		value = value << 8 | bytes[i];
	return value;
}

/* The next text; NULL: it has no end. */
static const char *
take_text(PhBytes *rest)
{
	const uint8_t *text = rest->data;
	const uint8_t *end = rest->size == 0 ? NULL : memchr(text, 0, rest->size);
	if (end == NULL)
		return NULL;
	rest->size -= (size_t) (end + 1 - text);
	rest->data = end + 1;
	return (const char *) text;
}

PhStatus
ph_region_label_take(PhEnv *env, PhBytes *rest, PhRegionLabel *out)
{
	const uint8_t *at = rest->data;
	if (rest->size < NUMBERS)
		return ph_fail(env, PH_ERR_FORMAT, "bytes are not those of labels of regions");
	*rest = (PhBytes){at + NUMBERS, rest->size - NUMBERS};
	*out = (PhRegionLabel){.region_id = (int64_t) number_at(at, 8),
						   .local_id = (int32_t) number_at(at + 8, 4),
						   .line = (int32_t) number_at(at + 12, 4)};
	out->module = take_text(rest);
	out->raw_file = out->module == NULL ? NULL : take_text(rest);
	out->paradigm = out->raw_file == NULL ? NULL : take_text(rest);
	if (out->paradigm == NULL)
		return ph_fail(env, PH_ERR_FORMAT, "bytes are not those of labels of regions");
	return PH_OK;
}
