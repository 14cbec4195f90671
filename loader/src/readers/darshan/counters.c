/*
 * counters.c - see counters.h.
 *
 * Modules name the same things alike behind their prefixes, so that one table serves all. Opens
 * count descriptors that were duplicated or made of streams, too, and renames are counted with
 * their sources: FILENOS, DUPS, FDOPENS and RENAME_TARGETS would count them twice. Synchronising
 * counts as writing, as in Darshan's own times.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/darshan/counters.h"

#include <ctype.h>

#include "readers/darshan/darshan.h"

static const char reading[] = "read", writing[] = "write", meta[] = "metadata";

/* Counters of operations. */
static const struct
{
	const char *name, *group, *operation, *metric, *unit;
} operations[] = {
	{"READS", reading, NULL, "calls", "count"},
	{"WRITES", writing, NULL, "calls", "count"},
	{"BYTES_READ", reading, NULL, "bytes", "bytes"},
	{"BYTES_WRITTEN", writing, NULL, "bytes", "bytes"},
	{"F_READ_TIME", reading, NULL, "time", "s"},
	{"F_WRITE_TIME", writing, NULL, "time", "s"},
	{"F_META_TIME", meta, NULL, "time", "s"},
	{"F_WAIT_TIME", "wait", NULL, "time", "s"},
	{"OPENS", meta, "open", "calls", "count"},
	{"CREATES", meta, "create", "calls", "count"},
	{"SEEKS", meta, "seek", "calls", "count"},
	{"STATS", meta, "stat", "calls", "count"},
	{"MMAPS", meta, "mmap", "calls", "count"},
	{"RENAME_SOURCES", meta, "rename", "calls", "count"},
	{"REDEFS", meta, "redefine", "calls", "count"},
	{"VIEWS", meta, "set view", "calls", "count"},
	{"INDEP_OPENS", meta, "independent open", "calls", "count"},
	{"COLL_OPENS", meta, "collective open", "calls", "count"},
	{"FSYNCS", writing, "fsync", "calls", "count"},
	{"FDSYNCS", writing, "fdatasync", "calls", "count"},
	{"FLUSHES", writing, "flush", "calls", "count"},
	{"SYNCS", writing, "sync", "calls", "count"},
	{"INDEP_READS", reading, "independent read", "calls", "count"},
	{"COLL_READS", reading, "collective read", "calls", "count"},
	{"SPLIT_READS", reading, "split collective read", "calls", "count"},
	{"NB_READS", reading, "nonblocking read", "calls", "count"},
	{"INDEP_WRITES", writing, "independent write", "calls", "count"},
	{"COLL_WRITES", writing, "collective write", "calls", "count"},
	{"SPLIT_WRITES", writing, "split collective write", "calls", "count"},
	{"NB_WRITES", writing, "nonblocking write", "calls", "count"},
	{"INDEP_WAITS", "wait", "independent wait", "calls", "count"},
	{"COLL_WAITS", "wait", "collective wait", "calls", "count"},
};

/* Of the file as a whole; the metric has the counter's name in lower case. "*": any text. */
static const struct
{
	const char *begin, *end, *unit;
	PhMetricKind kind;
	PhCombine combine;
} wholes[] = {
	{"F_", "_START_TIMESTAMP", "s", PH_METRIC_VALUE, PH_COMBINE_MIN},
	{"F_", "_END_TIMESTAMP", "s", PH_METRIC_VALUE, PH_COMBINE_MAX},
	{"F_MAX_", "_TIME", "s", PH_METRIC_VALUE, PH_COMBINE_MAX},
	{"F_SLOWEST_RANK_TIME", "", "s", PH_METRIC_VALUE, PH_COMBINE_MAX},
	{"F_FASTEST_RANK_TIME", "", "s", PH_METRIC_VALUE, PH_COMBINE_MIN},
	{"SLOWEST_RANK_BYTES", "", "bytes", PH_METRIC_VALUE, PH_COMBINE_MAX},
	{"FASTEST_RANK_BYTES", "", "bytes", PH_METRIC_VALUE, PH_COMBINE_MIN},
	{"MAX_BYTE_", "", "bytes", PH_METRIC_VALUE, PH_COMBINE_MAX},
	{"CONSEC_", "", "count", PH_METRIC_FLOW, PH_COMBINE_SUM},
	{"SEQ_", "", "count", PH_METRIC_FLOW, PH_COMBINE_SUM},
	{"SIZE_READ_", "", "count", PH_METRIC_FLOW, PH_COMBINE_SUM},
	{"SIZE_WRITE_", "", "count", PH_METRIC_FLOW, PH_COMBINE_SUM},
	{"RW_SWITCHES", "", "count", PH_METRIC_FLOW, PH_COMBINE_SUM},
	{"MEM_NOT_ALIGNED", "", "count", PH_METRIC_FLOW, PH_COMBINE_SUM},
	{"FILE_NOT_ALIGNED", "", "count", PH_METRIC_FLOW, PH_COMBINE_SUM},
};

static const struct
{
	const char *module, *prefix;
} modules[] = {
	{"POSIX", "POSIX_"},
	{"MPI-IO", "MPIIO_"},
	{"STDIO", "STDIO_"},
	{"H5F", "H5F_"},
	{"H5D", "H5D_"},
	{"PNETCDF_FILE", "PNETCDF_FILE_"},
	{"PNETCDF_VAR", "PNETCDF_VAR_"},
	{"DFS", "DFS_"},
};

const char *
ph_darshan_prefix(PhSlice module)
{
	for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++)
		if (ph_slice_is(module, modules[i].module))
			return modules[i].prefix;
	return NULL;
}

static void
set_name(PhDarshanPlace *place, PhSlice name)
{
	size_t i = 0;
	if (ph_slice_begins(name, "F_"))
		name = ph_slice_behind(name, 2);
	for (; i < name.size; i++)
		place->metric[i] = (char) tolower((unsigned char) name.text[i]);
	place->metric[i] = '\0';
}

static bool
find_whole(PhSlice name, PhDarshanPlace *out)
{
	for (size_t i = 0; i < sizeof(wholes) / sizeof(wholes[0]); i++)
	{
		if (!ph_slice_begins(name, wholes[i].begin) || !ph_slice_ends(name, wholes[i].end))
			continue;
		*out = (PhDarshanPlace){
			.unit = wholes[i].unit, .kind = wholes[i].kind, .combine = wholes[i].combine};
		set_name(out, name);
		return true;
	}
	return false;
}

bool
ph_darshan_place(PhSlice name, PhDarshanPlace *out)
{
	if (name.size == 0 || name.size >= PH_DARSHAN_NAME_MAX)
		return false;
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
	{
		if (!ph_slice_is(name, operations[i].name))
			continue;
		*out = (PhDarshanPlace){.group = operations[i].group,
								.operation = operations[i].operation,
								.unit = operations[i].unit};
		set_name(out, (PhSlice){operations[i].metric, strlen(operations[i].metric)});
		return true;
	}
	return find_whole(name, out);
}
