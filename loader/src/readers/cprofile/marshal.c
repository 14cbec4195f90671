/*
 * marshal.c - see marshal.h; the format is that of CPython's Python/marshal.c.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/cprofile/marshal.h"

#include <math.h>
#include <stdlib.h>

#define FLAG 0x80	  /* this value gets a number that later ones refer to */
#define DIGIT_BITS 15 /* of a long number */
#define MAX_DIGITS 64 /* far beyond what a double can tell */

/* A container whose items are read. */
typedef struct Frame
{
	uint32_t value;
	uint32_t pending; /* where its items begin */
	uint32_t wanted;  /* items; of a dictionary UINT32_MAX: until its end mark */
} Frame;

typedef struct Frames
{
	uint32_t n;
	Frame items[PH_MARSHAL_DEPTH];
} Frames;

PhStatus
ph_marshal_fail(const PhMarshal *marshal, size_t offset, PhStatus status, const char *message)
{
	return ph_fail(marshal->env, status, "%s: byte %zu: %s", marshal->input->path, offset, message);
}

static PhStatus
fail(const PhMarshal *marshal, const char *message)
{
	return ph_marshal_fail(marshal, marshal->at, PH_ERR_FORMAT, message);
}

static PhStatus
take(PhMarshal *marshal, size_t size, const uint8_t **out)
{
	*out = marshal->input->data + marshal->at;
	if (marshal->input->size - marshal->at < size)
		return fail(marshal, "truncated: it ends within a value");
	marshal->at += size;
	return PH_OK;
}

static PhStatus
take_number(PhMarshal *marshal, size_t size, uint64_t *out)
{
	const uint8_t *bytes;
	PH_TRY(take(marshal, size, &bytes));
	*out = 0;
	for (size_t i = 0; i < size; i++)
		*out |= (uint64_t) bytes[i] << (8 * i);
	return PH_OK;
}

/* ---- values without items ---- */

static PhStatus
read_long(PhMarshal *marshal, PhMarshalValue *value)
{
	uint64_t count;
	PH_TRY(take_number(marshal, 4, &count));
	int64_t n = (int32_t) count;
	double number = 0;
	if (llabs(n) > MAX_DIGITS)
		return fail(marshal, "a number is too long");
	for (int64_t i = 0; i < llabs(n); i++)
	{
		uint64_t digit;
		PH_TRY(take_number(marshal, 2, &digit));
		number += ldexp((double) digit, (int) i * DIGIT_BITS);
	}
	value->number = n < 0 ? -number : number;
	return PH_OK;
}

static PhStatus
read_float_text(PhMarshal *marshal, PhMarshalValue *value)
{
	const uint8_t *bytes;
	uint64_t size;
	PH_TRY(take_number(marshal, 1, &size));
	PH_TRY(take(marshal, (size_t) size, &bytes));
	if (!ph_parse_number((const char *) bytes, (size_t) size, &value->number))
		return fail(marshal, "a number is damaged");
	return PH_OK;
}

static PhStatus
read_float(PhMarshal *marshal, PhMarshalValue *value)
{
	uint64_t bits;
	PH_TRY(take_number(marshal, 8, &bits));
	memcpy(&value->number, &bits, sizeof(bits));
	return PH_OK;
}

static PhStatus
read_text(PhMarshal *marshal, PhMarshalValue *value, size_t length_bytes)
{
	const uint8_t *bytes;
	uint64_t size;
	PH_TRY(take_number(marshal, length_bytes, &size));
	PH_TRY(take(marshal, (size_t) size, &bytes));
	value->kind = PH_MARSHAL_TEXT;
	value->text = (PhSlice){(const char *) bytes, (size_t) size};
	return PH_OK;
}

static PhStatus
read_integer(PhMarshal *marshal, PhMarshalValue *value, size_t size)
{
	uint64_t bits;
	PH_TRY(take_number(marshal, size, &bits));
	value->number = size == 4 ? (double) (int32_t) bits : (double) (int64_t) bits;
	return PH_OK;
}

static PhStatus
read_simple(PhMarshal *marshal, char type, PhMarshalValue *value)
{
	value->kind = PH_MARSHAL_NUMBER;
	switch (type)
	{
		case 'N':
		case 'T':
		case 'F':
			value->kind = PH_MARSHAL_NONE;
			return PH_OK;
		case 'i':
			return read_integer(marshal, value, 4);
		case 'I':
			return read_integer(marshal, value, 8);
		case 'l':
			return read_long(marshal, value);
		case 'f':
			return read_float_text(marshal, value);
		case 'g':
			return read_float(marshal, value);
		case 's':
		case 't':
		case 'u':
		case 'a':
		case 'A':
			return read_text(marshal, value, 4);
		case 'z':
		case 'Z':
			return read_text(marshal, value, 1);
		default:
			marshal->at--;
			return fail(marshal, "a kind of value that profiles do not have");
	}
}

/* ---- containers ---- */

