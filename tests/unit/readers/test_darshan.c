/*
 * test_darshan.c - Darshan: logs written here, of three versions and both byte orders, and the text
 * of darshan-parser; answers by hand, damage at every place.
 *
 * tests/data/tools/small.darshan is the plain log of version 3.41 (PERFHOUSE_WRITE=1 writes it
 * anew).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <archive.h>
#include <archive_entry.h>
#include <cmocka.h>
#include <zlib.h>

#include "readers/completeness.h"
#include "readers/darshan/counters.h"
#include "readers/darshan/layout.h"
#include "support/csv.h"
#include "support/reader.h"
#include "support/test_data.h"

#define TEXT TOOLS "small.darshan.txt"
#define LOG TOOLS "small.darshan"
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ROOM 65536

/* ---- a log ---- */

typedef struct Log
{
	uint8_t bytes[ROOM];
	size_t size;
	uint32_t minor;
	bool is_swapped;
	PhDarshanCompression compression;
} Log;

typedef struct Region
{
	uint8_t bytes[ROOM];
	size_t size;
} Region;

static void
put(const Log *log, uint8_t *at, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		at[log->is_swapped ? size - 1 - i : i] = (uint8_t) (value >> (8 * i));
}

static void
add(const Log *log, Region *region, uint64_t value, size_t size)
{
	put(log, region->bytes + region->size, value, size);
	region->size += size;
}

static void
add_text(Region *region, const char *text, size_t size)
{
	memset(region->bytes + region->size, 0, size);
	memcpy(region->bytes + region->size, text, strlen(text));
	region->size += size;
}

/* Returns how many bytes it became. */
static size_t
compress_bzip2(const uint8_t *from, size_t n, uint8_t *to, size_t room)
{
	struct archive *archive = archive_write_new();
	struct archive_entry *entry = archive_entry_new();
	size_t used = 0;
	archive_write_add_filter_bzip2(archive);
	archive_write_set_format_raw(archive);
	archive_write_set_bytes_in_last_block(archive, 1);
	assert_int_equal(archive_write_open_memory(archive, to, room, &used), ARCHIVE_OK);
	archive_entry_set_filetype(entry, AE_IFREG);
	assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
	assert_int_equal(archive_write_data(archive, from, n), n);
	assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
	archive_entry_free(entry);
	archive_write_free(archive);
	return used;
}

/* In two streams, as of two processes. Returns where it begins. */
static size_t
close_region(Log *log, const Region *region)
{
	size_t begin = log->size, half = region->size / 2;
	for (int i = 0; i < 2; i++)
	{
		const uint8_t *from = region->bytes + (i == 0 ? 0 : half);
		size_t n = i == 0 ? half : region->size - half;
		uLongf size = ROOM - log->size;
		if (log->compression == PH_DARSHAN_PLAIN)
			memcpy(log->bytes + log->size, from, size = n);
		else if (log->compression == PH_DARSHAN_BZIP2)
			size = compress_bzip2(from, n, log->bytes + log->size, ROOM - log->size);
		else
			assert_int_equal(compress(log->bytes + log->size, &size, from, n), Z_OK);
		log->size += size;
	}
	return begin;
}

static void
write_job(Log *log)
{
	Region job = {.size = 0};
	bool is_new = log->minor >= 41;
	add(log, &job, 1000, 8);
	add(log, &job, 1600000000, 8);
	if (is_new)
		add(log, &job, 5, 8);
	add(log, &job, 1600000100, 8);
	if (is_new)
		add(log, &job, 6, 8);
	add(log, &job, 2, 8);
	add(log, &job, 4711, 8);
	add_text(&job, "lib_ver=3.4.4\nh=cb_nodes=4\n", 1024);
	add_text(&job, "./bin/solver -n 8\next4\t/\nlustre\t/scratch", 4096 - job.size);
	(void) close_region(log, &job);
}

static void
add_name(const Log *log, Region *names, uint64_t id, const char *name)
{
	add(log, names, id, 8);
	if (log->minor < 10)
		add(log, names, strlen(name), 4);
	add_text(names, name, strlen(name) + (log->minor >= 10));
}

