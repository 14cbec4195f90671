/*
 * layout.c - see layout.h.
 *
 * Learnt from Darshan's own description of the format and of its modules' records, and checked
 * against the numbers of its library, but for PnetCDF, of which no log was at hand. The first
 * version of POSIX records counts streams of stdio among descriptors, which nothing can take apart:
 * it is not read.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/darshan/layout.h"

#include <string.h>

#define MAGIC 6567223
#define OLD_MODULES 16 /* before 3.41 */

/* In the numbering of 3.41; those before lack some. */
static const char *const module_names[] = {
	"NULL",		   "POSIX", "MPI-IO", "H5F",	 "H5D",		  "PNETCDF_FILE",
	"PNETCDF_VAR", "BG/Q",	"LUSTRE", "STDIO",	 "DXT_POSIX", "DXT_MPIIO",
	"MDHIM",	   "APXC",	"APMPI",  "HEATMAP", "DFS",		  "DAOS"};

/* 86 counters */
static const PhDarshanCounter posix[] = {
	{"OPENS", 1, false},
	{"FILENOS", 4, false},
	{"DUPS", 4, false},
	{"READS", 1, false},
	{"WRITES", 1, false},
	{"SEEKS", 1, false},
	{"STATS", 1, false},
	{"MMAPS", 1, false},
	{"FSYNCS", 1, false},
	{"FDSYNCS", 1, false},
	{"RENAME_SOURCES", 4, false},
	{"RENAME_TARGETS", 4, false},
	{"RENAMED_FROM", 4, false},
	{"MODE", 1, false},
	{"BYTES_READ", 1, false},
	{"BYTES_WRITTEN", 1, false},
	{"MAX_BYTE_READ", 1, false},
	{"MAX_BYTE_WRITTEN", 1, false},
	{"CONSEC_READS", 1, false},
	{"CONSEC_WRITES", 1, false},
	{"SEQ_READS", 1, false},
	{"SEQ_WRITES", 1, false},
	{"RW_SWITCHES", 1, false},
	{"MEM_NOT_ALIGNED", 1, false},
	{"MEM_ALIGNMENT", 1, false},
	{"FILE_NOT_ALIGNED", 1, false},
	{"FILE_ALIGNMENT", 1, false},
	{"MAX_READ_TIME_SIZE", 1, false},
	{"MAX_WRITE_TIME_SIZE", 1, false},
	{"SIZE_READ_0_100", 1, false},
	{"SIZE_READ_100_1K", 1, false},
	{"SIZE_READ_1K_10K", 1, false},
	{"SIZE_READ_10K_100K", 1, false},
	{"SIZE_READ_100K_1M", 1, false},
	{"SIZE_READ_1M_4M", 1, false},
	{"SIZE_READ_4M_10M", 1, false},
	{"SIZE_READ_10M_100M", 1, false},
	{"SIZE_READ_100M_1G", 1, false},
	{"SIZE_READ_1G_PLUS", 1, false},
	{"SIZE_WRITE_0_100", 1, false},
	{"SIZE_WRITE_100_1K", 1, false},
	{"SIZE_WRITE_1K_10K", 1, false},
	{"SIZE_WRITE_10K_100K", 1, false},
	{"SIZE_WRITE_100K_1M", 1, false},
	{"SIZE_WRITE_1M_4M", 1, false},
	{"SIZE_WRITE_4M_10M", 1, false},
	{"SIZE_WRITE_10M_100M", 1, false},
	{"SIZE_WRITE_100M_1G", 1, false},
	{"SIZE_WRITE_1G_PLUS", 1, false},
	{"STRIDE1_STRIDE", 1, false},
	{"STRIDE2_STRIDE", 1, false},
	{"STRIDE3_STRIDE", 1, false},
	{"STRIDE4_STRIDE", 1, false},
	{"STRIDE1_COUNT", 1, false},
	{"STRIDE2_COUNT", 1, false},
	{"STRIDE3_COUNT", 1, false},
	{"STRIDE4_COUNT", 1, false},
	{"ACCESS1_ACCESS", 1, false},
	{"ACCESS2_ACCESS", 1, false},
	{"ACCESS3_ACCESS", 1, false},
	{"ACCESS4_ACCESS", 1, false},
	{"ACCESS1_COUNT", 1, false},
	{"ACCESS2_COUNT", 1, false},
	{"ACCESS3_COUNT", 1, false},
	{"ACCESS4_COUNT", 1, false},
	{"FASTEST_RANK", 1, false},
	{"FASTEST_RANK_BYTES", 1, false},
	{"SLOWEST_RANK", 1, false},
	{"SLOWEST_RANK_BYTES", 1, false},
	{"F_OPEN_START_TIMESTAMP", 1, true},
	{"F_READ_START_TIMESTAMP", 1, true},
	{"F_WRITE_START_TIMESTAMP", 1, true},
	{"F_CLOSE_START_TIMESTAMP", 3, true},
	{"F_OPEN_END_TIMESTAMP", 3, true},
	{"F_READ_END_TIMESTAMP", 1, true},
	{"F_WRITE_END_TIMESTAMP", 1, true},
	{"F_CLOSE_END_TIMESTAMP", 1, true},
	{"F_READ_TIME", 1, true},
	{"F_WRITE_TIME", 1, true},
	{"F_META_TIME", 1, true},
	{"F_MAX_READ_TIME", 1, true},
	{"F_MAX_WRITE_TIME", 1, true},
	{"F_FASTEST_RANK_TIME", 1, true},
	{"F_SLOWEST_RANK_TIME", 1, true},
	{"F_VARIANCE_RANK_TIME", 1, true},
	{"F_VARIANCE_RANK_BYTES", 1, true},
};

