/*
 * source.c - reader of pprof profiles (profile.proto), plain or gzip.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/completeness.h"
#include "readers/plain_head.h"
#include "readers/pprof/pprof.h"

static const PhPprofFields fields = {.prefix = "pprof",
									 .id = 1,
									 .mapping_file = 5,
									 .function_name = 2,
									 .function_system_name = 3,
									 .function_file = 4,
									 .function_line = 5,
									 .location_mapping = 2,
									 .location_line = 4};

PhStatus
ph_pprof_pass(PhPprof *pprof, PhStatus (*read)(PhPprof *))
{
	PH_TRY(ph_log_open(pprof->in.env, pprof->in.input->path, pprof->in.input, &pprof->in.stream));
	PhStatus status = read(pprof);
	pprof->in.run->is_proven = pprof->in.stream.is_gzip && !pprof->in.stream.is_cut;
	bool is_cut = pprof->in.stream.is_cut;
	ph_log_close(&pprof->in.stream);
	if (status != PH_OK || !is_cut || pprof->in.run->n_missing > 0)
		return status;
	return ph_run_missing(pprof->in.env, pprof->in.run, "%s: the compressed data end too early",
						  pprof->in.input->path);
}

static PhStatus
read_all(void *context)
{
	PhPprof *pprof = context;
	PH_TRY(ph_pprof_pass(pprof, ph_pprof_read_tables));
	PH_TRY(ph_pprof_prepare(pprof));
	PH_TRY(ph_pprof_pass(pprof, ph_pprof_read_samples));
	PH_TRY(ph_builder_finish(pprof->in.builder, &pprof->in.run->profile));
	return ph_paths_raw_regions(&pprof->paths, pprof->in.env, pprof->in.run);
}

static PhStatus
read_file(PhEnv *env, PhInput *input, const PhReadOptions *options, PhRunInput *out)
{
	PhPprof pprof = {.in = {.env = env, .input = input, .options = options, .run = out},
					 .fields = &fields};
	return ph_reading_do(&pprof.in, read_all, &pprof);
}

/* ---- detection ---- */

/* A type is two small numbers, which nothing else that begins like a message has in this place. */
static bool
is_type(const PhProtoField *field)
{
	PhProto message = ph_proto_inside(field);
	PhProtoField part;
	size_t n = 0;
	while (ph_proto_next(&message, &part))
	{
		if (part.number > 2 || part.wire != PH_PROTO_VARINT || part.value > INT32_MAX)
			return false;
		n++;
	}
	return !message.bad && n > 0;
}

static bool
is_field(const PhProtoField *field)
{
	switch (field->number)
	{
		case PH_PPROF_SAMPLE_TYPE:
		case PH_PPROF_PERIOD_TYPE:
			return is_type(field);
		case PH_PPROF_SAMPLE:
		case PH_PPROF_MAPPING:
		case PH_PPROF_LOCATION:
		case PH_PPROF_FUNCTION:
		case PH_PPROF_STRING:
			return field->wire == PH_PROTO_BYTES;
		case PH_PPROF_COMMENT:
			return field->wire == PH_PROTO_BYTES || field->wire == PH_PROTO_VARINT;
		default:
			return field->number <= 15 && field->wire == PH_PROTO_VARINT;
	}
}

/* All whole fields of the head may be those of a profile, in any order, and one is a type. */
static bool
detect(const char *path, const uint8_t *bytes, size_t size)
{
	PhPlainHead head;
	PhProtoField field;
	bool has_type = false;
	(void) path;
	ph_plain_head(bytes, size, &head);
	PhProto message = ph_proto_open(head.bytes, head.size);
	while (ph_proto_next(&message, &field))
	{
		if (!is_field(&field))
			return false;
		has_type |= field.number == PH_PPROF_SAMPLE_TYPE || field.number == PH_PPROF_PERIOD_TYPE;
	}
	return has_type;
}

const PhReader ph_reader_pprof = {
	.name = "pprof",
	.description = "pprof profiles (protobuf, gzip)",
	.mark = "protobuf of which every field is one of pprof, with types of samples",
	.detect_file = detect,
	.read_file = read_file,
};
