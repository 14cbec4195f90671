/*
 * binary.c - records as packed numbers in the order of the text's fields, each with a
 * newline behind it.
 *
 * The number of records of the first flush precedes them. Numbers are little-endian here: the logs
 * do not tell, and machines that would write others have gone.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/projections/projections.h"

#include <string.h>

#define HEAD_BYTES 4
#define MOST_TARGETS (1 << 20)

/* The bytes of a record, as far as they are there. */
typedef struct Bytes
{
	PhProjectionsLog *log;
	size_t at;
	bool is_short; /* the log ended within the record */
} Bytes;

static const uint8_t *
take(Bytes *bytes, size_t size)
{
	static const uint8_t zeros[8] = {0};
	bool has = false;

	if (!bytes->is_short && ph_log_want(&bytes->log->stream, bytes->at + size, &has) == PH_OK &&
		has)
	{
		bytes->at += size;
		return bytes->log->stream.at + bytes->at - size;
	}
	bytes->is_short = true;
	return zeros;
}

static uint64_t
get(Bytes *bytes, size_t size)
{
	const uint8_t *from = take(bytes, size);
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++)
		value |= (uint64_t) from[i] << (8 * i);
	return value;
}

static int64_t
get_u16(Bytes *bytes)
{
	return (int64_t) get(bytes, 2);
}

static int64_t
get_i16(Bytes *bytes)
{
	return (int16_t) get(bytes, 2);
}

static int64_t
get_i32(Bytes *bytes)
{
	return (int32_t) get(bytes, 4);
}

static int64_t
get_time(Bytes *bytes)
{
	return (int64_t) get(bytes, 8);
}