/* 68 counters */
static const PhDarshanCounter mpiio[] = {
	{"INDEP_OPENS", 1, false},
	{"COLL_OPENS", 1, false},
	{"INDEP_READS", 1, false},
	{"INDEP_WRITES", 1, false},
	{"COLL_READS", 1, false},
	{"COLL_WRITES", 1, false},
	{"SPLIT_READS", 1, false},
	{"SPLIT_WRITES", 1, false},
	{"NB_READS", 1, false},
	{"NB_WRITES", 1, false},
	{"SYNCS", 1, false},
	{"HINTS", 1, false},
	{"VIEWS", 1, false},
	{"MODE", 1, false},
	{"BYTES_READ", 1, false},
	{"BYTES_WRITTEN", 1, false},
	{"RW_SWITCHES", 1, false},
	{"MAX_READ_TIME_SIZE", 1, false},
	{"MAX_WRITE_TIME_SIZE", 1, false},
	{"SIZE_READ_AGG_0_100", 1, false},
	{"SIZE_READ_AGG_100_1K", 1, false},
	{"SIZE_READ_AGG_1K_10K", 1, false},
	{"SIZE_READ_AGG_10K_100K", 1, false},
	{"SIZE_READ_AGG_100K_1M", 1, false},
	{"SIZE_READ_AGG_1M_4M", 1, false},
	{"SIZE_READ_AGG_4M_10M", 1, false},
	{"SIZE_READ_AGG_10M_100M", 1, false},
	{"SIZE_READ_AGG_100M_1G", 1, false},
	{"SIZE_READ_AGG_1G_PLUS", 1, false},
	{"SIZE_WRITE_AGG_0_100", 1, false},
	{"SIZE_WRITE_AGG_100_1K", 1, false},
	{"SIZE_WRITE_AGG_1K_10K", 1, false},
	{"SIZE_WRITE_AGG_10K_100K", 1, false},
	{"SIZE_WRITE_AGG_100K_1M", 1, false},
	{"SIZE_WRITE_AGG_1M_4M", 1, false},
	{"SIZE_WRITE_AGG_4M_10M", 1, false},
	{"SIZE_WRITE_AGG_10M_100M", 1, false},
	{"SIZE_WRITE_AGG_100M_1G", 1, false},
	{"SIZE_WRITE_AGG_1G_PLUS", 1, false},
	{"ACCESS1_ACCESS", 1, false},
	{"ACCESS2_ACCESS", 1, false},
	{"ACCESS3_ACCESS", 1, false},
	{"ACCESS4_ACCESS", 1, false},
	{"ACCESS1_COUNT", 1, false},
	{"ACCESS2_COUNT", 1, false},
	{"ACCESS3_COUNT", 1, false},
	{"ACCESS4_COUNT", 1, false},
	{"FASTEST_RANK", 1, false},
	{"FASTEST_RANK_BYTES", 1, false},
	{"SLOWEST_RANK", 1, false},
	{"SLOWEST_RANK_BYTES", 1, false},
	{"F_OPEN_START_TIMESTAMP", 1, true},
	{"F_READ_START_TIMESTAMP", 1, true},
	{"F_WRITE_START_TIMESTAMP", 1, true},
	{"F_CLOSE_START_TIMESTAMP", 3, true},
	{"F_OPEN_END_TIMESTAMP", 3, true},
	{"F_READ_END_TIMESTAMP", 1, true},
	{"F_WRITE_END_TIMESTAMP", 1, true},
	{"F_CLOSE_END_TIMESTAMP", 1, true},
	{"F_READ_TIME", 1, true},
	{"F_WRITE_TIME", 1, true},
	{"F_META_TIME", 1, true},
	{"F_MAX_READ_TIME", 1, true},
	{"F_MAX_WRITE_TIME", 1, true},
	{"F_FASTEST_RANK_TIME", 1, true},
	{"F_SLOWEST_RANK_TIME", 1, true},
	{"F_VARIANCE_RANK_TIME", 1, true},
	{"F_VARIANCE_RANK_BYTES", 1, true},
};