/* The value of a counter in every record; others are 0, or -1 when they were not measured. */
static double
value_of(const char *name)
{
	static const struct
	{
		const char *name;
		double value;
	} values[] = {{"OPENS", 2},
				  {"READS", 10},
				  {"BYTES_READ", 4096},
				  {"SEQ_READS", 9},
				  {"F_READ_TIME", 1.25},
				  {"F_META_TIME", 0.25},
				  {"STATS", -1},
				  {"SIZE_READ_0_100", 10},
				  {"MEM_ALIGNMENT", 8},
				  {"COLL_READS", 4},
				  {"F_READ_END_TIMESTAMP", 2.5}};
	for (size_t i = 0; i < COUNT(values); i++)
		if (strcmp(values[i].name, name) == 0)
			return values[i].value;
	return 0;
}

static void
add_record(const Log *log, Region *records, const char *module, uint32_t version, uint64_t id,
		   int64_t rank)
{
	size_t n;
	const PhDarshanCounter *counters = ph_darshan_counters(module, version, &n);
	assert_non_null(counters);
	add(log, records, id, 8);
	add(log, records, (uint64_t) rank, 8);
	for (size_t i = 0; i < n; i++)
	{
		double value = value_of(counters[i].name);
		uint64_t bits;
		memcpy(&bits, &value, sizeof(bits));
		if (counters[i].since <= version)
			add(log, records, counters[i].is_real ? bits : (uint64_t) (int64_t) value, 8);
	}
}

/* The place of a module in the header, by its number there. */
static void
enter_module(Log *log, uint32_t module, size_t begin, uint32_t version)
{
	size_t maps = log->minor < 41 ? 40 : 48, n = log->minor < 41 ? 16 : 64;
	put(log, log->bytes + maps + 16 * (size_t) module, begin, 8);
	put(log, log->bytes + maps + 16 * (size_t) module + 8, log->size - begin, 8);
	put(log, log->bytes + maps + 16 * n + 4 * (size_t) module, version, 4);
}

static void
write_log(Log *log, uint32_t minor, bool is_swapped, PhDarshanCompression compression)
{
	Region names = {.size = 0}, posix = {.size = 0}, stdio = {.size = 0}, other = {.size = 0};
	uint32_t posix_version = minor < 10 ? 2 : minor < 41 ? 3 : 4;
	*log = (Log){.minor = minor, .is_swapped = is_swapped, .compression = compression};
	snprintf((char *) log->bytes, 8, "3.%02u", minor);
	put(log, log->bytes + 8, 6567223, 8);
	log->bytes[16] = (uint8_t) compression;
	log->size = minor < 41 ? 360 : 1328;
	write_job(log);
	add_name(log, &names, 7, "/scratch/in put.dat");
	add_name(log, &names, UINT64_MAX, "/home/out");
	size_t begin = close_region(log, &names);
	put(log, log->bytes + (minor < 41 ? 24 : 32), begin, 8);
	put(log, log->bytes + (minor < 41 ? 32 : 40), log->size - begin, 8);
	add_record(log, &posix, "POSIX", posix_version, 7, 0);
	add_record(log, &posix, "POSIX", posix_version, UINT64_MAX, 1);
	begin = close_region(log, &posix);
	enter_module(log, 1, begin, posix_version);
	add_record(log, &stdio, "STDIO", minor < 41 ? 1 : 2, 7, -1);
	begin = close_region(log, &stdio);
	enter_module(log, minor < 20 ? 7 : minor < 41 ? 8 : 9, begin, minor < 41 ? 1 : 2);
	add_text(&other, "what stripes there are", 30);
	begin = close_region(log, &other);
	enter_module(log, minor < 20 ? 6 : minor < 41 ? 7 : 8, begin, 1);
}

/* Of a copy of its exact size, so that reading over shows. */
static PhStatus
read_log(PhEnv *env, const Log *log, PhRunInput *run)
{
	uint8_t *copy = malloc(log->size);
	memcpy(copy, log->bytes, log->size);
	ph_env_init_malloc(env);
	PhStatus status = read_bytes(env, READ_DARSHAN, copy, log->size, run);
	free(copy);
	return status;
}

