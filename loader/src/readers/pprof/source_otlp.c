/*
 * source_otlp.c - reader of profiles of OpenTelemetry (OTLP, v1development), plain or gzip.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/plain_head.h"
#include "readers/pprof/otlp.h"

static const PhPprofFields fields = {.prefix = "otlp",
									 .id = 0,
									 .mapping_file = 4,
									 .function_name = 1,
									 .function_system_name = 2,
									 .function_file = 3,
									 .function_line = 4,
									 .location_mapping = 1,
									 .location_line = 3};

static PhStatus
read_all(void *context)
{
	PhOtlp *otlp = context;
	PhPprof *pprof = &otlp->pprof;
	PH_TRY(ph_pprof_pass(pprof, ph_otlp_read_tables));
	PH_TRY(ph_pprof_prepare(pprof));
	PH_TRY(ph_pprof_pass(pprof, ph_otlp_read_samples));
	PH_TRY(ph_builder_finish(pprof->in.builder, &pprof->in.run->profile));
	return ph_paths_raw_regions(&pprof->paths, pprof->in.env, pprof->in.run);
}

static PhStatus
read_file(PhEnv *env, PhInput *input, const PhReadOptions *options, PhRunInput *out)
{
	PhOtlp otlp = {.pprof = {.in = {.env = env, .input = input, .options = options, .run = out},
							 .fields = &fields}};
	return ph_reading_do(&otlp.pprof.in, read_all, &otlp);
}

/* ---- detection ---- */

/* A message of which the begin is at hand; it may be longer than what is there. */
typedef struct Begin
{
	const uint8_t *at, *end;
	uint64_t size;
} Begin;

static bool
take_varint(Begin *begin, uint64_t *out)
{
	*out = 0;
	for (unsigned shift = 0; shift < 64 && begin->at < begin->end; shift += 7)
	{
		uint8_t byte = *begin->at++;
		*out |= (uint64_t) (byte & 0x7f) << shift;
		if (byte < 0x80)
			return true;
	}
	return false;
}

/* Step into the first field, which must be a message of one of these numbers and lie within. */
static bool
enter_first(Begin *begin, uint32_t least, uint32_t most, uint32_t *number)
{
	const uint8_t *start = begin->at;
	uint64_t tag, size;
	if (!take_varint(begin, &tag) || (tag & 7) != PH_PROTO_BYTES || !take_varint(begin, &size))
		return false;
	*number = (uint32_t) (tag >> 3);
	uint64_t header = (uint64_t) (begin->at - start);
	if (tag >> 3 < least || tag >> 3 > most || size > begin->size - header || begin->size < header)
		return false;
	begin->size = size;
	if (size < (uint64_t) (begin->end - begin->at))
		begin->end = begin->at + size;
	return true;
}

/* Tables begin with an entry that is zero: nothing, or the empty string. */
static bool
is_dictionary(Begin begin)
{
	uint32_t number;
	return enter_first(&begin, 1, 7, &number) && begin.size == 0;
}

/* A resource's first attribute has a name of letters, dots and the like. */
static bool
is_resource(Begin begin)
{
	uint32_t number;
	if (!enter_first(&begin, 1, 1, &number) || !enter_first(&begin, 1, 1, &number) ||
		begin.size == 0 || begin.size != (uint64_t) (begin.end - begin.at))
		return false;
	for (; begin.at < begin.end; begin.at++)
		if (*begin.at < '-' || *begin.at > 'z')
			return false;
	return true;
}

/* A scope's first profile begins with the type of its samples: two small numbers. */
static bool
is_scope_profiles(Begin begin)
{
	uint32_t number;
	return enter_first(&begin, 2, 2, &number) && enter_first(&begin, 1, 1, &number) &&
		   begin.size > 0 && begin.size <= 12 && (begin.at[0] == 0x08 || begin.at[0] == 0x10);
}

static bool
detect(const char *path, const uint8_t *bytes, size_t size)
{
	PhPlainHead head;
	uint32_t outer, inner;
	(void) path;
	ph_plain_head(bytes, size, &head);
	Begin begin = {head.bytes, head.bytes + head.size, UINT64_MAX};
	if (!enter_first(&begin, 1, 2, &outer))
		return false;
	if (outer == PH_OTLP_DICTIONARY)
		return is_dictionary(begin);
	if (!enter_first(&begin, 1, 2, &inner))
		return false;
	return inner == PH_OTLP_RESOURCE ? is_resource(begin) : is_scope_profiles(begin);
}

const PhReader ph_reader_otlp = {
	.name = "otlp",
	.description = "profiles of OpenTelemetry (protobuf, gzip)",
	.mark = "protobuf with resources or a dictionary of profiles",
	.detect_file = detect,
	.read_file = read_file,
};