/* 29 counters */
static const PhDarshanCounter stdio[] = {
	{"OPENS", 1, false},
	{"FDOPENS", 2, false},
	{"READS", 1, false},
	{"WRITES", 1, false},
	{"SEEKS", 1, false},
	{"FLUSHES", 1, false},
	{"BYTES_WRITTEN", 1, false},
	{"BYTES_READ", 1, false},
	{"MAX_BYTE_READ", 1, false},
	{"MAX_BYTE_WRITTEN", 1, false},
	{"FASTEST_RANK", 1, false},
	{"FASTEST_RANK_BYTES", 1, false},
	{"SLOWEST_RANK", 1, false},
	{"SLOWEST_RANK_BYTES", 1, false},
	{"F_META_TIME", 1, true},
	{"F_WRITE_TIME", 1, true},
	{"F_READ_TIME", 1, true},
	{"F_OPEN_START_TIMESTAMP", 1, true},
	{"F_CLOSE_START_TIMESTAMP", 1, true},
	{"F_WRITE_START_TIMESTAMP", 1, true},
	{"F_READ_START_TIMESTAMP", 1, true},
	{"F_OPEN_END_TIMESTAMP", 1, true},
	{"F_CLOSE_END_TIMESTAMP", 1, true},
	{"F_WRITE_END_TIMESTAMP", 1, true},
	{"F_READ_END_TIMESTAMP", 1, true},
	{"F_FASTEST_RANK_TIME", 1, true},
	{"F_SLOWEST_RANK_TIME", 1, true},
	{"F_VARIANCE_RANK_TIME", 1, true},
	{"F_VARIANCE_RANK_BYTES", 1, true},
};

/* What several modules have alike. */
#define SIZES(what)                                                                                \
	{what "0_100", 1, false}, {what "100_1K", 1, false}, {what "1K_10K", 1, false},                \
		{what "10K_100K", 1, false}, {what "100K_1M", 1, false}, {what "1M_4M", 1, false},         \
		{what "4M_10M", 1, false}, {what "10M_100M", 1, false}, {what "100M_1G", 1, false},        \
	{                                                                                              \
		what "1G_PLUS", 1, false                                                                   \
	}
#define ACCESSES(which)                                                                            \
	{which "ACCESS", 1, false}, {which "LENGTH_D1", 1, false}, {which "LENGTH_D2", 1, false},      \
		{which "LENGTH_D3", 1, false}, {which "LENGTH_D4", 1, false},                              \
		{which "LENGTH_D5", 1, false}, {which "STRIDE_D1", 1, false},                              \
		{which "STRIDE_D2", 1, false}, {which "STRIDE_D3", 1, false},                              \
		{which "STRIDE_D4", 1, false},                                                             \
	{                                                                                              \
		which "STRIDE_D5", 1, false                                                                \
	}
