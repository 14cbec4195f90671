/*
 * test_known_format.c - formats that are not read are recognised by their first bytes or names.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "readers/known_format.h"
#include "readers/source.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

typedef struct Sample
{
	const char *path;
	const char *bytes;
	size_t size;
	const char *name; /* part of it; NULL: not recognised */
} Sample;

#define SAMPLE(path, text, name) path, text, sizeof(text) - 1, name

static const Sample samples[] = {
	{SAMPLE("x/meta.db", "HPCTOOLKITmeta\4\0", "HPCToolkit 4")},
	{SAMPLE("x/cct.db", "HPCTOOLKITctxt\4\0", "HPCToolkit 4")},
	{SAMPLE("x/profile.db", "HPCPROF-profdb__\1\0", "HPCToolkit database of 2020")},
	{SAMPLE("a.hpcrun", "HPCRUN-profile____02.00", "HPCToolkit measurement")},
	{SAMPLE("perf.data", "PERFILE2\x68\0\0\0", "perf data")},
	{SAMPLE("gmon.out", "gmon\1\0\0\0", "gprof")},
	{SAMPLE("a.sqlite", "SQLite format 3\0", "SQLite")},
	{SAMPLE("a.nsys-rep", "\1\2\3", "Nsight Systems report")},
	{SAMPLE("a.csv", "\"Index\",\"KernelName\",\"gpu-id\",\"BeginNs\",\"EndNs\"\n", "rocprof CSV")},
	{SAMPLE("a.prv", "#Paraver (21/11/2026 at 10:00):", "Paraver")},
	{SAMPLE("callgrind.out.1", "# callgrind format\nversion: 1\n", "Callgrind")},
	{SAMPLE("cpu.callgrind", "positions: instr line\nevents: cpu(ms)\n", "Callgrind")},
	{SAMPLE("a.cpuprofile", "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"main\"",
			"V8")},
	{SAMPLE("tauprofile.xml", "<?xml version=\"1.0\"?>\n<profile_xml>\n", "TAU merged")},
	{SAMPLE("a.cube", "<?xml version=\"1.0\"?>\n<cube version=\"3.0\">\n", "Cube 3")},
	{SAMPLE("p.prof", "\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x10\x27", "gperftools")},
	{SAMPLE("r.txt", "\nLoop summary:\n-----\n\nLoop Iterations Time (s) Iter/s (min)\n",
			"report of Caliper")},
	{SAMPLE("r.txt", "Path   Min time/rank Avg time/rank Max time/rank Time %\nmain 1 1 1 100\n",
			"report of Caliper")},
	{SAMPLE("r.txt", "Function  Count (min) Count (max) Time (min) Time (max) Time (avg) Time %\n",
			"report of Caliper")},
	{SAMPLE("r.txt", "time     Node order region         mpi.rank loop\n0.5   1 main 0\n",
			"report of Caliper")},
	{SAMPLE("r.json", "[\n{\"path\":\"main\",\"sum#time.duration\":0.5}\n]\n", "flat JSON")},
	{SAMPLE("p.txt",
			"  3 function calls in 0.1 seconds\n ncalls tottime percall cumtime percall "
			"filename:lineno(function)\n",
			"pstats")},
	{SAMPLE("a.zip", "PK\3\4", "zip")},
	{SAMPLE("a.ppk", "\1\2\3\4", "packed TAU")},
	/* nothing of the kind */
	{SAMPLE("notes.txt", "we measured; twice\n", NULL)},
	{SAMPLE("notes.txt", "the first line: 12.5 s\n  and more\n", NULL)},
	{SAMPLE("a.json", "{\"a\": 1}\n", NULL)},
	{SAMPLE("a.csv", "a,b\n1,2\n", NULL)},
	{SAMPLE("empty-line", "\n", NULL)},
	{SAMPLE("gmon", "gmo", NULL)},
	{SAMPLE("", "x", NULL)},
};

static void
check(const char *path, const uint8_t *bytes, size_t size, const char *name)
{
	const PhKnownFormat *found = ph_known_format(path, bytes, size);

	if ((found == NULL) != (name == NULL) || (name != NULL && strstr(found->name, name) == NULL))
		fail_msg("%s: %s, expected %s", path, found != NULL ? found->name : "nothing",
				 name != NULL ? name : "nothing");
}

static void
test_samples(void **state)
{
	(void) state;
	for (size_t i = 0; i < COUNT(samples); i++)
		check(samples[i].path, (const uint8_t *) samples[i].bytes, samples[i].size,
			  samples[i].name);
}

/* But parts of a database of HPCToolkit 4, whose other parts are missing. */
static void
test_no_reader_takes_them(void **state)
{
	(void) state;
	for (size_t i = 0; i < COUNT(samples); i++)
		for (size_t r = 0; ph_readers[r] != NULL; r++)
			if (ph_readers[r] != &ph_reader_hpctoolkit4 && ph_readers[r]->detect_file != NULL &&
				ph_readers[r]->detect_file(samples[i].path, (const uint8_t *) samples[i].bytes,
										   samples[i].size))
				fail_msg("%s is taken by the reader of %s", samples[i].path, ph_readers[r]->name);
}

/* Cut anywhere it is recognised or not; never read beyond its end. */
static void
test_short(void **state)
{
	(void) state;
	for (size_t i = 0; i < COUNT(samples); i++)
		for (size_t size = 1; size < samples[i].size; size++)
		{
			uint8_t *copy = malloc(size);

			memcpy(copy, samples[i].bytes, size);
			(void) ph_known_format("a", copy, size);
			free(copy);
		}
}

static void
test_compressed(void **state)
{
	static const char text[] = "{\"rocprofiler-sdk-tool\": [{\"metadata\": {";
	uint8_t bytes[256];
	z_stream stream = {.next_in = (Bytef *) text,
					   .avail_in = sizeof(text) - 1,
					   .next_out = bytes,
					   .avail_out = sizeof(bytes)};
	(void) state;

	assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	check("results.json.gz", bytes, stream.total_out, "rocprofv3");
	assert_int_equal(deflateEnd(&stream), Z_OK);
	check("data.gz", (const uint8_t *) "\x1f\x8b\x08\0\0\0\0\0\0\3", 10, "gzip");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_no_reader_takes_them),
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_compressed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