static PhStatus
open_container(PhMarshal *marshal, Frames *frames, uint32_t index, char type)
{
	uint64_t n = UINT32_MAX;
	if (frames->n == PH_MARSHAL_DEPTH)
		return fail(marshal, "values are nested too deeply");
	if (type != '{')
		PH_TRY(take_number(marshal, type == ')' ? 1 : 4, &n));
	if (type != '{' && n > marshal->input->size - marshal->at)
		return fail(marshal, "truncated or damaged: a tuple has more items than there are bytes");
	PhMarshalValue *value = &marshal->values.items[index];
	value->kind = type == '{' ? PH_MARSHAL_DICT : PH_MARSHAL_TUPLE;
	value->is_open = true;
	frames->items[frames->n++] = (Frame){index, marshal->pending.count, (uint32_t) n};
	return PH_OK;
}

/* Its items go from those that are pending to its own. */
static PhStatus
close_container(PhMarshal *marshal, Frames *frames)
{
	const Frame *frame = &frames->items[--frames->n];
	PhMarshalValue *value = &marshal->values.items[frame->value];
	value->first = marshal->items.count;
	value->n = marshal->pending.count - frame->pending;
	value->is_open = false;
	if (value->kind == PH_MARSHAL_DICT && value->n % 2 != 0)
		return fail(marshal, "a key has no value");
	for (uint32_t i = frame->pending; i < marshal->pending.count; i++)
	{
		PH_TRY(PH_ROOM(marshal->arena, &marshal->items));
		marshal->items.items[marshal->items.count++] = marshal->pending.items[i];
	}
	marshal->pending.count = frame->pending;
	return PH_OK;
}

static PhStatus
close_full(PhMarshal *marshal, Frames *frames)
{
	while (frames->n > 0)
	{
		const Frame *frame = &frames->items[frames->n - 1];
		if (frame->wanted != marshal->pending.count - frame->pending)
			return PH_OK;
		PH_TRY(close_container(marshal, frames));
	}
	return PH_OK;
}

/* ---- references ---- */

static PhStatus
add_index(PhMarshal *marshal, PhIndices *list, uint32_t index)
{
	PH_TRY(PH_ROOM(marshal->arena, list));
	list->items[list->count++] = index;
	return PH_OK;
}

static PhStatus
refer(PhMarshal *marshal, const PhIndices *list, uint32_t *out)
{
	uint64_t number;
	size_t begin = marshal->at - 1;
	PH_TRY(take_number(marshal, 4, &number));
	if (number >= list->count)
		return ph_marshal_fail(marshal, begin, PH_ERR_FORMAT, "a reference to nothing");
	*out = list->items[number];
	if (marshal->values.items[*out].is_open)
		return ph_marshal_fail(marshal, begin, PH_ERR_FORMAT, "a value is within itself");
	return PH_OK;
}

static PhStatus
new_value(PhMarshal *marshal, Frames *frames, uint8_t tag, uint32_t *out)
{
	char type = (char) (tag & ~FLAG);
	PhMarshalValue value = {.offset = marshal->at - 1};
	PH_TRY(PH_ROOM(marshal->arena, &marshal->values));
	*out = marshal->values.count++;
	marshal->values.items[*out] = value;
	if ((tag & FLAG) != 0)
		PH_TRY(add_index(marshal, &marshal->references, *out));
	else if (type == 't')
		PH_TRY(add_index(marshal, &marshal->interned, *out));
	if (type == '{' || type == '(' || type == ')' || type == '[')
		return open_container(marshal, frames, *out, type);
	return read_simple(marshal, type, &marshal->values.items[*out]);
}

/* ---- all ---- */

/* The next value, or the end mark of a dictionary. */
static PhStatus
read_next(PhMarshal *marshal, Frames *frames)
{
	const uint8_t *tag;
	uint32_t index;
	PH_TRY(take(marshal, 1, &tag));
	if (*tag == '0')
	{
		bool in_dict = frames->n > 0 && frames->items[frames->n - 1].wanted == UINT32_MAX;
		return in_dict ? close_container(marshal, frames)
					   : fail(marshal, "no dictionary ends here");
	}
	/* an item counts when it begins: it is pending before its own items are */
	if (*tag == 'r')
		PH_TRY(refer(marshal, &marshal->references, &index));
	else if (*tag == 'R')
		PH_TRY(refer(marshal, &marshal->interned, &index));
	else
		index = marshal->values.count;
	if (frames->n > 0)
		PH_TRY(add_index(marshal, &marshal->pending, index));
	return *tag == 'r' || *tag == 'R' ? PH_OK : new_value(marshal, frames, *tag, &index);
}

PhStatus
ph_marshal_read(PhMarshal *marshal)
{
	Frames frames = {0};
	do
	{
		PH_TRY(ph_env_poll(marshal->env));
		PH_TRY(read_next(marshal, &frames));
		PH_TRY(close_full(marshal, &frames));
	} while (frames.n > 0);
	if (marshal->at != marshal->input->size)
		return fail(marshal, "something follows the value");
	return PH_OK;
}