#define ACCESS_COUNTS                                                                              \
	{"ACCESS1_COUNT", 1, false}, {"ACCESS2_COUNT", 1, false}, {"ACCESS3_COUNT", 1, false},         \
	{                                                                                              \
		"ACCESS4_COUNT", 1, false                                                                  \
	}
#define EXTREME_RANKS                                                                              \
	{"FASTEST_RANK", 1, false}, {"FASTEST_RANK_BYTES", 1, false}, {"SLOWEST_RANK", 1, false},      \
	{                                                                                              \
		"SLOWEST_RANK_BYTES", 1, false                                                             \
	}
#define TIMES                                                                                      \
	{"F_OPEN_START_TIMESTAMP", 1, true}, {"F_READ_START_TIMESTAMP", 1, true},                      \
		{"F_WRITE_START_TIMESTAMP", 1, true}, {"F_CLOSE_START_TIMESTAMP", 1, true},                \
		{"F_OPEN_END_TIMESTAMP", 1, true}, {"F_READ_END_TIMESTAMP", 1, true},                      \
		{"F_WRITE_END_TIMESTAMP", 1, true}, {"F_CLOSE_END_TIMESTAMP", 1, true},                    \
		{"F_READ_TIME", 1, true}, {"F_WRITE_TIME", 1, true}, {"F_META_TIME", 1, true},             \
		{"F_MAX_READ_TIME", 1, true}, {"F_MAX_WRITE_TIME", 1, true},                               \
		{"F_FASTEST_RANK_TIME", 1, true}, {"F_SLOWEST_RANK_TIME", 1, true},                        \
		{"F_VARIANCE_RANK_TIME", 1, true},                                                         \
	{                                                                                              \
		"F_VARIANCE_RANK_BYTES", 1, true                                                           \
	}

/* 8 counters */
static const PhDarshanCounter h5f[] = {
	{"OPENS", 1, false},
	{"FLUSHES", 1, false},
	{"USE_MPIIO", 1, false},
	{"F_OPEN_START_TIMESTAMP", 1, true},
	{"F_CLOSE_START_TIMESTAMP", 1, true},
	{"F_OPEN_END_TIMESTAMP", 1, true},
	{"F_CLOSE_END_TIMESTAMP", 1, true},
	{"F_META_TIME", 1, true},
};

/* 111 counters, behind the id of the file that the data set is in */
static const PhDarshanCounter h5d[] = {
	{"FILE_REC_ID", 2, false},
	{"OPENS", 1, false},
	{"READS", 1, false},
	{"WRITES", 1, false},
	{"FLUSHES", 1, false},
	{"BYTES_READ", 1, false},
	{"BYTES_WRITTEN", 1, false},
	{"RW_SWITCHES", 1, false},
	{"REGULAR_HYPERSLAB_SELECTS", 1, false},
	{"IRREGULAR_HYPERSLAB_SELECTS", 1, false},
	{"POINT_SELECTS", 1, false},
	{"MAX_READ_TIME_SIZE", 1, false},
	{"MAX_WRITE_TIME_SIZE", 1, false},
	SIZES("SIZE_READ_AGG_"),
	SIZES("SIZE_WRITE_AGG_"),
	ACCESSES("ACCESS1_"),
	ACCESSES("ACCESS2_"),
	ACCESSES("ACCESS3_"),
	ACCESSES("ACCESS4_"),
	ACCESS_COUNTS,
	{"DATASPACE_NDIMS", 1, false},
	{"DATASPACE_NPOINTS", 1, false},
	{"DATATYPE_SIZE", 1, false},
	{"CHUNK_SIZE_D1", 1, false},
	{"CHUNK_SIZE_D2", 1, false},
	{"CHUNK_SIZE_D3", 1, false},
	{"CHUNK_SIZE_D4", 1, false},
	{"CHUNK_SIZE_D5", 1, false},
	{"USE_MPIIO_COLLECTIVE", 1, false},
	{"USE_DEPRECATED", 1, false},
	EXTREME_RANKS,
	TIMES,
};

