/*
 * fold_flat.c - partial sums as bytes, from one process to another.
 *
 * Profiles in it (4 bytes), size of the profile's flat form (8), that form, then by metric its
 * least index (4) and by array: how many arrays of rests (4), whether there are counts (1), and all
 * those, a double a cell. Nothing of it is stored.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/bytes.h"
#include "profile/flat.h"
#include "profile/fold.h"
#include "profile/internal.h"
#include "profile/unify.h"

#define HEAD_BYTES 12
#define ARRAY_HEAD_BYTES 5

PhStatus
ph_partial_flat_size(PhEnv *env, const PhPartial *partial, size_t *out)
{
	size_t bytes = 0, n_arrays;
	size_t cell_bytes = ph_profile_cells(partial->profile) * sizeof(double);
	PH_TRY(ph_profile_flat_size(env, partial->profile, &bytes));
	n_arrays = (size_t) partial->profile->n_metrics * PH_ARRAY_COUNT;
	bytes +=
		HEAD_BYTES + partial->profile->n_metrics * sizeof(uint32_t) + n_arrays * ARRAY_HEAD_BYTES;
	for (size_t i = 0; i < n_arrays; i++)
		bytes += (partial->folded[i].n_rests + (partial->folded[i].counts != NULL)) * cell_bytes;
	*out = bytes;
	return PH_OK;
}

PhStatus
ph_partial_flatten(PhEnv *env, const PhPartial *partial, uint8_t *out)
{
	const PhProfile *profile = partial->profile;
	PhByteWriter writer = {out};
	size_t size, cells = ph_profile_cells(profile);
	PH_TRY(ph_profile_flat_size(env, profile, &size));
	ph_put(&writer, partial->n, 4);
	ph_put(&writer, size, 8);
	PH_TRY(ph_profile_flatten(env, profile, writer.at));
	writer.at += size;
	for (uint32_t m = 0; m < profile->n_metrics; m++)
		ph_put(&writer, partial->least_index[m], 4);
	for (size_t i = 0; i < (size_t) profile->n_metrics * PH_ARRAY_COUNT; i++)
	{
		const PhFolded *folded = &partial->folded[i];
		ph_put(&writer, folded->n_rests, 4);
		ph_put(&writer, folded->counts != NULL, 1);
		for (uint32_t r = 0; r < folded->n_rests; r++)
			ph_put_doubles(&writer, folded->rests[r], cells);
		if (folded->counts != NULL)
			ph_put_doubles(&writer, folded->counts, cells);
		PH_TRY(ph_env_poll(env));
	}
	return PH_OK;
}

static PhStatus
read_array(PhArena *arena, PhByteReader *reader, size_t cells, double **out)
{
	if (reader->bad || ph_left(reader) / sizeof(double) < cells)
	{
		reader->bad = true;
		return PH_OK;
	}
	PH_TRY(PH_NEW(arena, cells, out));
	ph_get_doubles(reader, *out, cells);
	return PH_OK;
}

static PhStatus
read_folded(PhArena *arena, PhByteReader *reader, size_t cells, PhFolded *folded)
{
	uint32_t n_rests = ph_get_u32(reader);
	bool has_counts = ph_get(reader, 1) != 0;
	reader->bad = reader->bad || n_rests > PH_MOST_RESTS;
	for (uint32_t r = 0; r < n_rests && !reader->bad; r++)
		PH_TRY(read_array(arena, reader, cells, &folded->rests[r]));
	folded->n_rests = reader->bad ? 0 : n_rests;
	return has_counts ? read_array(arena, reader, cells, &folded->counts) : PH_OK;
}

static PhStatus
read_beside(PhArena *arena, PhByteReader *reader, PhPartial *partial)
{
	uint32_t n = partial->profile->n_metrics;
	size_t cells = ph_profile_cells(partial->profile);
	PH_TRY(PH_NEW(arena, n, &partial->least_index));
	PH_TRY(PH_NEW(arena, (size_t) n * PH_ARRAY_COUNT, &partial->folded));
	for (uint32_t m = 0; m < n; m++)
		partial->least_index[m] = ph_get_u32(reader);
	for (size_t i = 0; i < (size_t) n * PH_ARRAY_COUNT; i++)
	{
		PH_TRY(ph_env_poll(arena->env));
		PH_TRY(read_folded(arena, reader, cells, &partial->folded[i]));
	}
	if (reader->bad || ph_left(reader) > 0)
		return ph_fail(arena->env, PH_ERR_FORMAT, "bytes of a partial sum are not whole");
	return PH_OK;
}

PhStatus
ph_partial_unflatten(PhEnv *env, const uint8_t *bytes, size_t size, PhPartial *out)
{
	PhByteReader reader = {bytes, bytes, bytes + size, false};
	PhPartial made = {.n = ph_get_u32(&reader)};
	uint64_t flat_size = ph_get(&reader, 8);
	const uint8_t *flat = flat_size <= size ? ph_take(&reader, (size_t) flat_size) : NULL;
	PhStatus status;
	if (flat == NULL)
		return ph_fail(env, PH_ERR_FORMAT, "bytes of a partial sum are not whole");
	PH_TRY(ph_profile_unflatten(env, flat, (size_t) flat_size, &made.profile));
	status = read_beside(&made.profile->arena, &reader, &made);
	if (status != PH_OK)
		ph_profile_free(env, made.profile);
	else
		*out = made;
	return status;
}