static void
check_log(const PhRunInput *run)
{
	const PhProfile *profile = run->profile;
	static const char file[] = "[\"POSIX\", \"/scratch/in put.dat\"]";
	static const char reading[] = "[\"POSIX\", \"/scratch/in put.dat\", \"read\"]";
	assert_int_equal(run->n_ranks, 2);
	assert_int_equal(profile->n_columns, 3);
	check_cost(profile, "time", file, 1, 1.5, 0);
	check_cost(profile, "time", reading, 1, 1.25, 1.25);
	check_cost(profile, "calls", reading, 1, 10, 10);
	check_cost(profile, "bytes", reading, 1, 4096, 4096);
	check_cost(profile, "calls", "[\"POSIX\", \"/home/out\", \"metadata\", \"open\"]", 2, 2, 2);
	check_cost(profile, "read_end_timestamp", file, 1, 2.5, 2.5);
	check_cost(profile, "seq_reads", file, 1, 9, 9);
	check_cost(profile, "time", "[\"STDIO\", \"/scratch/in put.dat\", \"read\"]", 0, 1.25, 1.25);
	assert_int_equal(ph_profile_find_metric(profile, "mem_alignment"), PH_NONE);
	const PhRegion *region = ph_profile_region(profile, find_node(profile, file));
	assert_string_equal(profile->strings[region->module], "lustre");
	assert_string_equal(ph_meta_get(&run->meta, "application"), "solver");
	assert_string_equal(ph_meta_get(&run->meta, "started_at"), "2020-09-13T12:26:40Z");
	assert_string_equal(ph_meta_get(&run->meta, "darshan.jobid"), "4711");
	assert_string_equal(ph_meta_get(&run->meta, "darshan.h"), "cb_nodes=4");
	assert_int_equal(run->n_warnings, 1);
	assert_non_null(strstr(run->warnings[0], "LUSTRE"));
	assert_int_equal(ph_run_completeness(&ph_reader_darshan, run), PH_COMPLETENESS_COMPLETE);
}

/* "/scratch/x" is not below "/scratc". */
static void
test_mounts(void **state)
{
	static const char mount[] = "lustre\t/scratch", file[] = "[\"POSIX\", \"/scratch/in put.dat\"]";
	static Log log;
	PhEnv env;
	PhRunInput run;
	(void) state;
	write_log(&log, 41, false, PH_DARSHAN_PLAIN);
	uint8_t *at = memmem(log.bytes, log.size, mount, strlen(mount));
	assert_non_null(at);
	at[strlen(mount) - 1] = '\0';
	assert_int_equal(read_log(&env, &log, &run), PH_OK);
	const PhProfile *profile = run.profile;
	const PhRegion *region = ph_profile_region(profile, find_node(profile, file));
	assert_string_equal(profile->strings[region->module], "ext4");
	done(&env, &run);
}

static void
test_logs(void **state)
{
	static const uint32_t minors[] = {0, 10, 20, 21, 41};
	static Log log;
	(void) state;
	for (size_t i = 0; i < COUNT(minors) * 6; i++)
	{
		PhEnv env;
		PhRunInput run;
		write_log(&log, minors[i / 6], (i & 1) != 0, (PhDarshanCompression) (i / 2 % 3));
		assert_int_equal(read_log(&env, &log, &run), PH_OK);
		check_log(&run);
		done(&env, &run);
	}
}

static void
test_file(void **state)
{
	static Log log;
	PhEnv env;
	PhRunInput run;
	(void) state;
	write_log(&log, 41, false, PH_DARSHAN_PLAIN);
	check_generated_file(LOG, log.bytes, log.size);
	must_read(&env, LOG, &run);
	check_log(&run);
	done(&env, &run);
}

/* No cut passes for a whole log: each is refused, or something is missing. */
static void
test_log_cuts(void **state)
{
	static Log log;
	(void) state;
	static const size_t steps[] = {1, 29, 7}; /* bzip2 takes megabytes each time */
	for (int compression = 0; compression <= PH_DARSHAN_PLAIN; compression++)
	{
		write_log(&log, 41, false, (PhDarshanCompression) compression);
		size_t size = log.size;
		for (log.size = 0; log.size < size; log.size += steps[compression])
		{
			PhEnv env;
			PhRunInput run;
			if (read_log(&env, &log, &run) == PH_OK)
			{
				assert_true(run.n_missing > 0);
				ph_run_input_free(&env, &run);
			}
			assert_int_equal(env.bytes, 0);
		}
	}
}