/* 17 counters */
static const PhDarshanCounter pnetcdf_file[] = {
	{"CREATES", 1, false},
	{"OPENS", 1, false},
	{"REDEFS", 1, false},
	{"INDEP_WAITS", 1, false},
	{"COLL_WAITS", 1, false},
	{"SYNCS", 1, false},
	{"BYTES_READ", 1, false},
	{"BYTES_WRITTEN", 1, false},
	{"WAIT_FAILURES", 1, false},
	{"F_OPEN_START_TIMESTAMP", 1, true},
	{"F_CLOSE_START_TIMESTAMP", 1, true},
	{"F_WAIT_START_TIMESTAMP", 1, true},
	{"F_OPEN_END_TIMESTAMP", 1, true},
	{"F_CLOSE_END_TIMESTAMP", 1, true},
	{"F_WAIT_END_TIMESTAMP", 1, true},
	{"F_META_TIME", 1, true},
	{"F_WAIT_TIME", 1, true},
};

/* 137 counters, behind the id of the file that the variable is in */
static const PhDarshanCounter pnetcdf_var[] = {
	{"FILE_REC_ID", 1, false},
	{"OPENS", 1, false},
	{"INDEP_READS", 1, false},
	{"INDEP_WRITES", 1, false},
	{"COLL_READS", 1, false},
	{"COLL_WRITES", 1, false},
	{"NB_READS", 1, false},
	{"NB_WRITES", 1, false},
	{"BYTES_READ", 1, false},
	{"BYTES_WRITTEN", 1, false},
	{"RW_SWITCHES", 1, false},
	{"PUT_VAR", 1, false},
	{"PUT_VAR1", 1, false},
	{"PUT_VARA", 1, false},
	{"PUT_VARS", 1, false},
	{"PUT_VARM", 1, false},
	{"PUT_VARN", 1, false},
	{"PUT_VARD", 1, false},
	{"GET_VAR", 1, false},
	{"GET_VAR1", 1, false},
	{"GET_VARA", 1, false},
	{"GET_VARS", 1, false},
	{"GET_VARM", 1, false},
	{"GET_VARN", 1, false},
	{"GET_VARD", 1, false},
	{"IPUT_VAR", 1, false},
	{"IPUT_VAR1", 1, false},
	{"IPUT_VARA", 1, false},
	{"IPUT_VARS", 1, false},
	{"IPUT_VARM", 1, false},
	{"IPUT_VARN", 1, false},
	{"IGET_VAR", 1, false},
	{"IGET_VAR1", 1, false},
	{"IGET_VARA", 1, false},
	{"IGET_VARS", 1, false},
	{"IGET_VARM", 1, false},
	{"IGET_VARN", 1, false},
	{"BPUT_VAR", 1, false},
	{"BPUT_VAR1", 1, false},
	{"BPUT_VARA", 1, false},
	{"BPUT_VARS", 1, false},
	{"BPUT_VARM", 1, false},
	{"BPUT_VARN", 1, false},
	{"MAX_READ_TIME_SIZE", 1, false},
	{"MAX_WRITE_TIME_SIZE", 1, false},
	SIZES("SIZE_READ_AGG_"),
	SIZES("SIZE_WRITE_AGG_"),
	ACCESSES("ACCESS1_"),
	ACCESSES("ACCESS2_"),
	ACCESSES("ACCESS3_"),
	ACCESSES("ACCESS4_"),
	ACCESS_COUNTS,
	{"NDIMS", 1, false},
	{"NPOINTS", 1, false},
	{"DATATYPE_SIZE", 1, false},
	{"IS_RECORD_VAR", 1, false},
	EXTREME_RANKS,
	TIMES,
};

