/*
 * flat.c - writing the stored form of a profile.
 *
 * Little-endian, every section starts at a multiple of 8 bytes from the start, gaps are zero.
 * Version 3, of profiles that lack cells. Dense profiles are still written as version 2, which has
 * no runs, and without paradigms as version 1, which has no section for them either:
 *
 *   header (88 bytes)
 *     0  "PHPF"              4  u32 version        8  u64 bytes of the whole value
 *     16 u32 strings         20 u32 regions        24 u32 nodes          28 u32 columns
 *     32 u32 metrics         36 u32 sources        40 u32 notes          44 u32 missing columns
 *     48 u64 residual cells  56 f64 share filtered 64 u64 bytes of text
 *     72 u32 flags: 1 presence, 2 marks of a difference, 4 before and after, 8 unfiltered
 *     76 u32 zero            80 u64 runs (version 3; else zero)
 *   strings    u32 length each (the first, empty one too); then the bytes of all, without NUL
 *   regions    u32 name, library, file, module; i32 line; u8 kind; 3 zero bytes
 *   paradigms  u32 per region (from version 2)
 *   nodes      u32 parent each (0xffffffff: root); then u32 region each
 *   columns    i64 run, iteration; i32 rank, thread; u32 host, name; u8 kind; 7 zero bytes
 *   metrics    u32 name, unit, numerator, denominator; u8 kind, combine, signed,
 *              arrays (1 exclusive and inclusive, 2 absorbed, 4 residual); 4 zero bytes
 *   sources    i64 run; u32 label; 4 zero bytes
 *   notes      u32 each
 *   presence   u32 runs of columns per node; then per run u32 first column, u32 columns
 *   marks      u8 per node
 *   values     per metric its arrays in that order: f64 by cell, which are those of node 0 by
 *              column, then those of node 1, and so on
 *   nested     before, after, unfiltered: the same form again, each with its own header
 *
 * Versions 1 and 2 could have a bitmap for presence, bit node * columns + column, least bit first;
 * their values are by node * columns + column, 0 where absent.
 *
 * What follows from these is not stored: ids, depths, ends of subtrees. Reading is in
 * profile/unflat.c.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "profile/flat.h"

#include "base/bytes.h"
#include "base/min_max.h"
#include "profile/flat_layout.h"
#include "profile/internal.h"

#define POLLED_NUMBERS ((size_t) 1 << 17)

static size_t
padded(size_t size)
{
	return size + ph_padding(size);
}

static unsigned
metric_arrays(const PhMetric *metric)
{
	return (metric->exclusive != NULL ? PH_FLAT_COSTS : 0u) |
		   (metric->absorbed != NULL ? PH_FLAT_ABSORBED : 0u) |
		   (metric->residual != NULL ? PH_FLAT_RESIDUAL : 0u);
}

/* The oldest version that can hold the profile: values made before a new one keep their bytes. */
static uint32_t
version_of(const PhProfile *profile)
{
	if (profile->first_cell != NULL)
		return PH_PROFILE_FLAT_VERSION;
	for (uint32_t i = 0; i < profile->n_regions; i++)
		if (profile->regions[i].paradigm != 0)
			return 2;
	return 1;
}

static size_t
n_runs(const PhProfile *profile)
{
	return profile->first_cell == NULL ? 0 : profile->first_run[profile->n_nodes];
}

static size_t
text_bytes(const PhProfile *profile)
{
	size_t bytes = 0;
	for (uint32_t i = 0; i < profile->n_strings; i++)
		bytes += strlen(profile->strings[i]);
	return bytes;
}

/* Bytes of everything but nested profiles; in memory it exists, so the sums cannot overflow. */
static size_t
own_size(const PhProfile *profile)
{
	size_t cells = ph_profile_cells(profile);
	size_t size = PH_FLAT_HEADER + padded((size_t) profile->n_strings * 4) +
				  padded(text_bytes(profile)) + (size_t) profile->n_regions * PH_FLAT_REGION +
				  padded((size_t) profile->n_nodes * 4) * 2 +
				  (size_t) profile->n_columns * PH_FLAT_COLUMN +
				  (size_t) profile->n_metrics * PH_FLAT_METRIC +
				  (size_t) profile->provenance.n_sources * PH_FLAT_SOURCE +
				  padded((size_t) profile->provenance.n_notes * 4);
	if (version_of(profile) > 1)
		size += padded((size_t) profile->n_regions * PH_FLAT_REGION_PARADIGM);
	if (profile->first_cell != NULL)
		size += padded((size_t) profile->n_nodes * PH_FLAT_ROW) + n_runs(profile) * PH_FLAT_RUN;
	if (profile->diff_status != NULL)
		size += padded(profile->n_nodes);
	for (uint32_t i = 0; i < profile->n_metrics; i++)
		size += cells * 8 * ph_flat_n_arrays(metric_arrays(&profile->metrics[i]));
	return size;
}