/* Any byte may be any other: an error or a sound profile. */
static void
test_log_damage(void **state)
{
	static Log log;
	uint64_t random = 20260101;
	(void) state;
	for (int i = 0; i < 3000; i++)
	{
		PhEnv env;
		PhRunInput run;
		if (i % 50 == 0)
			write_log(&log, i % 100 == 0 ? 41 : 10, i % 3 == 0,
					  i / 50 % 10 == 0	? PH_DARSHAN_BZIP2
					  : i / 50 % 2 == 0 ? PH_DARSHAN_PLAIN
										: PH_DARSHAN_ZLIB);
		uint32_t area = i % 2 == 0 ? 1400 : (uint32_t) log.size;
		log.bytes[16 + draw_below(&random, area - 16)] = (uint8_t) draw_below(&random, 256);
		if (read_log(&env, &log, &run) == PH_OK)
		{
			assert_int_equal(ph_profile_check(&env, run.profile), PH_OK);
			ph_run_input_free(&env, &run);
		}
		assert_int_equal(env.bytes, 0);
	}
}

static void
test_log_errors(void **state)
{
	static Log log;
	PhEnv env;
	PhRunInput run;
	(void) state;
	write_log(&log, 41, false, PH_DARSHAN_ZLIB);
	log.bytes[16] = PH_DARSHAN_PLAIN + 1;
	check_error(&env, read_log(&env, &log, &run), PH_ERR_FORMAT, "byte 16: it is compressed",
				"an unknown compression");
	log.bytes[16] = PH_DARSHAN_BZIP2;
	check_error(&env, read_log(&env, &log, &run), PH_ERR_FORMAT, "compressed data are damaged",
				"no bzip2");
	write_log(&log, 41, false, PH_DARSHAN_ZLIB);
	log.size = 1000;
	check_error(&env, read_log(&env, &log, &run), PH_ERR_FORMAT, "within its header", "header");
}

/* What ran out of memory is said. */
static void
test_partial(void **state)
{
	static Log log;
	PhEnv env;
	PhRunInput run;
	(void) state;
	write_log(&log, 41, true, PH_DARSHAN_ZLIB);
	put(&log, log.bytes + 24, 1u << 9, 8);
	assert_int_equal(read_log(&env, &log, &run), PH_OK);
	assert_int_equal(run.n_warnings, 2);
	assert_non_null(strstr(run.warnings[1], "STDIO ran out of memory"));
	done(&env, &run);
}

/* Libraries above MPI-IO: what they count of files, and of data sets and variables within them. */
static void
test_libraries(void **state)
{
	static const struct
	{
		const char *module;
		uint32_t number, version; /* in the header of 3.41 */
	} modules[] = {{"H5F", 3, 3}, {"H5D", 4, 2}, {"PNETCDF_FILE", 5, 3}, {"PNETCDF_VAR", 6, 1}};
	static const char file[] = "/scratch/in put.dat";
	static Log log;
	char path[128];
	PhEnv env;
	PhRunInput run;
	(void) state;
	write_log(&log, 41, false, PH_DARSHAN_BZIP2);
	for (size_t i = 0; i < COUNT(modules); i++)
	{
		Region records = {.size = 0};
		add_record(&log, &records, modules[i].module, modules[i].version, 7, 1);
		size_t begin = close_region(&log, &records);
		enter_module(&log, modules[i].number, begin, modules[i].version);
	}
	assert_int_equal(read_log(&env, &log, &run), PH_OK);
	snprintf(path, sizeof(path), "[\"H5F\", \"%s\", \"metadata\"]", file);
	check_cost(run.profile, "time", path, 2, 0.25, 0.25);
	snprintf(path, sizeof(path), "[\"H5D\", \"%s\", \"read\"]", file);
	check_cost(run.profile, "time", path, 2, 1.25, 1.25);
	snprintf(path, sizeof(path), "[\"PNETCDF_FILE\", \"%s\", \"metadata\", \"open\"]", file);
	check_cost(run.profile, "calls", path, 2, 2, 2);
	snprintf(path, sizeof(path), "[\"PNETCDF_VAR\", \"%s\"]", file);
	check_cost(run.profile, "read_end_timestamp", path, 2, 2.5, 2.5);
	done(&env, &run);
}

