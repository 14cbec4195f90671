/*
 * groups.c - see groups.h.
 *
 * A rest is a byte that says how, then: nothing, when all are 0; as many as are not 0 (four bytes),
 * their distances and the numbers; or all of them as frames.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "logical/store/groups.h"

#include <string.h>

#include "trace/chunk/frames.h"

typedef enum RestForm
{
	REST_NONE,
	REST_FEW,
	REST_ALL
} RestForm;

/* ---- writing ---- */

PhStatus
ph_group_begin(PhLogicalCodec *codec, size_t n, size_t columns, PhGroupWriter *out)
{
	PH_TRY(ph_logical_reserve_column(codec, n));
	PH_TRY(ph_buffer_reserve(codec->env, &codec->plain, columns * ph_wide_bound(n)));
	*out = (PhGroupWriter){codec, codec->plain.data, (uint64_t *) (void *) codec->wide.data};
	return PH_OK;
}

void
ph_group_write(PhGroupWriter *writer, size_t n)
{
	uint32_t *low = (uint32_t *) (void *) writer->codec->low.data;
	writer->at = ph_wide_encode(writer->wide, n, low, writer->at);
}

void
ph_group_write_frames(PhGroupWriter *writer, const uint64_t *values, size_t n)
{
	writer->at = ph_frames_encode(values, n, writer->at);
}

/* Distances and numbers of those that are not 0, in the place of the column. */
static void
write_few(PhGroupWriter *writer, size_t n, uint32_t n_few)
{
	uint64_t *wide = writer->wide, *numbers = (uint64_t *) (void *) writer->codec->spare.data;
	PhByteWriter count = {writer->at};
	size_t before = 0;
	uint32_t few = 0;
	ph_put(&count, n_few, 4);
	writer->at = count.at;
	for (size_t i = 0; i < n; i++)
	{
		if (wide[i] == 0)
			continue;
		numbers[few] = wide[i];
		wide[few++] = i - before;
		before = i;
	}
	ph_group_write(writer, few);
	memcpy(wide, numbers, few * sizeof(*wide));
	ph_group_write(writer, few);
}

void
ph_group_write_rest(PhGroupWriter *writer, size_t n)
{
	uint32_t n_few = 0;
	for (size_t i = 0; i < n; i++)
		n_few += writer->wide[i] != 0;
	RestForm form = n_few == 0 ? REST_NONE : n_few <= n / 8 + 1 ? REST_FEW : REST_ALL;
	*writer->at++ = (uint8_t) form;
	if (form == REST_FEW)
		write_few(writer, n, n_few);
	else if (form == REST_ALL)
		ph_group_write_frames(writer, writer->wide, n);
}

void
ph_group_write_nothing(PhGroupWriter *writer)
{
	*writer->at++ = REST_NONE;
}

PhStatus
ph_group_end(PhGroupWriter *writer, int group, PhBytes *out)
{
	PhLogicalCodec *codec = writer->codec;
	PH_TRY(ph_buffer_reserve(codec->env, &codec->state, ph_pack_state_size()));
	return ph_pack(codec->env, codec->plain.data, (size_t) (writer->at - codec->plain.data),
				   codec->state.data, &codec->packed[group], out);
}

/* ---- reading ---- */

PhStatus
ph_group_bad(PhEnv *env, const char *group)
{
	return ph_fail_hint(env, PH_ERR_FORMAT, "Assign the run's logical steps anew.",
						"the %s of a chunk of logical time do not decode", group);
}

PhStatus
ph_group_open_up_to(PhLogicalCodec *codec, PhBytes packed, size_t n, size_t limit,
					PhGroupReader *out)
{
	PhBytes plain;
	PH_TRY(ph_unpack(codec->env, packed, limit, &codec->plain, &plain));
	PH_TRY(ph_logical_reserve_column(codec, n));
	*out = (PhGroupReader){codec, plain.data, plain.data + plain.size,
						   (uint64_t *) (void *) codec->wide.data};
	return PH_OK;
}

PhStatus
ph_group_open(PhLogicalCodec *codec, PhBytes packed, size_t n, size_t columns, PhGroupReader *out)
{
	return ph_group_open_up_to(codec, packed, n, columns * ph_wide_bound(n), out);
}

void
ph_group_read(PhGroupReader *reader, size_t n)
{
	uint32_t *low = (uint32_t *) (void *) reader->codec->low.data;
	if (reader->at != NULL)
		reader->at = ph_wide_decode(reader->at, reader->end, n, low, reader->wide);
	if (reader->at == NULL)
		memset(reader->wide, 0, n * sizeof(uint64_t));
}

void
ph_group_read_frames(PhGroupReader *reader, uint64_t *values, size_t n)
{
	if (reader->at != NULL)
		reader->at = ph_frames_decode(reader->at, reader->end, n, values);
	if (reader->at == NULL)
		memset(values, 0, n * sizeof(*values));
}

static bool
read_few(PhGroupReader *reader, size_t n)
{
	uint64_t *wide = reader->wide, *places = (uint64_t *) (void *) reader->codec->spare.data;
	PhByteReader count = {reader->at, reader->at, reader->end, false};
	size_t n_few = ph_get_u32(&count);
	if (count.bad || n_few > n)
		return false;
	reader->at = count.at;
	ph_group_read(reader, n_few);
	memcpy(places, wide, n_few * sizeof(*places));
	ph_group_read(reader, n_few);
	if (reader->at == NULL)
		return false;
	for (size_t few = 1; few < n_few; few++)
		places[few] = places[few] < n ? places[few - 1] + places[few] : n;
	memset(wide + n_few, 0, (n - n_few) * sizeof(*wide));
	for (size_t few = n_few; few-- > 0;)
	{
		uint64_t number = wide[few];
		if (places[few] >= n || places[few] < few)
			return false;
		wide[few] = 0;
		wide[places[few]] = number;
	}
	return true;
}

bool
ph_group_read_rest(PhGroupReader *reader, size_t n)
{
	uint32_t form = REST_NONE;
	if (reader->at == reader->end)
		reader->at = NULL;
	if (reader->at != NULL)
		form = *reader->at++;
	if (form == REST_ALL)
		ph_group_read_frames(reader, reader->wide, n);
	else if (form != REST_NONE && (form != REST_FEW || !read_few(reader, n)))
		reader->at = NULL;
	if (form == REST_NONE || reader->at == NULL)
		memset(reader->wide, 0, n * sizeof(*reader->wide));
	return form != REST_NONE;
}

PhStatus
ph_group_close(const PhGroupReader *reader, const char *group)
{
	return reader->at == reader->end ? PH_OK : ph_group_bad(reader->codec->env, group);
}