static size_t
whole_size(const PhProfile *profile)
{
	size_t size = own_size(profile);
	if (profile->before != NULL)
		size += own_size(profile->before) + own_size(profile->after);
	if (profile->unfiltered != NULL)
		size += whole_size(profile->unfiltered); /* which has no unfiltered profile itself */
	return size;
}

PhStatus
ph_profile_flat_size(PhEnv *env, const PhProfile *profile, size_t *out)
{
	(void) env;
	*out = whole_size(profile);
	return PH_OK;
}

static void
put_header(PhByteWriter *to, const PhProfile *profile)
{
	const PhProvenance *p = &profile->provenance;
	unsigned flags = (profile->first_cell != NULL ? PH_FLAT_PRESENCE : 0u) |
					 (profile->diff_status != NULL ? PH_FLAT_MARKS : 0u) |
					 (profile->before != NULL ? PH_FLAT_OPERANDS : 0u) |
					 (profile->unfiltered != NULL ? PH_FLAT_UNFILTERED : 0u);
	ph_put_bytes(to, PH_FLAT_MAGIC, 4);
	ph_put(to, version_of(profile), 4);
	ph_put(to, whole_size(profile), 8);
	ph_put(to, profile->n_strings, 4);
	ph_put(to, profile->n_regions, 4);
	ph_put(to, profile->n_nodes, 4);
	ph_put(to, profile->n_columns, 4);
	ph_put(to, profile->n_metrics, 4);
	ph_put(to, p->n_sources, 4);
	ph_put(to, p->n_notes, 4);
	ph_put(to, p->missing_columns, 4);
	ph_put(to, p->residual_cells, 8);
	ph_put_double(to, p->share_filtered);
	ph_put(to, text_bytes(profile), 8);
	ph_put(to, flags, 4);
	ph_put(to, 0, 4);
	ph_put(to, n_runs(profile), 8);
}

static void
put_strings(PhByteWriter *to, const PhProfile *profile)
{
	for (uint32_t i = 0; i < profile->n_strings; i++)
		ph_put(to, strlen(profile->strings[i]), 4);
	ph_put_padding(to, (size_t) profile->n_strings * 4);
	for (uint32_t i = 0; i < profile->n_strings; i++)
		ph_put_bytes(to, profile->strings[i], strlen(profile->strings[i]));
	ph_put_padding(to, text_bytes(profile));
}

static void
put_regions(PhByteWriter *to, const PhProfile *profile)
{
	for (uint32_t i = 0; i < profile->n_regions; i++)
	{
		const PhRegion *region = &profile->regions[i];
		ph_put(to, region->name, 4);
		ph_put(to, region->library, 4);
		ph_put(to, region->file, 4);
		ph_put(to, region->module, 4);
		ph_put(to, (uint32_t) region->line, 4);
		ph_put(to, region->kind, 4);
	}
	if (version_of(profile) == 1)
		return;
	for (uint32_t i = 0; i < profile->n_regions; i++)
		ph_put(to, profile->regions[i].paradigm, PH_FLAT_REGION_PARADIGM);
	ph_put_padding(to, (size_t) profile->n_regions * PH_FLAT_REGION_PARADIGM);
}

static void
put_nodes(PhByteWriter *to, const PhProfile *profile)
{
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		ph_put(to, profile->parent[node], 4);
	ph_put_padding(to, (size_t) profile->n_nodes * 4);
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		ph_put(to, profile->region[node], 4);
	ph_put_padding(to, (size_t) profile->n_nodes * 4);
}