static void
test_log_memory(void **state)
{
	(void) state;
	fail_every_allocation_of(READ_DARSHAN, LOG);
}

/* ---- counters ---- */

static void
test_places(void **state)
{
	static const struct
	{
		const char *name, *group, *operation, *metric;
	} cases[] = {
		{"F_WRITE_TIME", "write", NULL, "time"},
		{"COLL_OPENS", "metadata", "collective open", "calls"},
		{"F_CLOSE_END_TIMESTAMP", NULL, NULL, "close_end_timestamp"},
		{"SIZE_WRITE_AGG_1G_PLUS", NULL, NULL, "size_write_agg_1g_plus"},
		{"MAX_BYTE_WRITTEN", NULL, NULL, "max_byte_written"},
	};
	static const char *const none[] = {"",
									   "FILENOS",
									   "MEM_ALIGNMENT",
									   "STRIDE1_COUNT",
									   "MAX_READ_TIME_SIZE",
									   "F_VARIANCE_RANK_TIME",
									   "SLOWEST_RANK",
									   "RENAMED_FROM"};
	PhDarshanPlace place;
	(void) state;
	for (size_t i = 0; i < COUNT(cases); i++)
	{
		assert_true(ph_darshan_place((PhSlice){cases[i].name, strlen(cases[i].name)}, &place));
		assert_string_equal(place.metric, cases[i].metric);
		assert_string_equal(place.group != NULL ? place.group : "",
							cases[i].group != NULL ? cases[i].group : "");
		assert_string_equal(place.operation != NULL ? place.operation : "",
							cases[i].operation != NULL ? cases[i].operation : "");
	}
	for (size_t i = 0; i < COUNT(none); i++)
		assert_false(ph_darshan_place((PhSlice){none[i], strlen(none[i])}, &place));
}

/* ---- the text ---- */

static void
test_text(void **state)
{
	static const char file[] = "[\"POSIX\", \"/scratch/in put.dat\"]";
	PhEnv env;
	PhRunInput run;
	(void) state;
	must_read(&env, TEXT, &run);
	const PhProfile *profile = run.profile;
	assert_int_equal(run.n_ranks, 2);
	assert_int_equal(profile->n_columns, 2); /* all together, rank 0 */
	check_cost(profile, "time", file, 1, 1.5, 0);
	check_cost(profile, "bytes", file, 1, 4096, 0);
	check_cost(profile, "size_read_100_1k", file, 1, 10, 10);
	check_cost(profile, "open_start_timestamp", file, 1, 0.5, 0.5);
	check_cost(profile, "calls", "[\"POSIX\", \"/scratch/out.dat\", \"write\"]", 0, 64, 64);
	check_cost(profile, "calls", "[\"MPI-IO\", \"/scratch/out.dat\", \"write\"]", 0, 8, 0);
	check_cost(profile, "slowest_rank_time", "[\"MPI-IO\", \"/scratch/out.dat\"]", 0, 2, 2);
	assert_string_equal(ph_meta_get(&run.meta, "application"), "solver");
	assert_string_equal(ph_meta_get(&run.meta, "darshan.run_time"), "100.5000");
	assert_string_equal(ph_meta_get(&run.meta, "darshan.h"), "romio_no_indep_rw=true;cb_nodes=4");
	assert_int_equal(run.n_warnings, 1);
	assert_int_equal(run.n_missing, 0);
	assert_int_equal(ph_run_completeness(&ph_reader_darshan_text, &run), PH_COMPLETENESS_UNKNOWN);
	done(&env, &run);
}

