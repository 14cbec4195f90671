/*
 * array_param.c - see array_param.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/store/array_param.h"

#include <string.h>

typedef struct Type
{
	uint32_t element, array; /* the types' numbers in the server's catalog */
	unsigned size;			 /* of a number */
} Type;

static const Type types[] = {
	[PH_ARRAY_BYTEA] = {17, 1001, 0}, [PH_ARRAY_INT2] = {21, 1005, 2},
	[PH_ARRAY_INT4] = {23, 1007, 4},  [PH_ARRAY_INT8] = {20, 1016, 8},
	[PH_ARRAY_TEXT] = {25, 1009, 0},
};

static PhStatus
append_big_endian(PhStr *bytes, uint64_t value, unsigned size)
{
	char digits[8];

	for (unsigned i = 0; i < size; i++)
		digits[i] = (char) (value >> (8 * (size - 1 - i)));
	return ph_str_append_n(bytes, digits, size);
}

PhStatus
ph_array_begin(PhArrayParam *array, PhArena *arena, PhArrayType type, uint32_t n)
{
	/* dimensions, whether there are nulls, type, length, the first one's subscript */
	const uint32_t header[] = {1, 1, types[type].element, n, 1};

	array->type = type;
	ph_str_init(&array->bytes, arena);
	for (size_t i = 0; i < sizeof(header) / sizeof(header[0]); i++)
		PH_TRY(append_big_endian(&array->bytes, header[i], 4));
	return PH_OK;
}

PhStatus
ph_array_null(PhArrayParam *array)
{
	return append_big_endian(&array->bytes, UINT32_MAX, 4);
}

PhStatus
ph_array_number(PhArrayParam *array, int64_t value)
{
	unsigned size = types[array->type].size;

	PH_TRY(append_big_endian(&array->bytes, size, 4));
	return append_big_endian(&array->bytes, (uint64_t) value, size);
}

PhStatus
ph_array_bytes(PhArrayParam *array, const void *bytes, size_t size)
{
	PH_TRY(append_big_endian(&array->bytes, size, 4));
	return size == 0 ? PH_OK : ph_str_append_n(&array->bytes, bytes, size);
}

PhStatus
ph_array_string(PhArrayParam *array, const char *text)
{
	return text == NULL || text[0] == '\0' ? ph_array_null(array)
										   : ph_array_bytes(array, text, strlen(text));
}

PhParam
ph_array_param(const PhArrayParam *array)
{
	return (PhParam){.bytes = array->bytes.text,
					 .length = (int) array->bytes.length, /* PH_STR_LIMIT is less than INT_MAX */
					 .binary = true,
					 .type = types[array->type].array};
}