static void
put_columns(PhByteWriter *to, const PhProfile *profile)
{
	for (uint32_t i = 0; i < profile->n_columns; i++)
	{
		const PhColumn *column = &profile->columns[i];
		ph_put(to, (uint64_t) column->run_id, 8);
		ph_put(to, (uint64_t) column->iteration, 8);
		ph_put(to, (uint32_t) column->rank, 4);
		ph_put(to, (uint32_t) column->thread, 4);
		ph_put(to, column->host, 4);
		ph_put(to, column->name, 4);
		ph_put(to, column->kind, 8);
	}
}

static void
put_metrics(PhByteWriter *to, const PhProfile *profile)
{
	for (uint32_t i = 0; i < profile->n_metrics; i++)
	{
		const PhMetric *metric = &profile->metrics[i];
		ph_put(to, metric->name, 4);
		ph_put(to, metric->unit, 4);
		ph_put(to, metric->numerator, 4);
		ph_put(to, metric->denominator, 4);
		ph_put(to, metric->kind, 1);
		ph_put(to, metric->combine, 1);
		ph_put(to, metric->is_signed, 1);
		ph_put(to, metric_arrays(metric), 5);
	}
}

static void
put_provenance(PhByteWriter *to, const PhProvenance *p)
{
	for (uint32_t i = 0; i < p->n_sources; i++)
	{
		ph_put(to, (uint64_t) p->sources[i].run_id, 8);
		ph_put(to, p->sources[i].label, 8);
	}
	for (uint32_t i = 0; i < p->n_notes; i++)
		ph_put(to, p->notes[i], 4);
	ph_put_padding(to, (size_t) p->n_notes * 4);
}

static void
put_presence(PhByteWriter *to, const PhProfile *profile)
{
	if (profile->first_cell == NULL)
		return;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		ph_put(to, profile->first_run[node + 1] - profile->first_run[node], PH_FLAT_ROW);
	ph_put_padding(to, (size_t) profile->n_nodes * PH_FLAT_ROW);
	for (size_t i = 0; i < n_runs(profile); i++)
	{
		ph_put(to, profile->runs[i].first, 4);
		ph_put(to, profile->runs[i].n, 4);
	}
}

/* Polled, as values have up to a gigabyte. */
static PhStatus
put_array(PhEnv *env, PhByteWriter *to, const double *values, size_t n)
{
	for (size_t done = 0; done < n; done += POLLED_NUMBERS)
	{
		PH_TRY(ph_env_poll_now(env));
		ph_put_doubles(to, values + done, PH_MIN(n - done, POLLED_NUMBERS));
	}
	return PH_OK;
}

static PhStatus
put_values(PhEnv *env, PhByteWriter *to, const PhProfile *profile)
{
	size_t cells = ph_profile_cells(profile);
	put_presence(to, profile);
	if (profile->diff_status != NULL)
	{
		ph_put_bytes(to, profile->diff_status, profile->n_nodes);
		ph_put_padding(to, profile->n_nodes);
	}
	for (uint32_t i = 0; i < profile->n_metrics; i++)
	{
		const PhMetric *metric = &profile->metrics[i];
		const double *arrays[] = {metric->exclusive, metric->inclusive, metric->absorbed,
								  metric->residual};
		for (int array = 0; array < 4; array++)
			if (arrays[array] != NULL)
				PH_TRY(put_array(env, to, arrays[array], cells));
	}
	return PH_OK;
}

static PhStatus
put_own(PhEnv *env, PhByteWriter *to, const PhProfile *profile)
{
	put_header(to, profile);
	put_strings(to, profile);
	put_regions(to, profile);
	put_nodes(to, profile);
	put_columns(to, profile);
	put_metrics(to, profile);
	put_provenance(to, &profile->provenance);
	return put_values(env, to, profile);
}

static PhStatus
put_with_operands(PhEnv *env, PhByteWriter *to, const PhProfile *profile)
{
	PH_TRY(put_own(env, to, profile));
	if (profile->before == NULL)
		return PH_OK;
	PH_TRY(put_own(env, to, profile->before));
	return put_own(env, to, profile->after);
}

PhStatus
ph_profile_flatten(PhEnv *env, const PhProfile *profile, uint8_t *out)
{
	PhByteWriter to = {out};
	PH_TRY(put_with_operands(env, &to, profile));
	return profile->unfiltered == NULL ? PH_OK : put_with_operands(env, &to, profile->unfiltered);
}