static const struct
{
	const char *module;
	uint32_t first, last; /* versions */
	const PhDarshanCounter *counters;
	size_t n;
} records[] = {
#define COUNTERS(table) table, sizeof(table) / sizeof((table)[0])
	{"POSIX", 2, 4, COUNTERS(posix)},
	{"MPI-IO", 1, 3, COUNTERS(mpiio)},
	{"STDIO", 1, 2, COUNTERS(stdio)},
	{"H5F", 3, 3, COUNTERS(h5f)},
	{"H5D", 1, 2, COUNTERS(h5d)},
	{"PNETCDF_FILE", 3, 3, COUNTERS(pnetcdf_file)},
	{"PNETCDF_VAR", 1, 1, COUNTERS(pnetcdf_var)},
#undef COUNTERS
};

uint64_t
ph_darshan_u64(const uint8_t *bytes, bool is_swapped)
{
	uint64_t value;
	memcpy(&value, bytes, sizeof(value));
	return is_swapped ? __builtin_bswap64(value) : value;
}

uint32_t
ph_darshan_u32(const uint8_t *bytes, bool is_swapped)
{
	uint32_t value;
	memcpy(&value, bytes, sizeof(value));
	return is_swapped ? __builtin_bswap32(value) : value;
}

bool
ph_darshan_is_log(const uint8_t *bytes, size_t size)
{
	return size >= 16 && memcmp(bytes, "3.", 2) == 0 && bytes[2] >= '0' && bytes[2] <= '9' &&
		   bytes[3] >= '0' && bytes[3] <= '9' && bytes[4] == '\0' &&
		   (ph_darshan_u64(bytes + 8, false) == MAGIC || ph_darshan_u64(bytes + 8, true) == MAGIC);
}

static PhDarshanRegion
region_at(const uint8_t *bytes, bool is_swapped)
{
	return (PhDarshanRegion){ph_darshan_u64(bytes, is_swapped),
							 ph_darshan_u64(bytes + 8, is_swapped)};
}

/* The job's region has no entry: it lies between the header and what is next. */
static void
find_job(PhDarshanHeader *header, size_t size)
{
	uint64_t end = header->names.offset;
	for (uint32_t i = 0; i < header->n_modules && end == 0; i++)
		end = header->modules[i].offset;
	if (end == 0)
		end = size;
	header->job = (PhDarshanRegion){header->size, end > header->size ? end - header->size : 0};
}

bool
ph_darshan_header(const uint8_t *bytes, size_t size, PhDarshanHeader *out)
{
	*out = (PhDarshanHeader){.minor = (uint32_t) (bytes[2] - '0') * 10 + (bytes[3] - '0'),
							 .is_swapped = ph_darshan_u64(bytes + 8, false) != MAGIC};
	bool is_old = out->minor < 41;
	size_t names = is_old ? 24 : 32;
	out->n_modules = is_old ? OLD_MODULES : PH_DARSHAN_MODULES;
	out->size = names + 16 + 20 * (size_t) out->n_modules;
	if (size < out->size)
		return false;
	out->compression = bytes[16];
	out->partial = is_old ? ph_darshan_u32(bytes + 20, out->is_swapped)
						  : ph_darshan_u64(bytes + 24, out->is_swapped);
	out->names = region_at(bytes + names, out->is_swapped);
	for (uint32_t i = 0; i < out->n_modules; i++)
	{
		out->modules[i] = region_at(bytes + names + 16 + 16 * (size_t) i, out->is_swapped);
		out->versions[i] = ph_darshan_u32(
			bytes + names + 16 + 16 * (size_t) out->n_modules + 4 * (size_t) i, out->is_swapped);
	}
	find_job(out, size);
	return true;
}

const char *
ph_darshan_module(const PhDarshanHeader *header, uint32_t module)
{
	if (header->minor < 20 && module >= 4)
		module++; /* H5D came with 3.20 */
	if (header->minor < 41 && module >= 6)
		module++; /* PNETCDF_VAR came with 3.41 */
	return module < sizeof(module_names) / sizeof(module_names[0]) ? module_names[module] : NULL;
}

const PhDarshanCounter *
ph_darshan_counters(const char *module, uint32_t version, size_t *n)
{
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++)
		if (strcmp(records[i].module, module) == 0 && version >= records[i].first &&
			version <= records[i].last)
		{
			*n = records[i].n;
			return records[i].counters;
		}
	return NULL;
}
