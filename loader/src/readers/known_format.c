/*
 * known_format.c - see known_format.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/known_format.h"

#include <stdbool.h>
#include <string.h>

#include "readers/experiment_folder.h"
#include "readers/plain_head.h"

static const char caliper_advice[] =
	"Caliper, Score-P, TAU and HPCToolkit 3 measure the same program in formats that are read.";
static const char caliper_file_advice[] =
	"The .cali file is read, and what cali-query -q \"format json-split\" writes.";
static const char trace_advice[] =
	"Traces are read as OTF2, Projections logs or lines of docs/TASK-FORMAT.md.";
static const char nsight_advice[] = "nsys export --type sqlite writes what is read.";
static const char hatchet_advice[] = "Hatchet reads it, and writes JSON that is read (to_json).";
static const char gprof_advice[] = "gprof PROGRAM gmon.out writes a report that is read.";
static const char callgrind_advice[] =
	"gprof2dot -f callgrind -n0 -e0 FILE draws a graph that is read.";
static const char perf_advice[] = "perf script writes text that is read.";
static const char hpctoolkit4[] = "file of an HPCToolkit 4 database";
static const char hpctoolkit4_advice[] =
	"Name the folder that it is in: its meta.db and profile.db are read together.";
static const char hpcprof_advice[] = "hpcprof of HPCToolkit 4 makes a database that is read.";
static const char table_advice[] =
	"perfhouse.connect().load(FILE) of the Python package loads it; tables as CSV are read here.";
static const char unpack_advice[] = "Unpack it and name what is inside.";

/* Formats with bytes of their own at a fixed place. */
static const struct
{
	const char *magic;
	size_t size;
	PhKnownFormat format;
} magics[] = {
#define MAGIC(text) text, sizeof(text) - 1
	{MAGIC("HPCTOOLKITmeta"), {hpctoolkit4, hpctoolkit4_advice}},
	{MAGIC("HPCTOOLKITprof"), {hpctoolkit4, hpctoolkit4_advice}},
	{MAGIC("HPCTOOLKITctxt"), {hpctoolkit4, hpctoolkit4_advice}},
	{MAGIC("HPCTOOLKITtrce"), {hpctoolkit4, hpctoolkit4_advice}},
	{MAGIC("HPCPROF-profdb__"), {"HPCToolkit database of 2020 or 2021 (sparse)", hpcprof_advice}},
	{MAGIC("HPCPROF-cctdb___"), {"HPCToolkit database of 2020 or 2021 (sparse)", hpcprof_advice}},
	{MAGIC("HPCRUN-profile"), {"HPCToolkit measurement (.hpcrun)", hpcprof_advice}},
	{MAGIC("HPCRUN-trace"), {"HPCToolkit measurement (.hpctrace)", trace_advice}},
	{MAGIC("HPCPROF-tmsdb"), {"HPCToolkit 3 trace database", trace_advice}},
	{MAGIC("PERFILE2"), {"Linux perf data (perf.data)", perf_advice}},
	{MAGIC("2ELIFREP"), {"Linux perf data (perf.data)", perf_advice}},
	{MAGIC("gmon\1\0\0\0"), {"gprof data (gmon.out)", gprof_advice}},
	{MAGIC("gmon\0\0\0\1"), {"gprof data (gmon.out)", gprof_advice}},
	{MAGIC("NVR\0"), {"NVIDIA Nsight Compute report (.ncu-rep)", NULL}},
	{MAGIC("#Paraver"), {"Paraver trace (.prv)", trace_advice}},
	{MAGIC("CLOG-0"), {"MPE log (CLOG2)", trace_advice}},
	{MAGIC("FLR\0"), {"Java Flight Recorder data (.jfr)", NULL}},
	{MAGIC("# callgrind format"), {"Callgrind profile", callgrind_advice}},
	{MAGIC("desc: I1 cache:"), {"Cachegrind profile", caliper_advice}},
	{MAGIC("desc: --"), {"Massif profile", NULL}},
	{MAGIC("@ mpiP"), {"mpiP report", caliper_advice}},
	{MAGIC("\x17\x08\x44tracing"), {"ftrace data (trace.dat)", trace_advice}},
	{MAGIC("/* CTF "), {"Common Trace Format (LTTng, babeltrace)", trace_advice}},
	{MAGIC("\xc1\x1f\xfc\xc1"), {"Common Trace Format (LTTng, babeltrace)", trace_advice}},
	{MAGIC("\xc1\xc1\xfc\x1f"), {"Common Trace Format (LTTng, babeltrace)", trace_advice}},
	{MAGIC("\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
	 {"gperftools CPU profile", "pprof -proto writes a profile that is read."}},
	{MAGIC("PAR1"), {"Parquet table", table_advice}},
	{MAGIC("ARROW1\0\0"), {"Arrow table", table_advice}},
	{MAGIC("PK\3\4"), {"zip archive", unpack_advice}},
	{MAGIC("\xfd"
		   "7zXZ"),
	 {"file compressed by xz", unpack_advice}},
	{MAGIC("\x28\xb5\x2f\xfd"), {"file compressed by zstd", unpack_advice}},
	{MAGIC("BZh"), {"file compressed by bzip2", unpack_advice}},
#undef MAGIC
};

/* Texts that stand somewhere near the begin: all of them. */
static const struct
{
	const char *words[3];
	PhKnownFormat format;
} texts[] = {
	{{"SQLite format 3", "rocpd_op"}, {"rpd database (before ROCm 7)", trace_advice}},
	{{"SQLite format 3"}, {"SQLite database", NULL}},
	{{"\"callFrame\"", "\"nodes\""}, {"V8 CPU profile (.cpuprofile)", NULL}},
	{{"<profile_xml>"},
	 {"TAU merged profile (tauprofile.xml)",
	  "Load the profile.N.C.T files: TAU_PROFILE_FORMAT=profile writes them."}},
	{{"<cube version=\"3"}, {"Cube 3 profile", "cube_cut of CubeLib writes it as .cubex."}},
	{{"<ipm"}, {"IPM report", caliper_advice}},
	{{"creator: callgrind"}, {"Callgrind profile", callgrind_advice}},
	{{"positions: ", "\nevents: "}, {"Callgrind profile", callgrind_advice}},
	{{"KernelName", "BeginNs"}, {"rocprof CSV", trace_advice}},
	{{"\"Kind\"", "Agent_Id", "Start_Timestamp"}, {"rocprofv3 CSV", trace_advice}},
	{{"Domain", "Start_Timestamp", "Function"}, {"rocprofv3 CSV", trace_advice}},
	{{"TotalDurationNs", "Calls", "Percentage"}, {"rocprof statistics CSV", NULL}},
	{{"Loop summary:", "Iterations", "Iter/s"}, {"report of Caliper (text)", caliper_file_advice}},
	{{"Count (min)", "Count (max)", "Time (avg)"},
	 {"report of Caliper (text)", caliper_file_advice}},
	{{"Node order", "region"}, {"report of Caliper (text)", caliper_file_advice}},
	{{"Min time/rank", "Max time/rank", "Time %"},
	 {"report of Caliper (text)", caliper_file_advice}},
	{{"[\n{\"", "\"path\":\"", "time.duration\":"}, {"Caliper's flat JSON", caliper_file_advice}},
	{{"function calls", "ncalls", "filename:lineno(function)"},
	 {"text of Python's pstats", "dump_stats writes a profile that is read."}},
	{{"TIMEMORY"}, {"timemory or OMNITRACE text", NULL}},
	{{"\"timemory\""}, {"timemory or OMNITRACE JSON", hatchet_advice}},
	{{"\"rocprofiler-sdk-tool\""}, {"rocprofv3 JSON", trace_advice}},
};

/* Formats without a mark in their first bytes, by their names. */
static const struct
{
	const char *suffix;
	PhKnownFormat format;
} suffixes[] = {
	{".nsys-rep", {"NVIDIA Nsight Systems report (.nsys-rep)", nsight_advice}},
	{".qdrep", {"NVIDIA Nsight Systems report (.qdrep)", nsight_advice}},
	{".ncu-rep", {"NVIDIA Nsight Compute report (.ncu-rep)", NULL}},
	{".nvvp", {"NVIDIA Visual Profiler data", NULL}},
	{".pftrace", {"Perfetto trace", trace_advice}},
	{".perfetto-trace", {"Perfetto trace", trace_advice}},
	{"perfetto-trace.proto", {"Perfetto trace (OMNITRACE)", trace_advice}},
	{".ppk", {"packed TAU profile (.ppk)", "paraprof --dump writes profiles that are read."}},
	{".edf", {"TAU trace", "tau2otf2 makes an OTF2 archive of it."}},
	{".trc", {"TAU trace", "tau2otf2 makes an OTF2 archive of it."}},
	{".otf", {"OTF 1 trace", "otf2otf2 of old Score-P packages converts it."}},
	{".stf", {"Intel Trace Analyzer trace (.stf)", trace_advice}},
	{".vtune", {"Intel VTune result", caliper_advice}},
	{".slog2", {"MPE log (SLOG2)", trace_advice}},
	{".darshan", {"Darshan log", NULL}},
	{".mpiP", {"mpiP report", caliper_advice}},
};

static bool
has_text(const PhPlainHead *head, const char *text)
{
	return memmem(head->bytes, head->size, text, strlen(text)) != NULL;
}

static const PhKnownFormat *
by_magic(const PhPlainHead *head)
{
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (head->size >= magics[i].size &&
			memcmp(head->bytes, magics[i].magic, magics[i].size) == 0)
			return &magics[i].format;
	return NULL;
}

static const PhKnownFormat *
by_text(const PhPlainHead *head)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
	{
		bool all = true;

		for (size_t k = 0; k < 3 && texts[i].words[k] != NULL && all; k++)
			all = has_text(head, texts[i].words[k]);
		if (all)
			return &texts[i].format;
	}
	return NULL;
}

static const PhKnownFormat *
by_name(const char *path)
{
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (ph_has_suffix(path, suffixes[i].suffix))
			return &suffixes[i].format;
	return NULL;
}

static const PhKnownFormat *
recognise(const PhPlainHead *head)
{
	static const PhKnownFormat tar = {"tar archive", unpack_advice};
	const PhKnownFormat *found = by_magic(head);

	if (found == NULL && head->size > 262 && memcmp(head->bytes + 257, "ustar", 5) == 0)
		found = &tar;
	return found == NULL ? by_text(head) : found;
}

const PhKnownFormat *
ph_known_format(const char *path, const uint8_t *bytes, size_t size)
{
	static const PhKnownFormat gzip = {"file compressed by gzip", "Unpack it, then name it."};
	PhPlainHead head;
	const PhKnownFormat *found;

	ph_plain_head(bytes, size, &head);
	found = recognise(&head);
	if (found == NULL)
		found = by_name(path);
	return found == NULL && head.is_gzip ? &gzip : found;
}