/* What darshan-parser --total writes: sums of modules without their files. */
static void
test_totals(void **state)
{
	static const char text[] =
		"# darshan log version: 3.41\n# nprocs: 4\n"
		"# POSIX module: 1 bytes (compressed), ver=4\n# LUSTRE module: 1 bytes (compressed), "
		"ver=1\n"
		"# POSIX module data\ntotal_POSIX_OPENS: 8\ntotal_POSIX_F_READ_TIME: 2.5\n"
		"total_POSIX_FILE_ALIGNMENT: -1\n";
	PhEnv env;
	PhRunInput run;
	(void) state;
	ph_env_init_malloc(&env);
	assert_int_equal(read_bytes(&env, READ_DARSHAN_TEXT, text, sizeof(text) - 1, &run), PH_OK);
	check_cost(run.profile, "time", "[\"POSIX\"]", 0, 2.5, 0);
	check_cost(run.profile, "calls", "[\"POSIX\", \"metadata\", \"open\"]", 0, 8, 8);
	assert_int_equal(run.n_missing, 0);
	done(&env, &run);
}

static void
test_bad_text(void **state)
{
	static const BadCase cases[] = {
		{"\t-1\t6301063301082038805\tPOSIX_OPENS", "\tx\t6301063301082038805\tPOSIX_OPENS",
		 PH_ERR_FORMAT, "input:50: the rank of a record"},
		{"POSIX_OPENS\t2\t", "POSIX_OPENS\ttwo\t", PH_ERR_FORMAT, "input:38: a value is no number"},
		{"POSIX_READS\t10\t", "POSIX_READS 10\t", PH_ERR_FORMAT, "the 8 fields of a counter"},
		{"# POSIX module data", "# STDIO module data", PH_ERR_FORMAT, "not of the module"},
		{"\t/scratch/in put.dat\t", "\t\t", PH_ERR_FORMAT, "a record names no file"},
		{NULL, "# darshan log version: 3.41\ntotal_POSIX_OPENS: 8\n", PH_ERR_FORMAT,
		 "a total is not a name and a number"},
		{NULL, "# darshan log version: 3.41\n", PH_ERR_VALUE, ""},
	};
	(void) state;
	check_bad_cases(READ_DARSHAN_TEXT, TEXT, cases, COUNT(cases));
}

/* A module whose part is not there, a record that is cut. */
static void
test_missing(void **state)
{
	size_t size;
	char *whole = read_text(TEXT, &size),
		 *cut = strstr(whole, "MPI-IO\t-1\t6301063301082038805\tMPIIO_IND");
	PhEnv env;
	PhRunInput run;
	(void) state;
	assert_non_null(cut);
	*cut = '\0';
	ph_env_init_malloc(&env);
	assert_int_equal(read_bytes(&env, READ_DARSHAN_TEXT, whole, strlen(whole), &run), PH_OK);
	assert_int_equal(run.n_missing, 1);
	assert_non_null(strstr(run.missing[0], "module LUSTRE"));
	done(&env, &run);
	cut = strstr(whole, "POSIX\t-1\t6301063301082038805\tPOSIX_F_READ_TIME");
	*cut = '\0';
	ph_env_init_malloc(&env);
	assert_int_equal(read_bytes(&env, READ_DARSHAN_TEXT, whole, strlen(whole), &run), PH_OK);
	assert_int_equal(run.n_missing, 3);
	assert_non_null(strstr(run.missing[2], "the last record has 10 counters of 12"));
	done(&env, &run);
	free(whole);
}

static void
test_text_memory(void **state)
{
	(void) state;
	fail_every_allocation_of(READ_DARSHAN_TEXT, TEXT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mounts),		cmocka_unit_test(test_logs),
		cmocka_unit_test(test_file),		cmocka_unit_test(test_log_cuts),
		cmocka_unit_test(test_log_damage),	cmocka_unit_test(test_log_errors),
		cmocka_unit_test(test_partial),		cmocka_unit_test(test_libraries),
		cmocka_unit_test(test_log_memory),	cmocka_unit_test(test_places),
		cmocka_unit_test(test_text),		cmocka_unit_test(test_totals),
		cmocka_unit_test(test_bad_text),	cmocka_unit_test(test_missing),
		cmocka_unit_test(test_text_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