static double
get_double(Bytes *bytes)
{
	uint64_t bits = get(bytes, 8);
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static void
read_creation(Bytes *bytes, PhProjectionsFields *out)
{
	out->message_type = get_u16(bytes);
	out->entry = get_u16(bytes);
	out->time = get_time(bytes);
	out->event = get_i32(bytes);
	out->pe = get_i32(bytes);
	out->bytes = get_i32(bytes);
	(void) get(bytes, 8); /* how long handing it over took */
}

static PhStatus
read_targets(Bytes *bytes)
{
	int64_t n = get_i32(bytes);
	uint64_t again = get(bytes, 8);

	if (bytes->is_short)
		return PH_OK;
	if (n < 0 || n > MOST_TARGETS || again != (uint64_t) n)
		return ph_projections_fail(bytes->log, 21, "the number of processors is impossible");
	(void) take(bytes, (size_t) n * 4);
	return PH_OK;
}

static void
read_counters(Bytes *bytes, uint32_t n, PhProjectionsFields *out)
{
	for (uint32_t i = 0; i < n; i++)
		out->counters[i] = (int64_t) get(bytes, 8);
}

static PhStatus
read_begin(Bytes *bytes, PhProjectionsFields *out)
{
	const PhProjections *projections = bytes->log->projections;
	bool is_short_index;

	read_creation(bytes, out); /* the same fields; the last one is never filled in */
	if (bytes->is_short)
		return PH_OK;
	if (!ph_projections_has_entry(projections, out->entry))
		return ph_projections_fail(bytes->log, 2, "entry method %lld is not defined",
								   (long long) out->entry);
	out->n_index = ph_projections_n_ids(projections, (uint32_t) out->entry);
	is_short_index =
		projections->version >= 90 &&
		projections->tasks.types[projections->tasks.entries[out->entry].type].dimensions >= 4;
	for (uint32_t i = 0; i < out->n_index; i++)
		out->index[i] = is_short_index ? get_i16(bytes) : get_i32(bytes);
	(void) get(bytes, 8); /* CPU time */
	read_counters(bytes, projections->n_counters, out);
	return PH_OK;
}

static void
read_end(Bytes *bytes, PhProjectionsFields *out)
{
	out->message_type = get_u16(bytes);
	out->entry = get_u16(bytes);
	out->time = get_time(bytes);
	out->event = get_i32(bytes);
	out->pe = get_i32(bytes);
	out->bytes = get_i32(bytes);
	(void) get(bytes, 8);
	read_counters(bytes, bytes->log->projections->n_counters, out);
}

static void
read_user_event(Bytes *bytes, PhProjectionsFields *out)
{
	out->id = get_u16(bytes);
	out->time = get_time(bytes);
	out->event = get_i32(bytes);
	out->pe = get_i32(bytes);
	if (out->type != 13)
		out->entry = get_i32(bytes);
}

static void
read_stat(Bytes *bytes, PhProjectionsFields *out)
{
	out->time = get_time(bytes);
	(void) get_double(bytes);
	out->value = get_double(bytes);
	out->pe = get_i32(bytes);
	out->id = get_u16(bytes);
}

static void
read_small(Bytes *bytes, PhProjectionsFields *out)
{
	switch (out->type)
	{
		case 4:
		case 5:
			(void) get_u16(bytes);
			out->time = get_time(bytes);
			(void) get(bytes, 8);
			break;
		case 8:
		case 9:
			out->time = get_time(bytes);
			(void) get(bytes, 8);
			break;
		case 14:
		case 15:
		case 16:
		case 17:
		case 18:
		case 19:
			out->time = get_time(bytes);
			out->pe = get_i32(bytes);
			break;
		case 26:
			out->id = get_i32(bytes);
			out->time = get_time(bytes);
			break;
		case 27:
			out->id = (int64_t) get(bytes, 8);
			out->time = get_time(bytes);
			break;
		case 30:
			out->id = get_u16(bytes);
			out->time = get_time(bytes);
			break;
		default: /* 6, 7, 11, 12 */
			out->time = get_time(bytes);
			break;
	}
}

/* Unlike in text, a record of an unknown type cannot be passed over. */
static PhStatus
read_fields(Bytes *bytes, PhProjectionsFields *out)
{
	switch (out->type)
	{
		case 1:
			read_creation(bytes, out);
			return PH_OK;
		case 20:
			read_creation(bytes, out);
			(void) get_i32(bytes);
			return PH_OK;
		case 21:
			read_creation(bytes, out);
			return read_targets(bytes);
		case 2:
			return read_begin(bytes, out);
		case 3:
			read_end(bytes, out);
			return PH_OK;
		case 13:
		case 98:
		case 99:
		case 100:
			read_user_event(bytes, out);
			return PH_OK;
		case 32:
			read_stat(bytes, out);
			return PH_OK;
		case 4:
		case 5:
		case 6:
		case 7:
		case 8:
		case 9:
		case 11:
		case 12:
		case 14:
		case 15:
		case 16:
		case 17:
		case 18:
		case 19:
		case 26:
		case 27:
		case 30:
			read_small(bytes, out);
			return PH_OK;
		default:
			return ph_projections_fail(bytes->log, out->type,
									   "the type of the record is not known, at byte %llu",
									   (unsigned long long) bytes->log->stream.passed);
	}
}

PhStatus
ph_projections_binary_record(PhProjectionsLog *log, PhProjectionsFields *out, bool *more)
{
	Bytes bytes = {.log = log};
	uint8_t newline;

	*out = (PhProjectionsFields){0};
	*more = false;
	if (log->log.number == 0)
	{
		(void) take(&bytes, HEAD_BYTES);
		if (bytes.is_short)
			return PH_OK;
		ph_log_skip(&log->stream, HEAD_BYTES);
		bytes.at = 0;
	}
	out->type = (uint32_t) get(&bytes, 1);
	if (bytes.is_short)
		return log->log.env->error.status; /* PH_OK: the end */
	log->log.number++;
	PH_TRY(read_fields(&bytes, out));
	newline = *take(&bytes, 1);
	if (bytes.is_short)
		return log->log.env->error.status;
	if (newline != '\n')
		return ph_projections_fail(log, out->type, "there is no newline behind it, at byte %llu",
								   (unsigned long long) (log->stream.passed + bytes.at - 1));
	ph_log_skip(&log->stream, bytes.at);
	if (!log->stream.is_gzip)
		ph_input_passed(&log->stream.input, (size_t) (log->stream.at - log->stream.input.data),
						NULL);
	*more = true;
	return PH_OK;
}
